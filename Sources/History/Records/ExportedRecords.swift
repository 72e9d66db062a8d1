import Model
import SQLite
import Store

// The records of one device that an export contains and nothing else reads: its positions and its other messages.

extension PicketStore {
    /// A stored fix.
    struct StoredFix: Sendable {
        var fix: Fix
        /// Whether the fix was received after a newer one.
        var isLate: Bool
        /// Whether the fix is valid. A fix that its device marked as invalid is not evaluated.
        var isValid: Bool
    }

    /// The numbers of a device's stored fixes, in the order of receipt.
    ///
    /// - Complexity: O(n log n) in the device's fixes and those that are not in order yet, with 8 bytes for each of the device.
    func fixNumbers(of device: DeviceKey) throws(Problem) -> [Int64] {
        try values(
            """
            SELECT number FROM fix_order WHERE device = ?1
            UNION ALL
            SELECT number FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1
            """, device.value, as: Int64.self
        ).sorted()
    }

    /// Calls `body` with each of some fixes that is still stored, and with the further attributes that its source sent (a JSON object). Reads
    /// in pieces; see `forEachInPieces(from:_:_:)`.
    func forEachFix(
        _ numbers: [Int64], _ body: (StoredFix, _ attributes: JSONValue?) throws(Problem) -> Void
    ) throws(Problem) {
        try forEachInPieces(
            from: 0,
            { start, piece throws(Problem) in
                let row = try query("SELECT \(StoredFixRow.columns) FROM fix WHERE number = ?")
                for index in start..<numbers.count {
                    row.reset()
                    row.bind(1, numbers[index])
                    guard let next = try next(StoredFixRow.self, of: row) else { continue }
                    if piece.add(next, bytes: next.attributes?.utf8.count ?? 0) { return index + 1 }
                }
                return nil
            },
            { row throws(Problem) in
                let stored = StoredFix(
                    fix: row.fix, isLate: row.evaluation.isLate, isValid: row.evaluation.isValid)
                try body(stored, row.attributes.map(json))
            })
    }

    private struct StoredFixRow: Row {
        static let columns = "late, \(Fix.columns), attributes"

        var evaluation: EvaluationFlags
        var fix: Fix
        /// A JSON object.
        var attributes: String?

        init(_ row: inout ColumnReader) {
            evaluation = row.next()
            fix = row.next()
            attributes = row.next()
        }
    }

    /// Calls `body` with each message of a device other than positions, as it was sent, in the order of receipt. Reads in pieces; see
    /// `forEachInPieces(from:_:_:)`.
    func forEachEvidence(
        of device: DeviceKey, _ body: (_ at: Instant, _ receivedAt: Instant, JSONValue) throws(Problem) -> Void
    ) throws(Problem) {
        try forEachInPieces(
            from: Int64.min,
            { (last: Int64, piece: inout Piece<EvidenceRow>) throws(Problem) -> Int64? in
                let row = try query(
                    "SELECT \(EvidenceRow.columns) FROM evidence WHERE device = ? AND number > ? ORDER BY number LIMIT ?",
                    device.value, last, piece.limit.items)
                while let next = try next(EvidenceRow.self, of: row) {
                    if piece.add(next, bytes: next.body.utf8.count) { return next.number }
                }
                return nil
            },
            { row throws(Problem) in try body(row.at, row.receivedAt, json(row.body)) })
    }

    private struct EvidenceRow: Row {
        static let columns = "number, at, received_at, body"

        var number: Int64
        var at: Instant
        var receivedAt: Instant
        /// JSON, as the device sent it.
        var body: String

        init(_ row: inout ColumnReader) {
            number = row.next()
            at = row.next()
            receivedAt = row.next()
            body = row.next()
        }
    }
}
