import Geodesy
import Model
import Monitor
import SQLite

extension PicketStore {
    /// The engine's state of a device right before it evaluated a fix. A replay can begin from a checkpoint.
    package struct Checkpoint: Sendable {
        /// The time of the state's newest fix. The state includes every fix of the device up to this time, apart from late ones. All
        /// transitions up to this time are confirmed, and no deadline up to this time is open.
        package var time: Instant
        /// The revision of the geofences.
        var revision: Int64
        /// The transitions after the checkpoint have events with greater sequence numbers.
        package var sequence: Int64
        /// The number of the first entry of the input log that the state does not include.
        package var next: Int64
        package var state: DeviceState

        package init(time: Instant, revision: Int64, sequence: Int64, next: Int64, state: DeviceState) {
            self.time = time
            self.revision = revision
            self.sequence = sequence
            self.next = next
            self.state = state
        }
    }

    /// Stores a checkpoint. An existing checkpoint of the same device and time is replaced.
    package func saveCheckpoint(
        _ checkpoint: Checkpoint, of device: DeviceKey, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute(
            "INSERT OR REPLACE INTO checkpoint VALUES (?,?,?,?,?,?)", device.value, checkpoint.time.milliseconds,
            checkpoint.revision, checkpoint.sequence, StateText.json(checkpoint.state).description, checkpoint.next,
            in: transaction)
    }

    /// The newest checkpoint of a device before a moment; nil if there is none.
    ///
    /// - Parameters:
    ///   - settings: The history of the device's settings; see `settingsHistory(of:)`.
    ///   - policy: The policy of the store.
    /// - Throws: `Problem` if the store cannot be read or the checkpoint is damaged.
    package func checkpoint(
        of device: DeviceKey, before moment: Instant, settings: DeviceSettingsHistory, policy: DecisionPolicy
    ) throws(Problem) -> Checkpoint? {
        let row = try firstRow(
            """
            SELECT \(CheckpointRow.columns) FROM checkpoint WHERE device = ? AND time < ? ORDER BY time DESC LIMIT 1
            """, device.value, moment.milliseconds, as: CheckpointRow.self)
        guard let row else { return nil }
        let deviceThen = settings.device(settings.index(before: row.next))
        guard let state = StateText.state(try json(row.state), of: deviceThen, policy: policy)
        else { throw damaged("a checkpoint of device number \(device.value)") }
        return Checkpoint(time: row.time, revision: row.revision, sequence: row.sequence, next: row.next, state: state)
    }

    private struct CheckpointRow: Row {
        static let columns = "time, revision, sequence, state, next"

        var time: Instant
        var revision: Int64
        var sequence: Int64
        /// The state as JSON; see `StateText`.
        var state: String
        var next: Int64

        init(_ row: inout ColumnReader) {
            time = row.next()
            revision = row.next()
            sequence = row.next()
            state = row.next()
            next = row.next()
        }
    }

    /// The time of a device's newest checkpoint; nil if there is none.
    package func newestCheckpoint(of device: DeviceKey) throws(Problem) -> Instant? {
        try firstValue("SELECT max(time) FROM checkpoint WHERE device = ?", device.value, as: Instant.self)
    }

    /// The time of a device's oldest checkpoint; nil if there is none.
    package func oldestCheckpoint(of device: DeviceKey) throws(Problem) -> Instant? {
        try firstValue("SELECT min(time) FROM checkpoint WHERE device = ?", device.value, as: Instant.self)
    }

    /// Removes the checkpoints of a device whose time is after a moment.
    package func removeCheckpoints(
        of device: DeviceKey, after moment: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        try execute("DELETE FROM checkpoint WHERE device = ? AND time > ?", device.value, moment.milliseconds, in: transaction)
    }
}

/// The compact JSON form of a device's state: all that the engine stores of the state, without the device itself.
enum StateText {
    static func json(_ state: DeviceState) -> JSONValue {
        .compact([
            ("fix", state.newest.map(list)),
            ("due", state.fenceDeadline.map(number)),
            ("heard", state.lastHeard.map(number)),
            ("silent", state.isSilent ? true : nil),
            ("reached", state.deadlinesFiredBefore.map(number)),
            ("reported", state.lastReport.map(number)),
            ("lag", state.lag > 0 ? JSONValue(state.lag) : nil),
            ("suspect", state.outlierCandidate.map(list)),
            ("stay", state.stay.map(json)),
            ("at", .array(state.fenceStates.map(json))),
        ])
    }

