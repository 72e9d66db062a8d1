import Geodesy
import Model
import Monitor
import SQLite

/// Why a device's history cannot be judged anew to the same result, though nothing is wrong with it.
package struct ReplayGaps: OptionSet, Hashable, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Its groups, its policy or its silence were edited after its first fix. With `olderStore`: before a history of them was kept.
    package static let rulesChanged = ReplayGaps(rawValue: 1)
    /// Positions were removed, or never kept.
    package static let positionsRemoved = ReplayGaps(rawValue: 2)
    /// It is older than these notes.
    package static let olderStore = ReplayGaps(rawValue: 4)
    /// Late fixes have put right what was decided.
    package static let corrected = ReplayGaps(rawValue: 8)
    /// Those for which a replay may come to something else, each with the word that JSON uses.
    package static let named: [(gap: ReplayGaps, name: String)] = [
        (.positionsRemoved, "positionsRemoved"), (.olderStore, "olderStore"),
    ]
}

extension RegionStore {
    // MARK: - What is known of each device

    /// What a replay has to know of a device beside its fixes.
    package struct ReplayNotes: Sendable {
        package var gaps: ReplayGaps
        /// Events up to this sequence are of a life of the device that is over.
        package var after: Int64
    }

    /// The time of a device's newest fix, believed or not; see `DeviceState.seenAt`.
    static let seenAt = "max(time, ifnull(suspect_time, time))"
    /// Its newest sign of life.
    static let heardAt = "ifnull(heard_at, \(seenAt))"

    /// The notes of all devices.
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

    /// Notes why a replay of a device may differ from now on.
    package func add(_ gaps: ReplayGaps, to device: DeviceKey) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("UPDATE device SET gaps = gaps | ?1 WHERE key = ?2 AND gaps & ?1 <> ?1")
            row.bind(1, gaps.rawValue)
            row.bind(2, device.value)
            try row.run()
        }
    }

    // MARK: - Decisions

    /// An enter, exit or dwell on record, as a replay should come to it again.
    package struct RecordedDecision: Sendable {
        package var sequence: Int64
        /// Of the event.
        package var id: String
        package var transition: Transition
        /// Of the fences, when it was decided.
        package var revision: Int64
        /// The number of the event by which a replay has taken it back; nil: it stands.
        package var retractedBy: Int64?
    }

    private static let decisions = """
        SELECT \(DecisionRow.columns)
        FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence
        WHERE o.device = ? AND o.sequence > ? AND type IN ('enter', 'exit', 'dwell', 'silent', 'returned') ORDER BY o.sequence
        """

    /// The device's first decision after a sequence; nil when there is none.
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

    /// The device's decisions after a sequence, in that order; also those that were taken back.
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
        /// When the device entered; of a silence, when it was last heard of.
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

/// The fences of every revision after one: each call gives what one revision changed.
///
/// It reads on as it is asked, so that no more than the changes of one revision is in memory.
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
        // What came and went in one revision was never judged by.
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

    /// What a revision made of the fences of the one before: fences that are new or different, and those that were there before
    /// and are different or gone. To be asked in order of revision.
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
    package func fenceHistory(after revision: Int64) throws(Problem) -> FenceHistory { try FenceHistory(self, after: revision) }
}
