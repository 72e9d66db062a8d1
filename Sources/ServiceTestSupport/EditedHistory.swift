import Core
import Geodesy
import History
import Model
import Places
import Presence
import Store
import TestSupport

/// The inputs of some devices among fences that are edited, by time.
package struct EditedHistory {
    package enum Step {
        case fix(device: Int, Fix)
        case edit([Queries.GeofenceEdit])
        /// Changes the policy or the groups of a device.
        case saveDevice(Device)
    }

    package let devices = (1...5).map { "device-\($0)" }
    package private(set) var steps: [Step] = []
    private var random: SeededRandom
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    package init(seed: UInt64, count: Int = 500, edits: Bool = true) {
        random = SeededRandom(seed: seed)
        steps.append(.edit((0..<6).map { _ in .save(.random(along: home, &random)) }))
        for (number, id) in devices.enumerated() {
            var device = Device(id: id, groups: number % 2 == 0 ? [] : ["odd"])
            device.policy = PolicyOverride(base: [.exact, .balanced, .phone, nil, nil][number])
            device.silentAfter = number == 4 ? 1200 : 6 * 3600
            steps.append(.saveDevice(device))
        }
        var known: Set<String> = []
        var places: [Double] = [0, 100, 300, -200, 800]
        var time = Instant("2026-05-01T10:00:00Z")!
        for _ in 0..<count {
            switch Int.random(in: 0..<(edits ? 40 : 39), using: &random) {
            case 39:
                var list: [Queries.GeofenceEdit] = []
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let fence = Geofence.random(along: home, &random)
                    let isNew = known.insert(fence.id).inserted
                    guard isNew || Bool.random(using: &random) else { continue }
                    // A geofence that was saved before is edited, or removed and saved again in one change.
                    if !isNew, list.count.isMultiple(of: 2) { list.append(.remove(id: fence.id)) }
                    list.append(.save(fence))
                }
                if !list.isEmpty { steps.append(.edit(list)) }
            case 38 where edits:
                var device = Device(id: devices[3], groups: Bool.random(using: &random) ? ["odd"] : [])
                device.policy = PolicyOverride(base: DecisionPolicy.Name.allCases.randomElement(using: &random)!)
                steps.append(.saveDevice(device))
            default:
                let number = Int.random(in: 0..<devices.count, using: &random)
                time = time + [1, 5, 20, 70, 300].randomElement(using: &random)!
                places[number] = max(-900, min(900, places[number] + Double.random(in: -250...250, using: &random)))
                steps.append(
                    .fix(
                        device: number,
                        Fix(
                            time: time, coordinate: home.north(places[number]),
                            accuracy: [nil, 5, 40, 300].randomElement(using: &random)!)))
            }
        }
    }

    /// The steps in another order, in which some fixes are held back for a while. The newest fixes of a device before a change of the
    /// fences or of its rules are never held back, because a change takes effect at the newest believed fix.
    package func shuffled(seed: UInt64, share: Double = 0.25) -> [Step] {
        var random = SeededRandom(seed: seed)
        var isLast = [Bool](repeating: false, count: steps.count)
        var newest: [Int: [Int]] = [:]
        for (index, step) in steps.enumerated() {
            if case .fix(let device, _) = step {
                newest[device] = (newest[device] ?? []).suffix(3) + [index]
            } else {
                for index in newest.values.joined() { isLast[index] = true }
            }
        }
        for index in newest.values.joined() { isLast[index] = true }
        var arriving: [Step] = []
        var held: [(due: Int, step: Step)] = []
        for (index, step) in steps.enumerated() {
            let due = held.filter { $0.due <= index }.shuffled(using: &random)
            held.removeAll { $0.due <= index }
            arriving += due.map(\.step)
            if case .fix = step, !isLast[index], Double.random(in: 0..<1, using: &random) < share {
                held.append((index + Int.random(in: 1...120, using: &random), step))
            } else {
                arriving.append(step)
            }
        }
        return arriving + held.shuffled(using: &random).map(\.step)
    }

    /// Passes all steps to a service, in batches of random sizes.
    ///
    /// - Parameter between: Called occasionally between batches.
    package func apply(
        _ steps: [Step], to service: ServiceWriter, seed: UInt64, between: (ServiceWriter) throws -> Void = { _ in }
    ) throws {
        var random = SeededRandom(seed: seed)
        var batch = FixBatch()
        func flush() throws {
            var intake = PositionIntake(service: service, policy: nil)
            _ = try intake.accept(TimeOrderedBatch(batch))
            batch.removeAll()
        }
        for (line, step) in steps.enumerated() {
            switch step {
            case .fix(let device, let fix):
                batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: devices[device]), line: line))
                if Int.random(in: 0..<12, using: &random) == 0 { try flush() }
            case .edit(let edits):
                try flush()
                try service.apply(edits)
            case .saveDevice(let device):
                try flush()
                try service.save(device)
            }
            if Int.random(in: 0..<40, using: &random) == 0 {
                try flush()
                try between(service)
            }
        }
        try flush()
    }
}

/// The events that are not retracted, the visits and the status in a store.
package struct Outcome: Equatable {
    package var events: [String] = []
    package var visits: [String] = []
    package var statuses: [String] = []

    package init(_ service: ServiceWriter) throws {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        try service.forEachEvent(filter) { event in
            events.append(
                "\(event.deviceId) \(event.occurredAt) \(event.type) \(event.geofenceId ?? "-") \(event.geofenceName ?? "-") "
                    + "\(String(describing: event.crossedAt)) \(event.inferred) \(event.duration ?? -1)")
        }
        events.sort()
        try service.forEachVisit(.init()) { visit in
            visits.append("\(visit.deviceId) \(visit.geofenceId) \(visit.enteredAt) \(String(describing: visit.exitedAt))")
        }
        statuses = try service.deviceStatuses().map { "\($0.json)" }
    }
}