    private static func json(_ presence: FenceState) -> JSONValue {
        .compact([
            ("fence", JSONValue(Int(presence.fence.value))),
            ("phase", JSONValue(presence.phase.rawValue)),
            ("since", presence.visit.map { number($0.enteredAt) }),
            ("cause", presence.visit.map { .string($0.cause.rawValue) }),
            ("dwelt", presence.visit.flatMap { $0.hasDwelt ? true : nil }),
            ("fix", presence.pending.map { list($0.fix) }),
            ("count", presence.pending.map { JSONValue($0.count) }),
            ("crossed", presence.pending?.crossedAt.map(number)),
            ("left", presence.pending?.leftAt.map(number)),
            ("before", presence.pending?.before.map(list)),
        ])
    }

    private static func json(_ stay: StayPoint) -> JSONValue {
        .array([
            number(stay.since), JSONValue(stay.place.latitude), JSONValue(stay.place.longitude), JSONValue(stay.variance),
            JSONValue(stay.metersPerDegree), JSONValue(stay.isSettled ? 1 : 0), number(stay.last),
        ])
    }

    private static func number(_ moment: Instant) -> JSONValue { .number(String(moment.milliseconds)) }

    /// Time, coordinate and measurements, in the order of `PicketStore.bind(_:to:from:)`. Missing values at the end are left out.
    private static func list(_ fix: Fix) -> JSONValue {
        var list = [number(fix.time), JSONValue(fix.coordinate.latitude), JSONValue(fix.coordinate.longitude)]
        list += [fix.accuracy, fix.altitude, fix.speed, fix.course, fix.battery].map { $0.map { JSONValue($0) } ?? .null }
        while list.last == .null { list.removeLast() }
        return .array(list)
    }

    /// The state that JSON describes; nil if the JSON is not of that form.
    static func state(_ json: JSONValue, of device: Device, policy: DecisionPolicy) -> DeviceState? {
        guard let newest = json["fix"].flatMap(fix) else { return nil }
        var presences: [FenceState] = []
        for element in json["at"]?.array ?? [] {
            guard let presence = presence(element) else { return nil }
            presences.append(presence)
        }
        return DeviceState(
            device: device, policy: policy, newest: newest, fenceStates: presences, fenceDeadline: moment(json["due"]),
            lastHeard: moment(json["heard"]), isSilent: json["silent"]?.bool ?? false,
            deadlinesFiredBefore: moment(json["reached"]),
            lastReport: moment(json["reported"]), lag: json["lag"]?.double ?? 0, outlierCandidate: json["suspect"].flatMap(fix),
            stay: json["stay"].flatMap(stay))
    }

    private static func presence(_ json: JSONValue) -> FenceState? {
        guard let key = json["fence"]?.double.flatMap(Int32.init(exactly:)),
            let phase = json["phase"]?.double.flatMap(Int.init(exactly:)).flatMap(FenceState.Phase.init(rawValue:))
        else { return nil }
        var presence = FenceState(fence: FenceKey(key), phase: phase)
        if let enteredAt = moment(json["since"]) {
            guard let cause = json["cause"]?.string.flatMap(Cause.init(rawValue:)) else { return nil }
            presence.visit = OpenVisit(enteredAt: enteredAt, cause: cause, hasDwelt: json["dwelt"]?.bool ?? false)
        }
        if let shown = json["fix"] {
            guard let fix = fix(shown), let count = json["count"]?.double.flatMap(Int.init(exactly:)) else { return nil }
            presence.pending = FenceState.Pending(
                fix: fix, count: count, crossedAt: moment(json["crossed"]), leftAt: moment(json["left"]),
                before: json["before"].flatMap(self.fix))
        }
        return presence
    }

    private static func stay(_ json: JSONValue) -> StayPoint? {
        guard let list = json.array, list.count == 7, let since = moment(list[0]), let last = moment(list[6]) else { return nil }
        let values = list.dropFirst().compactMap(\.double)
        guard values.count == 6 else { return nil }
        return StayPoint(
            place: Coordinate(latitude: values[0], longitude: values[1]), variance: values[2], since: since,
            metersPerDegree: values[3], isSettled: values[4] == 1, last: last)
    }

    private static func moment(_ json: JSONValue?) -> Instant? {
        json?.double.flatMap(Int64.init(exactly:)).map(Instant.init(milliseconds:))
    }

    private static func fix(_ json: JSONValue) -> Fix? {
        guard let list = json.array, list.count >= 3, list.count <= 8, let time = moment(list[0]),
            let latitude = list[1].double, let longitude = list[2].double
        else { return nil }
        func value(_ index: Int) -> Double? { index < list.count ? list[index].double : nil }
        return Fix(
            time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude), accuracy: value(3),
            altitude: value(4), speed: value(5), course: value(6), battery: value(7))
    }
}
