import Model
import SQLite
import Store

extension PicketStore {
    /// Calls `body` with each valid fix of a device between two moments, in order of time, and first of all with the last one before them.
    /// This must be called in a snapshot.
    ///
    /// - Complexity: O(fixes between the two moments + fixes that are not in order yet).
    func forEachFix(
        of device: String, since: Instant, until: Instant, _ body: (Fix) -> Void
    ) throws(Problem) {
        guard let key = try knownDevice(id: device)?.stored.key else { return }
        let (rest, r) = unorderedFixes
        let columns = PlaceRow.columns(after: "f.")
        let before = try rows(
            """
            SELECT * FROM (
                SELECT \(columns) FROM fix_order o CROSS JOIN fix f USING (number)
                WHERE o.device = ?1 AND o.time < ?2 AND \(Self.isEvaluated("f")) ORDER BY o.time DESC, o.number DESC LIMIT 1)
            UNION ALL SELECT * FROM (
                SELECT \(columns) FROM \(rest) AND \(r).time < ?2 AND \(Self.isEvaluated("f"))
                ORDER BY \(r).time DESC, \(r).number DESC LIMIT 1)
            ORDER BY time DESC, number DESC LIMIT 1
            """, key.value, since.milliseconds, as: PlaceRow.self)
        for place in before { body(place.fix) }
        let row = try trackStatement(
            PlaceRow.self, condition: Self.isEvaluated("f"), of: key, after: TrackPosition(time: since, number: -1), until: until)
        defer { row.reset() }
        while let place = try next(PlaceRow.self, of: row) { body(place.fix) }
    }

    private struct PlaceRow: Row {
        static let columns = "\(Fix.columns), number"

        var fix: Fix
        var number: Int64

        init(_ row: inout ColumnReader) {
            fix = row.next()
            number = row.next()
        }
    }

    /// The time of a device's earliest position after a moment; nil if there is none.
    ///
    /// - Complexity: O(fixes that are not in order yet).
    func earliestFix(of device: DeviceKey, after moment: Instant) throws(Problem) -> Instant? {
        try firstValue(
            """
            SELECT min(time) FROM (
                SELECT min(time) AS time FROM fix_order WHERE device = ?1 AND time > ?2
                UNION ALL SELECT min(time) FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1 AND time > ?2)
            """, device.value, moment.milliseconds, as: Instant.self)
    }
}
