import Model
import SQLite

extension PicketStore {
    // MARK: - Devices

    /// What a replay needs to know about a device apart from its fixes.
    package struct ReplayNotes: Sendable {
        package var gaps: ReplayGaps
        /// Events up to this sequence number are from before the device was removed and added again.
        package var after: Int64
    }

    /// The SQL expression for the time of a device's newest fix, even if the fix is an outlier candidate; see
    /// `DeviceState.seenAt`.
    package static let seenAtExpression = "max(time, ifnull(suspect_time, time))"
    /// The SQL expression for the time when the device was last heard from.
    package static let heardAtExpression = "ifnull(heard_at, \(seenAtExpression))"

    /// The replay notes of all devices. While its positions from a time on are being removed, and until the rest is evaluated
    /// again, a device counts as one whose positions were removed.
    package func replayNotes() throws(Problem) -> [DeviceKey: ReplayNotes] {
        var notes: [DeviceKey: ReplayNotes] = [:]
        let row = try query(
            """
            SELECT key, gaps | iif(replay_from IS NOT NULL AND EXISTS (
                SELECT 1 FROM setting WHERE name = 'retracted_up_to ' || key), \(ReplayGaps.positionsRemoved.rawValue), 0), replay_after
            FROM device WHERE NOT removed
            """)
        while let (device, gaps, after) = try next(DeviceKey.self, Int.self, Int64.self, of: row) {
            notes[device] = ReplayNotes(gaps: ReplayGaps(rawValue: gaps), after: after)
        }
        let marked = try values(
            """
            SELECT DISTINCT device FROM event
            WHERE (cause = 'corrected' OR type = 'retracted' AND cause <> 'rule') AND type <> 'missed'
            """, as: DeviceKey.self)
        for device in marked { notes[device]?.gaps.insert(.corrected) }
        return notes
    }

    /// Records reasons why a replay of a device may differ from now on.
    package func addReplayGaps(_ gaps: ReplayGaps, to device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "UPDATE device SET gaps = gaps | ?1 WHERE key = ?2 AND gaps & ?1 <> ?1", gaps.rawValue, device.value, in: transaction)
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

    private static let isDecision =
        "e.type IN (\(EventType.allCases.filter { $0.decision != nil }.map { "'\($0.rawValue)'" }.joined(separator: ", ")))"

    /// The device's first decision after a sequence number; nil if there is none.
    ///
    /// - Complexity: O(log(events) + events of the device before it that are not decisions), even while events are in no index.
    ///   For a join with the view of `createUnindexedEventViews`, SQLite would read and sort all further events of the device
    ///   each time.
    package func decision(of device: DeviceKey, after sequence: Int64) throws(Problem) -> RecordedDecision? {
        try indexAllEvents()
        let row = try firstRow(
            """
            SELECT \(DecisionRow.columns) FROM event e WHERE sequence = (
                SELECT sequence FROM event_by_device o WHERE device = ? AND sequence > ?
                AND EXISTS (SELECT 1 FROM event e WHERE e.sequence = o.sequence AND \(Self.isDecision))
                ORDER BY sequence LIMIT 1)
            """, device.value, sequence, as: DecisionRow.self)
        return try row.map(decision)
    }

    /// The device's decisions after a sequence number, in order, including those that were retracted.
    package func decisions(of device: DeviceKey, after sequence: Int64) throws(Problem) -> [RecordedDecision] {
        try indexAllEvents()
        return try rows(
            """
            SELECT \(DecisionRow.columns) FROM event_by_device o CROSS JOIN event e ON e.sequence = o.sequence
            WHERE o.device = ? AND o.sequence > ? AND \(Self.isDecision) ORDER BY o.sequence
            """, device.value, sequence, as: DecisionRow.self
        ).map(decision)
    }

    private func decision(_ row: DecisionRow) throws(Problem) -> RecordedDecision {
        guard let type = EventType(rawValue: row.type), let cause = Cause(rawValue: row.cause) else {
            throw damaged("event \(row.sequence) is of an unknown kind")
        }
        let isOfSilence = type.decision == .silence
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
        /// When the device entered the geofence, or when a silent device was last heard from.
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

extension PicketStore {
    /// The changes of the geofences in the revisions after `revision`; see `FenceHistory`.
    package func fenceHistory(after revision: Int64) throws(Problem) -> FenceHistory { try FenceHistory(self, after: revision) }
}
