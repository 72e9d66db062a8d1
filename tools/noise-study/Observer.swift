import Geometry
import Model
import Monitor

/// A visit as the engine told it.
struct ToldVisit: Sendable {
    /// Seconds since the start of the journey: when it is said to have begun and ended, and when each was told.
    var enter: Double
    var enterTold: Double
    var exit: Double
    var exitTold: Double
    /// False where the device was inside when it was first heard of.
    var hasEnter: Bool
    /// False while it lasts at the end of the journey.
    var hasExit: Bool
}

/// Gives what a device reports to the engine that is studied.
struct Observer {
    private let journey: Journey
    private let engine: TransitionEngine
    private static let start = Instant(milliseconds: 1_777_593_600_000)

    init(_ journey: Journey) {
        self.journey = journey
        engine = TransitionEngine(
            fences: FenceSet(
                revision: 1,
                journey.areas.enumerated().map { number, area in
                    FenceSet.Entry(
                        key: FenceKey(Int32(number)), geofence: area.geofence(id: "area-\(number)", in: journey.plane))
                }))
    }

    func fixes(_ readings: [Receiver.Reading]) -> [Fix] {
        readings.map { reading in
            Fix(
                time: Observer.start + Double(reading.second), coordinate: journey.plane.coordinate(reading.point),
                accuracy: reading.accuracy)
        }
    }

    /// The visits that the engine tells, by area, each in order of time.
    func told(_ fixes: [Fix], _ policy: DecisionPolicy) -> [[ToldVisit]] {
        var state = DeviceState(device: Device(id: "device"), policy: policy)
        var transitions: [Transition] = []
        for fix in fixes { engine.observe(fix, &state, &transitions) }
        // As a running service does, when nothing more comes.
        if let newest = state.newest {
            engine.advance(before: newest.time + 2 * DecisionPolicy.patience, &state, &transitions)
        }
        var byArea = [[Transition]](repeating: [], count: journey.areas.count)
        for transition in transitions where transition.type == .enter || transition.type == .exit {
            if let fence = transition.fence { byArea[Int(fence.value)].append(transition) }
        }
        return byArea.map(visits)
    }

    /// Of one fix the engine tells exits first; of a visit that it inferred the enter comes first in time.
    private func visits(_ transitions: [Transition]) -> [ToldVisit] {
        var visits: [ToldVisit] = []
        var waiting: [Transition] = []
        func seconds(_ moment: Instant) -> Double { moment - Observer.start }
        func take(_ transition: Transition) {
            if transition.type == .enter {
                visits.append(
                    ToldVisit(
                        enter: seconds(transition.occurredAt), enterTold: seconds(transition.confirmedAt), exit: journey.end,
                        exitTold: .infinity, hasEnter: transition.cause != .initial, hasExit: false))
            } else {
                visits[visits.count - 1].exit = seconds(transition.occurredAt)
                visits[visits.count - 1].exitTold = seconds(transition.confirmedAt)
                visits[visits.count - 1].hasExit = true
            }
        }
        for transition in transitions {
            let isOpen = visits.last.map { !$0.hasExit } ?? false
            if isOpen == (transition.type == .exit) { take(transition) } else { waiting.append(transition) }
            while let next = waiting.first, (visits.last.map { !$0.hasExit } ?? false) == (next.type == .exit) {
                take(waiting.removeFirst())
            }
        }
        precondition(waiting.isEmpty, "The engine told two enters without an exit between, or the other way round.")
        return visits
    }
}
