import Geodesy
import Model
import Monitor
import SQLite

extension RegionStore {
    /// What the engine last knew of a device, or a blank state if nothing.
    ///
    /// - Parameter policy: The policy over which the device's own is laid.
    public func state(of stored: StoredDevice, policy: DecisionPolicy) throws(Problem) -> DeviceState {
        try settle(stored.key)
        return try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                SELECT time, latitude, longitude, accuracy, altitude, speed, course, battery, deadline, heard_at, is_silent,
                reached, lag, \(Self.suspectColumns), stay_since, stay_latitude, stay_longitude, stay_variance, stay_degree,
                stay_settled, reported_at FROM device_state WHERE device = ?
                """)
            defer { row.reset() }
            row.bind(1, stored.key.value)
            guard try row.step() else { return DeviceState(device: stored.device, policy: policy) }
            return DeviceState(
                device: stored.device, policy: policy, newest: fix(row, from: 0), presences: try presences(of: stored.key),
                due: row.optionalInt64(8).map(Instant.init(milliseconds:)),
                heardAt: row.optionalInt64(9).map(Instant.init(milliseconds:)), isSilent: row.bool(10),
                reached: row.optionalInt64(11).map(Instant.init(milliseconds:)),
                reportedAt: row.optionalInt64(27).map(Instant.init(milliseconds:)), lag: row.optionalDouble(12) ?? 0,
                suspect: row.isNull(13) ? nil : fix(row, from: 13), stay: stay(row, from: 21))
        }
    }

    /// Stores what has changed of a device's state since it was last stored.
    ///
    /// - Parameters:
    ///   - applied: The newest input that is in it, by its number.
    ///   - all: Whether every presence is stored, whether it has changed or not.
    public func save(
        _ state: inout DeviceState, of device: DeviceKey, applied: Int64, all: Bool = false
    ) throws(Problem) {
        guard let newest = state.newest else { return }
        let changed = state.takeChanges()
        let changes = all ? state.presences.map(\.fence) : changed
        let current = state
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                INSERT OR REPLACE INTO device_state
                (device, time, latitude, longitude, accuracy, altitude, speed, course, battery, deadline, heard_at, is_silent,
                reached, lag, \(Self.suspectColumns), stay_since, stay_latitude, stay_longitude, stay_variance, stay_degree,
                stay_settled, reported_at, applied) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
                """)
            row.bind(1, device.value)
            bind(newest, to: row, from: 2)
            row.bind(10, current.due?.milliseconds)
            row.bind(11, current.heardAt == current.seenAt ? nil : current.heardAt?.milliseconds)
            row.bind(12, current.isSilent ? 1 : nil as Int64?)
            row.bind(13, current.reached?.milliseconds)
            // What a network delays is not worth its room.
            row.bind(14, current.lag > 60 ? current.lag.rounded() : nil)
            if let suspect = current.suspect { bind(suspect, to: row, from: 15) }
            bind(current.stay, to: row, from: 23)
            row.bind(29, current.reportedAt?.milliseconds)
            row.bind(30, applied)
            try row.run()
            for fence in changes {
                if let presence = current.presence(fence) {
                    try save(presence, of: device)
                } else {
                    let delete = try connection.statement("DELETE FROM presence WHERE device = ? AND geofence = ?")
                    delete.bind(1, device.value)
                    delete.bind(2, fence.value)
                    try delete.run()
                }
            }
        }
    }

    /// As `bind(_:to:from:)` orders them.
    static let suspectColumns = """
        suspect_time, suspect_latitude, suspect_longitude, suspect_accuracy, suspect_altitude, suspect_speed, suspect_course,
        suspect_battery
        """

    /// Calls `body` with each device that will have something to tell without a fix, and the moment; see `DeviceState.deadline`.
    public func forEachDeadline(_ body: (DeviceKey, Instant) -> Void) throws(Problem) {
        try settle()
        return try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                """
                SELECT device, deadline, is_silent, \(Self.heardAt), silent_after, ifnull(lag, 0)
                FROM device_state JOIN device ON device.key = device_state.device
                """)
            defer { row.reset() }
            while try row.step() {
                let due = row.optionalInt64(1).map(Instant.init(milliseconds:))
                let silence = row.bool(2) ? nil : Instant(milliseconds: row.int64(3)) + row.double(4)
                guard let deadline = due.map({ due in silence.map { min($0, due) } ?? due }) ?? silence else { continue }
                body(DeviceKey(row.int64(0)), deadline + row.double(5))
            }
        }
    }

    private func save(_ presence: FenceState, of device: DeviceKey) throws(SQLiteError) {
        let row = try connection.statement("INSERT OR REPLACE INTO presence VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)")
        row.bind(1, device.value)
        row.bind(2, presence.fence.value)
        row.bind(3, presence.phase.rawValue)
        if let visit = presence.visit {
            row.bind(4, visit.enteredAt.milliseconds)
            row.bind(5, visit.cause.rawValue)
            row.bind(6, visit.hasDwelt)
        }
        if let pending = presence.pending {
            row.bind(7, pending.count)
            bind(sighting: pending.fix, to: row, from: 8)
            row.bind(12, pending.crossedAt?.milliseconds)
            row.bind(13, pending.leftAt?.milliseconds)
            bind(sighting: pending.before, to: row, from: 14)
        }
        try row.run()
    }

    private func presences(of device: DeviceKey) throws(SQLiteError) -> [FenceState] {
        let row = try connection.statement("SELECT * FROM presence WHERE device = ?")
        defer { row.reset() }
        row.bind(1, device.value)
        var found: [FenceState] = []
        while try row.step() { found.append(presence(row)) }
        return found
    }

    private func presence(_ row: Statement) -> FenceState {
        let visit = row.optionalInt64(3).map {
            OpenVisit(
                enteredAt: Instant(milliseconds: $0), cause: Cause(rawValue: row.text(4)) ?? .moved, hasDwelt: row.bool(5))
        }
        let pending = sighting(row, from: 7).map { fix in
            FenceState.Pending(
                fix: fix, count: row.int(6), crossedAt: row.optionalInt64(11).map(Instant.init(milliseconds:)),
                leftAt: row.optionalInt64(12).map(Instant.init(milliseconds:)), before: sighting(row, from: 13))
        }
        return FenceState(
            fence: FenceKey(Int32(truncatingIfNeeded: row.int(1))), phase: FenceState.Phase(rawValue: row.int(2)) ?? .unknown,
            pending: pending, visit: visit)
    }

    /// Binds a stay, or nothing: six values.
    private func bind(_ stay: StayPoint?, to row: Statement, from index: Int32) {
        guard let stay else { return }
        row.bind(index, stay.since.milliseconds)
        row.bind(index + 1, stay.place.latitude)
        row.bind(index + 2, stay.place.longitude)
        row.bind(index + 3, stay.variance)
        row.bind(index + 4, stay.degree)
        row.bind(index + 5, stay.isSettled)
    }

    /// Reads what `bind(_:to:from:)` wrote.
    private func stay(_ row: Statement, from column: Int32) -> StayPoint? {
        row.optionalInt64(column).map { since in
            StayPoint(
                place: row.coordinate(column + 1),
                variance: row.double(column + 3), since: Instant(milliseconds: since), degree: row.double(column + 4),
                isSettled: row.bool(column + 5))
        }
    }

    /// Binds time, place and accuracy, or nothing: four values.
    private func bind(sighting fix: Fix?, to row: Statement, from index: Int32) {
        guard let fix else { return }
        row.bind(index, fix.time.milliseconds)
        row.bind(index + 1, fix.coordinate.latitude)
        row.bind(index + 2, fix.coordinate.longitude)
        row.bind(index + 3, fix.accuracy)
    }

    /// Reads what `bind(sighting:to:from:)` wrote.
    private func sighting(_ row: Statement, from column: Int32) -> Fix? {
        row.optionalInt64(column).map { time in
            Fix(
                time: Instant(milliseconds: time),
                coordinate: row.coordinate(column + 1),
                accuracy: row.optionalDouble(column + 3))
        }
    }

    /// The devices that have to do with some fences, or whose newest fix may lie in one of some boxes by its accuracy, or no further
    /// outside than a policy allows; by id.
    ///
    /// - Parameters:
    ///   - ground: Where the newest fix of a device may lie.
    ///   - others: Devices that are passed over.
    /// - Complexity: O(devices), some tenths of a microsecond each; with many fences all devices are given.
    public func devices(
        concernedWith fences: Set<FenceKey>, on ground: ConcernedGround, except others: Set<DeviceKey>
    ) throws(Problem) -> [StoredDevice] {
        if fences.count > Self.manyFences { return try devices().filter { !others.contains($0.key) } }
        return try attemptAny {
            var keys: Set<Int64> = []
            let present = try connection.statement("SELECT device FROM presence WHERE geofence = ?")
            for fence in fences {
                present.reset()
                present.bind(1, fence.value)
                while try present.step() { keys.insert(present.int64(0)) }
            }
            let special = try connection.freshStatement(
                "SELECT key FROM device WHERE instr(policy, 'exitMargin') AND NOT removed")
            while try special.step() { keys.insert(special.int64(0)) }
            let row = try connection.freshStatement(
                """
                SELECT device, latitude, longitude, accuracy, stay_since, stay_latitude, stay_longitude, stay_variance, stay_degree,
                stay_settled FROM device_state
                """)
            while try !ground.isEmpty && row.step() {
                let place = row.coordinate(1)
                let stay = stay(row, from: 4)
                if ground.mayHold(place, accuracy: row.optionalDouble(3) ?? 0)
                    || stay.map({ $0.isSettled && ground.mayHold($0.place, accuracy: $0.accuracy) }) ?? false
                {
                    keys.insert(row.int64(0))
                }
            }
            var found: [StoredDevice] = []
            for key in keys where !others.contains(DeviceKey(key)) {
                if let stored = try device(key: DeviceKey(key)) { found.append(stored) }
            }
            return found.sorted { $0.device.id < $1.device.id }
        }
    }

    /// Of more geofences than these, all devices are asked.
    public static let manyFences = 64

    // MARK: - Who is where

    /// One line of `picket status`: a device, and the fences that it is in.
    public struct DeviceStatus: Sendable {
        public var device: Device
        /// Nil when nothing was heard of the device yet.
        public var newest: Fix?
        /// Whether that is not believed before the next one agrees with it.
        public var isDoubted: Bool
        /// The newest one that is not doubted; nil for none.
        public var believed: Fix?
        /// Its visits to the fences that it is in, by the fence's id. Without `seenSeconds` where these are not asked for.
        public var inside: [Visit]
        /// The last sign of life of a device whose silence was told; else nil.
        public var silentSince: Instant?

        public init(
            device: Device, newest: Fix?, isDoubted: Bool = false, believed: Fix? = nil, inside: [Visit],
            silentSince: Instant? = nil
        ) {
            self.device = device
            self.newest = newest
            self.isDoubted = isDoubted
            self.believed = believed
            self.inside = inside
            self.silentSince = silentSince
        }
    }

    /// Every device, by id, with the fences that it is in.
    ///
    /// - Parameters:
    ///   - deviceId: Only this device.
    ///   - geofenceId: Only devices in this fence.
    ///   - isCounting: Whether it is told for how long they were seen in the fences that they are in.
    ///   - now: The moment of the question.
    public func whereabouts(
        deviceId: String? = nil, geofenceId: String? = nil, counting isCounting: Bool, at now: Instant
    ) throws(Problem) -> [DeviceStatus] {
        try settle()
        var found: [DeviceStatus] = []
        let wanted = try devices().filter { deviceId == nil || $0.device.id == deviceId }
        let sightings = isCounting ? try Sightings(self, of: deviceId == nil ? nil : wanted.first?.key) : nil
        for stored in wanted {
            let whereabouts = try whereabouts(of: stored, at: now, sightings)
            if let geofenceId, !whereabouts.inside.contains(where: { $0.geofenceId == geofenceId }) { continue }
            found.append(whereabouts)
        }
        return found
    }
}
