import Core
import Geodesy
import History
import Model
import Monitor
import Places
import Presence
import Store
import TestSupport

/// Inputs of every kind that changes the states of devices, generated from a seed, so that several services can receive the same.
package struct RecordedHistory {
    package enum Input {
        case positions(FixBatch, PolicyOverride?)
        case edit([Queries.GeofenceEdit])
        case saveDevice(Device)
        /// Values of a group for its devices; of all devices when the name is empty.
        case defaults(DeviceDefaults, group: String)
        case remove(device: String)
        case erase(device: String)
        /// Fires deadlines up to the clock, for at most `limit` devices at a time.
        case deadlines(limit: Int)
        case signOfLife(device: String)
        /// The phone's own report of whether it is inside a geofence.
        case report(device: String, geofence: String, isInside: Bool)
        case trim(keeping: Double)
        case replayLate
        case makeRule(JSONValue)
        case changeRule(JSONValue, id: String)
        case removeRule(id: String)
        /// Removes the positions of a device of the last seconds. With a limit, only the first step is taken, as by a service that is
        /// killed after it.
        case removePositions(device: String, seconds: Double, limit: Int?)
        /// Evaluates all positions of a device again.
        case replay(device: String)
        /// Takes a step of the replay of late positions.
        case replayStep(limit: Int)
        /// Evaluates the past of a device with the current geofences.
        case correctPast(device: String)
        case restart

        /// The name of the input's kind.
        package var word: String { String(String(describing: self).prefix { $0 != "(" }) }
    }

    package let seed: UInt64
    /// The inputs, each with the time of the clock.
    package private(set) var inputs: [(now: Instant, input: Input)] = []
    private var random: SeededRandom
    private var now = Instant("2026-05-01T10:00:00Z")!
    private var places: [Double] = [0, 100, 300, -200, 800, -50]
    private var newest: [FixBatch.Row?] = Array(repeating: nil, count: 6)

    package static let home = Coordinate(latitude: 52.5, longitude: 13.4)
    package static let devices = (1...6).map { "device-\($0)" }

    /// Whether groups and settings have values for devices, and some devices have no values.
    private let hasDefaults: Bool
    /// Whether positions are removed, retention periods change, and replays run at any time.
    private let isForgetting: Bool

    package init(seed: UInt64, count: Int, hasDefaults: Bool = true, isForgetting: Bool = false) {
        self.seed = seed
        self.hasDefaults = hasDefaults
        self.isForgetting = isForgetting
        random = SeededRandom(seed: seed)
        for number in Self.devices.indices {
            add(
                .saveDevice(
                    Device(id: Self.devices[number], policy: number < 2 ? PolicyOverride(base: .exact) : PolicyOverride())))
        }
        for _ in 0..<3 { add(.edit([.save(fence())])) }
        while inputs.count < count {
            now = now + [1.0, 20, 70, 300, 900].randomElement(using: &random)!
            add(input())
        }
    }

    /// The inputs without those that delete positions.
    package var keepingPositions: [(now: Instant, input: Input)] {
        inputs.compactMap { now, input in
            switch input {
            case .remove, .erase, .trim, .removePositions: return nil
            case .saveDevice(var device):
                device.keepPositions = nil
                return (now, .saveDevice(device))
            case .defaults(var defaults, let group):
                defaults.keepPositions = nil
                return (now, .defaults(defaults, group: group))
            default: return (now, input)
            }
        }
    }

    private mutating func add(_ input: Input) { inputs.append((now, input)) }

    private mutating func isChosen(_ share: Int) -> Bool { Int.random(in: 0..<share, using: &random) == 0 }

    private mutating func input() -> Input {
        let device = Self.devices.randomElement(using: &random)!
        if isForgetting, isChosen(3) { return forgetting(device) }
        switch Int.random(in: 0..<40, using: &random) {
        case 0...2: return .edit([.save(fence())])
        case 3:
            return .edit([
                .save(fence()), .save(fence()),
                .save(fence()),
            ])
        case 4: return .edit([.remove(id: "f\(Int.random(in: 1...8, using: &random))")])
        case 5...6:
            var saved = Device(
                id: device, groups: Bool.random(using: &random) ? ["odd"] : [],
                policy: PolicyOverride(base: DecisionPolicy.Name.allCases.randomElement(using: &random)!),
                silentAfter: Bool.random(using: &random) ? 1200 : 6 * 3600, keepPositions: isChosen(4) ? 0 : nil)
            guard hasDefaults else { return .saveDevice(saved) }
            if isChosen(2) { saved.groups.append("even") }
            if isChosen(3) { saved.own.policy = nil }
            if isChosen(3) { saved.own.silentAfter = nil }
            return .saveDevice(saved)
        case 7: return isChosen(2) ? .erase(device: device) : .remove(device: device)
        case 8...11: return .deadlines(limit: .random(in: 1...4, using: &random))
        case 12: return .signOfLife(device: device)
        case 13...14:
            return .report(
                device: device, geofence: "f\(Int.random(in: 1...8, using: &random))", isInside: .random(using: &random))
        case 15: return .trim(keeping: [600.0, 7200].randomElement(using: &random)!)
        case 16...17: return .replayLate
        case 18: return rule()
        case 19 where hasDefaults:
            return .defaults(defaults(), group: ["", "odd", "even", "even"].randomElement(using: &random)!)
        default:
            return .positions(
                positions(),
                isChosen(25) ? PolicyOverride(base: DecisionPolicy.Name.allCases.randomElement(using: &random)!) : nil)
        }
    }

    /// An input that forgets positions, or that evaluates those that are left.
    private mutating func forgetting(_ id: String) -> Input {
        switch Int.random(in: 0..<12, using: &random) {
        case 0...2:
            return .removePositions(
                device: id, seconds: [30.0, 600, 3000, 86_400].randomElement(using: &random)!,
                limit: isChosen(3) ? .random(in: 1...3, using: &random) : nil)
        case 3...5:
            return .saveDevice(
                Device(
                    id: id, policy: PolicyOverride(base: .exact),
                    keepPositions: [0, 300, 2000, .infinity, nil].randomElement(using: &random)!))
        case 6: return .trim(keeping: [600.0, 7200].randomElement(using: &random)!)
        case 7: return .replay(device: id)
        case 8...9: return .replayStep(limit: .random(in: 1...20, using: &random))
        case 10: return .correctPast(device: id)
        default: return .restart
        }
    }

    private mutating func defaults() -> DeviceDefaults {
        DeviceDefaults(
            silentAfter: [nil, 900, 3600].randomElement(using: &random)!,
            policy: isChosen(2) ? nil : PolicyOverride(base: DecisionPolicy.Name.allCases.randomElement(using: &random)!),
            keepPositions: isChosen(6) ? 0 : nil)
    }

    private mutating func fence() -> Geofence { .random(along: Self.home, &random) }

    private mutating func rule() -> Input {
        let id = "rule-\(Int.random(in: 1...3, using: &random))"
        if isChosen(4) { return .removeRule(id: id) }
        let subject = isChosen(2) ? (key: "group", name: "odd") : (key: "deviceId", name: Self.devices[0])
        let json = JSONValue.compact([
            ("id", .string(id)),
            isChosen(3) ? ("label", "even") : ("geofenceId", .string("f\(Int.random(in: 1...8, using: &random))")),
            ("timeZone", "Europe/Berlin"), ("kind", "staysAtMost"),
            ("duration", JSONValue(Int.random(in: 2...20, using: &random) * 60)), (subject.key, .string(subject.name)),
        ])
        return isChosen(3) ? .changeRule(json, id: id) : .makeRule(json)
    }

    /// Positions of some devices: walks, stays and outliers; coarse, late, repeated and invalid ones. Their delay against the clock is
    /// zero, or a number of seconds that is stored exactly.
    private mutating func positions() -> FixBatch {
        var batch = FixBatch()
        for line in 0..<Int.random(in: 1...6, using: &random) {
            let number = Int.random(in: 0..<Self.devices.count, using: &random)
            let device = batch.number(ofDevice: Self.devices[number])
            if var repeated = newest[number], isChosen(15) {
                repeated.device = device
                batch.rows.append(repeated)
                continue
            }
            if !isChosen(3) { places[number] += Double.random(in: -200...200, using: &random) }
            places[number] = max(-900, min(900, places[number]))
            let isWild = isChosen(40)
            let age = isChosen(12) ? 1000.0 : isChosen(8) ? 180_000 : isChosen(4) ? 100 : 0
            let fix = Fix(
                time: now + -age, coordinate: Self.home.north(places[number] + (isWild ? 900_000 : 0)),
                accuracy: [nil, 5, 12.34, 40, 300].randomElement(using: &random)!, speed: isChosen(2) ? 2.1 : nil)
            let row = FixBatch.Row(fix: fix, device: device, line: line, isValid: !isChosen(25))
            newest[number] = row
            batch.rows.append(row)
        }
        return batch
    }
}

