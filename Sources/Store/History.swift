import Geodesy
import Model
import Monitor
import SQLite

/// Reasons why a replay of a device's history may not lead to the same events, although the store has no flaw.
package struct ReplayGaps: OptionSet, Hashable, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The device's groups, policy or time until silence were changed after its first fix. Together with `olderStore`, the earlier rules
    /// are unknown.
    package static let rulesChanged = ReplayGaps(rawValue: 1)
    /// Positions of the device were removed or never stored.
    package static let positionsRemoved = ReplayGaps(rawValue: 2)
    /// The device was added by a version of Picket that did not record these reasons.
    package static let olderStore = ReplayGaps(rawValue: 4)
    /// Replays of late fixes have corrected earlier events.
    package static let corrected = ReplayGaps(rawValue: 8)
    /// The reasons for which a replay may lead to another result, with their names in JSON.
    package static let named: [(gap: ReplayGaps, name: String)] = [
        (.positionsRemoved, "positionsRemoved"), (.olderStore, "olderStore"),
    ]
}

extension RegionStore {
    // MARK: - Devices

    /// What a replay needs to know about a device apart from its fixes.
    package struct ReplayNotes: Sendable {
        package var gaps: ReplayGaps
        /// Events up to this sequence number are from before the device was removed and added again.
        package var after: Int64
    }

    /// The SQL expression for the time of a device's newest fix, also if the fix is an outlier candidate; see `DeviceState.seenAt`.
    static let seenAt = "max(time, ifnull(suspect_time, time))"
    /// The SQL expression for the time when the device was last heard of.
    static let heardAt = "ifnull(heard_at, \(seenAt))"

    /// The replay notes of all devices.
    package func replayNotes() throws(Problem) -> [DeviceKey: ReplayNotes] {
        try attempt { () throws(SQLiteError) in
            var notes: [DeviceKey: ReplayNotes] = [:]
            let row = try connection.freshStatement("SELECT key, gaps, replay_after FROM device WHERE NOT removed")
            while let (device, gaps, after) = try row.next(DeviceKey.self, Int.self, Int64.self) {
                notes[device] = ReplayNotes(gaps: ReplayGaps(rawValue: gaps), after: after)
            }
            let marked = try connection.freshStatement(
                """
                SELECT DISTINCT device FROM event
                WHERE (cause = 'corrected' OR type = 'retracted' AND cause <> 'rule') AND type <> 'missed'
                """)
            while let device = try marked.next(DeviceKey.self) { notes[device]?.gaps.insert(.corrected) }
            return notes
        }
    }

    /// Records reasons why a replay of a device may differ from now on.
    package func add(_ gaps: ReplayGaps, to device: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("UPDATE device SET gaps = gaps | ?1 WHERE key = ?2 AND gaps & ?1 <> ?1")
            row.bind(1, gaps.rawValue)
            row.bind(2, device.value)
            try row.run()
        }
    }

    // MARK: - Decisions

    /// A recorded enter, exit, dwell, silence or return, which a replay should reproduce.
    package struct RecordedDecision: Sendable {
        package var sequence: Int64
        /// The id of the event.
        package var id: String
        package var transition: Transition
        /// The revision of the geofences when the transition was decided.
        package var revision: Int64
        /// The sequence number of the event by which a replay retracted this one; nil if it was not retracted.
        package var retractedBy: Int64?
    }

    private static let decisions = """
        SELECT \(DecisionRow.columns)
        FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence
        WHERE o.device = ? AND o.sequence > ? AND type IN ('enter', 'exit', 'dwell', 'silent', 'returned') ORDER BY o.sequence
        """

    /// The device's first decision after a sequence number; nil if there is none.
    package func decision(of device: DeviceKey, after sequence: Int64) throws(Problem) -> RecordedDecision? {
        try settleEvents()
        let row = try attempt { () throws(SQLiteError) in
            let statement = try connection.statement(Self.decisions + " LIMIT 1")
            statement.bind(1, device.value)
            statement.bind(2, sequence)
            return try statement.first(DecisionRow.self)
        }
        return try row.map(decision)
    }

    /// The device's decisions after a sequence number, in order, including those that were retracted.
    package func decisions(of device: DeviceKey, after sequence: Int64) throws(Problem) -> [RecordedDecision] {
        try settleEvents()
        let row = try attempt { () throws(SQLiteError) in try connection.statement(Self.decisions) }
        defer { row.reset() }
        row.bind(1, device.value)
        row.bind(2, sequence)
        var found: [RecordedDecision] = []
        while let next = try next(DecisionRow.self, of: row) { found.append(try decision(next)) }
        return found
    }

    private func decision(_ row: DecisionRow) throws(Problem) -> RecordedDecision {
        guard let type = EventType(rawValue: row.type), let cause = Cause(rawValue: row.cause) else {
            throw damaged("event \(row.sequence) is of an unknown kind")
        }
        let isOfSilence = type == .silent || type == .returned
        let visit = isOfSilence ? nil : row.since.map { OpenVisit(enteredAt: $0, cause: row.enterCause) }
        return RecordedDecision(
            sequence: row.sequence, id: row.id,
            transition: Transition(
                type: type, fence: row.fence, occurredAt: row.occurredAt, confirmedAt: row.confirmedAt,
                crossedAt: row.crossedAt, cause: cause, inferred: row.inferred, fix: row.fix.fix, visit: visit,
                lastHeard: isOfSilence ? row.since : nil),
            revision: row.revision, retractedBy: row.retractedBy)
    }

    private struct DecisionRow: Row {
        static let columns = """
            e.sequence, type, geofence, revision, occurred_at, confirmed_at, crossed_at, cause, inferred,
            \(PlacedFix.columns(after: "fix_")), entered_at, enter_cause, id,
            (SELECT sequence FROM event r WHERE r.retracts = e.id)
            """

        var sequence: Int64
        var type: String
        var fence: FenceKey?
        var revision: Int64
        var occurredAt: Instant
        var confirmedAt: Instant
        var crossedAt: Instant?
        var cause: String
        var inferred: Bool
        var fix: PlacedFix
        /// When the device entered the geofence, or when a silent device was last heard of.
        var since: Instant?
        var enterCause: Cause
        var id: String
        var retractedBy: Int64?

        init(_ row: inout ColumnReader) {
            sequence = row.next()
            type = row.next()
            fence = row.next()
            revision = row.next()
            occurredAt = row.next()
            confirmedAt = row.next()
            crossedAt = row.next()
            cause = row.next()
            inferred = row.next()
            fix = row.next()
            since = row.next()
            enterCause = Cause(rawValue: row.next()) ?? .moved
            id = row.next()
            retractedBy = row.next()
        }
    }
}

