import Geometry
import Model
import Monitor

/// A visit that the engine reported.
struct ReportedVisit: Sendable {
    /// The time of the enter, in seconds since the start of the journey like all times here.
    var enter: Double
    /// When the engine confirmed the enter.
    var enterConfirmed: Double
    /// The time of the exit, or the end of the journey while the visit lasts.
    var exit: Double
    /// When the engine confirmed the exit; infinite while the visit lasts.
    var exitConfirmed: Double
    /// False if the device was inside at its first fix.
    var hasEnter: Bool
    /// False if the visit lasts until the end of the journey.
    var hasExit: Bool
}

/// Runs the engine under study on the readings of one journey.
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
                    FenceSet.KeyedGeofence(
                        key: FenceKey(Int32(number)), geofence: area.geofence(id: "area-\(number)", in: journey.plane))
                }))
    }

    /// The readings as fixes of the engine.
    func fixes(_ readings: [Receiver.Reading]) -> [Fix] {
        readings.map { reading in
            Fix(
                time: Observer.start + Double(reading.second), coordinate: journey.plane.coordinate(reading.point),
                accuracy: reading.accuracy)
        }
    }

    /// The visits that the engine reports under a policy, for each area in order of time.
    func reportedVisits(_ fixes: [Fix], _ policy: DecisionPolicy) -> [[ReportedVisit]] {
        var state = DeviceState(device: Device(id: "device"), policy: policy)
        var transitions: [Transition] = []
        for fix in fixes { engine.observe(fix, &state, into: &transitions) }
        // A running service also advances the clock when no further fix arrives.
        if let newest = state.newest {
            engine.advance(before: newest.time + 2 * DecisionPolicy.confirmationTimeout, &state, into: &transitions)
        }
        var byArea = [[Transition]](repeating: [], count: journey.areas.count)
        for transition in transitions where transition.type == .enter || transition.type == .exit {
            if let fence = transition.fence { byArea[Int(fence.value)].append(transition) }
        }
        return byArea.map(visits)
    }

    /// Pairs the enters and exits of one area to visits.
    ///
    /// For one fix the engine reports exits before enters, although in an inferred visit the enter is earlier. Transitions that cannot
    /// follow the last one yet are therefore kept until they can.
    private func visits(_ transitions: [Transition]) -> [ReportedVisit] {
        var visits: [ReportedVisit] = []
        var waiting: [Transition] = []
        func seconds(_ moment: Instant) -> Double { moment - Observer.start }
        func process(_ transition: Transition) {
            if transition.type == .enter {
                visits.append(
                    ReportedVisit(
                        enter: seconds(transition.occurredAt), enterConfirmed: seconds(transition.confirmedAt), exit: journey.end,
                        exitConfirmed: .infinity, hasEnter: transition.cause != .initial, hasExit: false))
            } else {
                visits[visits.count - 1].exit = seconds(transition.occurredAt)
                visits[visits.count - 1].exitConfirmed = seconds(transition.confirmedAt)
                visits[visits.count - 1].hasExit = true
            }
        }
        for transition in transitions {
            let isOpen = visits.last.map { !$0.hasExit } ?? false
            if isOpen == (transition.type == .exit) { process(transition) } else { waiting.append(transition) }
            while let next = waiting.first, (visits.last.map { !$0.hasExit } ?? false) == (next.type == .exit) {
                process(waiting.removeFirst())
            }
        }
        precondition(waiting.isEmpty, "The engine reported two enters without an exit between, or the other way round.")
        return visits
    }
}