extension Event {
    /// The event as text, without the parts of an unconfirmed fix that are not stored: speed and course.
    package var word: String {
        var event = self
        event.fix = Fix(time: fix.time, coordinate: fix.coordinate, accuracy: fix.accuracy)
        return String(describing: event)
    }
}

extension ServiceWriter {
    /// Applies an input. Returns the events, or the problem, as text.
    package func apply(_ input: RecordedHistory.Input, at now: Instant) throws(Problem) -> [String] {
        do {
            return try events(of: input, at: now).map(\.word)
        } catch {
            if error.concernsStore { throw error }
            return [error.code]
        }
    }

    private func events(of input: RecordedHistory.Input, at now: Instant) throws(Problem) -> [Event] {
        switch input {
        case .positions(let batch, let policy): return try accept(batch, policy: policy).events
        case .edit(let edits): return try apply(edits)
        case .saveDevice(let device): return try save(device)
        case .defaults(let defaults, ""): return try saveGeneralDefaults(defaults)
        case .defaults(let defaults, let group):
            let nothing = DeviceDefaults.fields.map { JSONValue.Member($0.name, .null) }
            let patch = JSONValue.object(nothing.map { .init($0.name, defaults.json[$0.name] ?? .null) })
            return Array(try patchGroup(group, with: patch).events)
        case .remove(let id): return try removeDevice(id: id)
        case .erase(let id): _ = try eraseRecords(ofDevice: id, rewriting: false)
        case .deadlines(let limit):
            var events: [Event] = []
            while let next = try nextDeadline(), next < now { events += try fireDeadlines(upTo: now, limit: limit) }
            return events
        case .signOfLife(let id): return try recordSignOfLife(deviceId: id, at: now)
        case .report(let id, let geofence, let isInside):
            return try transaction { (transaction: borrowing Transaction) throws(Problem) in
                guard let key = try store.geofence(id: geofence)?.key, let deviceIndex = try deviceIndex(of: id) else {
                    return []
                }
                return try apply(.report(key, isInside: isInside, at: now), toDeviceAt: deviceIndex, in: transaction)
            }
        case .trim(let seconds): try trimPositions(keeping: seconds, now: now)
        case .replayLate:
            var events: [Event] = []
            _ = try replayLate(all: true) { events += $0 }
            return events
        case .makeRule(let json): _ = try createRule(json)
        case .changeRule(let json, let id): _ = try saveRule(json, id: id)
        case .removeRule(let id): try removePresenceRule(id: id)
        case .removePositions(let id, let seconds, nil): _ = try removePositions(ofDevice: id, since: now + -seconds)
        case .removePositions(let id, let seconds, let limit?):
            var job = PositionRemovalJob(ofDevice: id, since: now + -seconds, limit: limit)
            _ = try job.step(self)
        case .replay(let id): _ = try replay(device: id, since: nil) { _ in }
        case .replayStep(let limit): return try replayLate(at: nil, limit: limit).done?.events ?? []
        case .correctPast(let id): _ = try correctPast(PastCorrection(device: id))
        case .restart: try forget()
        }
        return []
    }
}