/// The changes of the geofences in the revisions after a given one.
///
/// The changes are read one revision at a time, so that only the changes of one revision are in memory.
package final class FenceHistory {
    private let store: RegionStore
    private let starts: Statement
    private let ends: Statement
    private var nextStart: StartRow?
    private var nextEnd: EndRow?

    private struct StartRow: Row {
        static let columns = "\(GeofenceRow.columns), from_revision"

        var geofence: GeofenceRow
        var revision: Int64

        init(_ row: inout ColumnReader) {
            geofence = row.next()
            revision = row.next()
        }
    }

    private struct EndRow: Row {
        static let columns = "key, to_revision"

        var key: FenceKey
        var revision: Int64

        init(_ row: inout ColumnReader) {
            key = row.next()
            revision = row.next()
        }
    }

    init(_ store: RegionStore, after revision: Int64) throws(Problem) {
        self.store = store
        // A geofence that was added and removed within one revision never affected an evaluation.
        (starts, ends) = try store.attempt { () throws(SQLiteError) in
            (
                try store.connection.freshStatement(
                    """
                    SELECT \(StartRow.columns) FROM geofence
                    WHERE from_revision > ? AND (to_revision IS NULL OR to_revision > from_revision) ORDER BY from_revision, key
                    """),
                try store.connection.freshStatement(
                    """
                    SELECT \(EndRow.columns) FROM geofence
                    WHERE to_revision > ? AND to_revision > from_revision ORDER BY to_revision, key
                    """)
            )
        }
        for statement in [starts, ends] { statement.bind(1, revision) }
        nextStart = try store.next(StartRow.self, of: starts)
        nextEnd = try store.next(EndRow.self, of: ends)
    }

    /// The changes of a revision against the previous one: the versions that are new or changed, and the numbers of earlier geofences that
    /// were changed or removed. Revisions must be passed in ascending order.
    package func changes(at revision: Int64) throws(Problem) -> (put: [RegionStore.StoredGeofence], ended: Set<FenceKey>) {
        var put: [RegionStore.StoredGeofence] = []
        var ended: Set<FenceKey> = []
        while let start = nextStart, start.revision <= revision {
            put.append(try store.geofence(start.geofence))
            nextStart = try store.next(StartRow.self, of: starts)
        }
        while let end = nextEnd, end.revision <= revision {
            ended.insert(end.key)
            nextEnd = try store.next(EndRow.self, of: ends)
        }
        return (put, ended)
    }
}

extension RegionStore {
    /// The changes of the geofences in the revisions after `revision`; see `FenceHistory`.
    package func fenceHistory(after revision: Int64) throws(Problem) -> FenceHistory { try FenceHistory(self, after: revision) }
}
