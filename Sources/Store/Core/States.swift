import DatabaseProblems
import Geodesy
import Model
import Monitor
import SQLite

extension PicketStore {
    /// The stored state of a device; a blank state if none is stored. For a device that starts again, fixes before the start are late; see
    /// `saveRestart(of:at:)`.
    ///
    /// - Parameter policy: The policy of the store, which the device's own policy overrides.
    package func state(of stored: StoredDevice, policy: DecisionPolicy) throws(Problem) -> DeviceState {
        try writePendingStates(of: stored.key)
        return try attempt { () throws(SQLiteError) in
            let statement = try statement("SELECT \(StateRow.columns) FROM device_state WHERE device = ?")
            statement.bind(1, stored.key.value)
            guard let row = try statement.first(StateRow.self) else {
                let restart: Int64 = try setting(Self.restartSetting(stored.key))
                return DeviceState(
                    device: stored.device, policy: policy,
                    deadlinesFiredBefore: restart == 0 ? nil : Instant(milliseconds: restart))
            }
            return DeviceState(
                device: stored.device, policy: policy, newest: row.newest, fenceStates: try presences(of: stored.key),
                fenceDeadline: row.due,
                lastHeard: row.heardAt, isSilent: row.isSilent, deadlinesFiredBefore: row.reached, lastReport: row.reportedAt,
                lag: row.lag,
                outlierCandidate: row.suspect, stay: row.stay)
        }
    }

    private struct StateRow: Row {
        static let columns =
            "\(Fix.columns), deadline, heard_at, is_silent, reached, lag, \(PicketStore.suspectColumns), \(StayPoint.columns), reported_at"

        var newest: Fix
        var due: Instant?
        var heardAt: Instant?
        var isSilent: Bool
        var reached: Instant?
        /// 0 if the column is NULL.
        var lag: Double
        var suspect: Fix?
        var stay: StayPoint?
        var reportedAt: Instant?

        init(_ row: inout ColumnReader) {
            newest = row.next()
            due = row.next()
            heardAt = row.next()
            isSilent = row.next()
            reached = row.next()
            lag = row.next()
            suspect = row.nextUnlessNull()
            stay = row.nextUnlessNull()
            reportedAt = row.next()
        }
    }

    /// Stores what has changed in a device's state since it was last stored.
    ///
    /// - Parameters:
    ///   - applied: The number of the newest input that the state includes.
    ///   - all: Whether the states of all geofences are stored, not only the changed ones.
    package func save(
        _ state: inout DeviceState, of device: DeviceKey, applied: Int64, all: Bool = false, in transaction: borrowing Transaction
    ) throws(Problem) {
        healthChanged?(device)
        guard let newest = state.newest else { return }
        let changed = state.takeChanges()
        let changes = all ? state.fenceStates.map(\.fence) : changed
        let current = state
        try attempt { () throws(SQLiteError) in
            let row = try statement(
                """
                INSERT OR REPLACE INTO device_state
                (device, \(StateRow.columns), applied) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)
                """, in: transaction)
            row.bind(1, device.value)
            bind(newest, to: row, from: 2)
            row.bind(10, current.fenceDeadline?.milliseconds)
            row.bind(11, current.lastHeard == current.newestFixTime ? nil : current.lastHeard?.milliseconds)
            row.bind(12, current.isSilent ? 1 : nil as Int64?)
            row.bind(13, current.deadlinesFiredBefore?.milliseconds)
            // A lag of up to a minute is a usual network delay and is not stored.
            row.bind(14, current.lag > 60 ? current.lag.rounded() : nil)
            if let suspect = current.outlierCandidate { bind(suspect, to: row, from: 15) }
            bind(current.stay, to: row, from: 23)
            row.bind(30, current.lastReport?.milliseconds)
            row.bind(31, applied)
            try row.run()
            for fence in changes {
                if let presence = current.fenceState(of: fence) {
                    try save(presence, of: device, in: transaction)
                } else {
                    let delete = try statement("DELETE FROM presence WHERE device = ? AND geofence = ?", in: transaction)
                    delete.bind(1, device.value)
                    delete.bind(2, fence.value)
                    try delete.run()
                }
            }
        }
    }

    private static let suspectColumns = Fix.columns(after: "suspect_")

    private func save(_ presence: FenceState, of device: DeviceKey, in transaction: borrowing Transaction) throws(SQLiteError) {
        let row = try statement("INSERT OR REPLACE INTO presence VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)", in: transaction)
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
            bind(pendingFix: pending.fix, to: row, from: 8)
            row.bind(12, pending.crossedAt?.milliseconds)
            row.bind(13, pending.leftAt?.milliseconds)
            bind(pendingFix: pending.before, to: row, from: 14)
        }
        try row.run()
    }

    private func presences(of device: DeviceKey) throws(SQLiteError) -> [FenceState] {
        let row = try statement("SELECT \(PresenceRow.columns) FROM presence WHERE device = ?")
        row.bind(1, device.value)
        return try row.all(PresenceRow.self).map(\.state)
    }

    private struct PresenceRow: Row {
        static let columns = """
            geofence, phase, entered_at, enter_cause, has_dwelt, pending_count, \(PlacedFix.columns(after: "pending_")),
            pending_crossed_at, pending_left_at, \(PlacedFix.columns(after: "before_"))
            """

        var state: FenceState

        init(_ row: inout ColumnReader) {
            state = FenceState(fence: row.next(), phase: FenceState.Phase(rawValue: row.next()) ?? .unknown)
            let enteredAt: Instant? = row.next()
            let (cause, hasDwelt): (String, Bool) = (row.next(), row.next())
            state.visit = enteredAt.map {
                OpenVisit(enteredAt: $0, cause: Cause(rawValue: cause) ?? .moved, hasDwelt: hasDwelt)
            }
            let count: Int = row.next()
            let fix: PlacedFix? = row.nextUnlessNull()
            let (crossedAt, leftAt): (Instant?, Instant?) = (row.next(), row.next())
            let before: PlacedFix? = row.nextUnlessNull()
            state.pending = fix.map {
                FenceState.Pending(fix: $0.fix, count: count, crossedAt: crossedAt, leftAt: leftAt, before: before?.fix)
            }
        }
    }

    /// Binds the seven values of a stay point, or nothing for nil.
    private func bind(_ stay: StayPoint?, to row: Statement, from index: Int32) {
        guard let stay else { return }
        row.bind(index, stay.since.milliseconds)
        row.bind(index + 1, stay.place.latitude)
        row.bind(index + 2, stay.place.longitude)
        row.bind(index + 3, stay.variance)
        row.bind(index + 4, stay.metersPerDegree)
        row.bind(index + 5, stay.isSettled)
        row.bind(index + 6, stay.last.milliseconds)
    }

    /// Binds the time, coordinate and accuracy of a fix (four values), or nothing for nil.
    private func bind(pendingFix fix: Fix?, to row: Statement, from index: Int32) {
        guard let fix else { return }
        row.bind(index, fix.time.milliseconds)
        row.bind(index + 1, fix.coordinate.latitude)
        row.bind(index + 2, fix.coordinate.longitude)
        row.bind(index + 3, fix.accuracy)
    }

    /// The devices that a change of some geofences affects, ordered by id: those with a stored state for one of them, those with
    /// their own exit margin, and those whose newest fix or stay point may lie in the affected area.
    ///
    /// - Parameters:
    ///   - ground: The affected area.
    ///   - others: Devices to leave out.
    /// - Complexity: O(devices), a few tenths of a microsecond each. For more than `allDevicesThreshold` geofences all devices
    ///   are returned.
    package func devices(
        affectedBy fences: Set<FenceKey>, in ground: AffectedArea, except others: Set<DeviceKey>
    ) throws(Problem) -> [StoredDevice] {
        if fences.count > Self.allDevicesThreshold { return try devices().filter { !others.contains($0.key) } }
        return try Problem.catching(at: path) {
            var keys: Set<Int64> = []
            let present = try statement("SELECT device FROM presence WHERE geofence = ?")
            for fence in fences {
                present.bind(1, fence.value)
                keys.formUnion(try present.values(Int64.self))
            }
            let special = try uncachedStatement(
                "SELECT key FROM device WHERE instr(policy, 'exitMargin') AND NOT removed")
            keys.formUnion(try special.values(Int64.self))
            let row = try uncachedStatement("SELECT \(GroundRow.columns) FROM device_state")
            while !ground.isEmpty, let next = try row.next(GroundRow.self) {
                if ground.mayContain(next.place, accuracy: next.accuracy)
                    || next.stay.map({ $0.isSettled && ground.mayContain($0.place, accuracy: $0.accuracy) }) ?? false
                {
                    keys.insert(next.device)
                }
            }
            var found: [StoredDevice] = []
            for key in keys where !others.contains(DeviceKey(key)) {
                if let stored = try device(key: DeviceKey(key)) { found.append(stored) }
            }
            return found.sorted { $0.device.id < $1.device.id }
        }
    }

    /// The columns of a state that contain the device's newest fix and stay point.
    private struct GroundRow: Row {
        static let columns = "device, \(Coordinate.columns), accuracy, \(StayPoint.columns)"

        var device: Int64
        var place: Coordinate
        /// 0 if the column is NULL, which means unknown.
        var accuracy: Double
        var stay: StayPoint?

        init(_ row: inout ColumnReader) {
            device = row.next()
            place = row.next()
            accuracy = row.next()
            stay = row.nextUnlessNull()
        }
    }

    /// If more geofences than this change, all devices count as affected.
    package static let allDevicesThreshold = 64
}

extension StayPoint: Row {
    /// In the order of `PicketStore.bind(_:to:from:)`.
    @usableFromInline package static let columns =
        "stay_since, stay_latitude, stay_longitude, stay_variance, stay_degree, stay_settled, stay_last"

    @usableFromInline package init(_ row: inout ColumnReader) {
        let since: Instant = row.next()
        self.init(
            place: row.next(), variance: row.next(), since: since, metersPerDegree: row.next(), isSettled: row.next(),
            last: row.next())
    }
}
