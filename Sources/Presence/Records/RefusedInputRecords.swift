import Model
import SQLite
import Store

extension PicketStore {
    /// A counter of unusable input of one device, with the reason.
    package struct RefusedInput: Hashable, Sendable {
        /// The name that the device gives itself, which need not be that of a known device. Empty if the input does not name a device.
        package var device: String
        var kind: Refusal.Kind
        /// The invalid field, as the input names it.
        package var field: String
        /// The reason of the newest refusal, with the refused value.
        package var reason: Phrase
        package var count: Int
        var firstAt: Instant
        package var lastAt: Instant

        init(_ refusal: Refusal, count: Int, at now: Instant) {
            device = refusal.device ?? ""
            kind = refusal.kind
            field = refusal.field
            reason = refusal.reasonWithValue
            self.count = count
            firstAt = now
            lastAt = now
        }
    }

    /// The maximum number of counters. Device names and field names come from outside, so further input is counted without them.
    private static let maximumCounters = 10_000

    /// Adds to the counter for the same device, kind and field.
    func countRefusedInput(_ refused: RefusedInput, in transaction: borrowing Transaction) throws(Problem) {
        func add(_ device: String, _ field: String, in transaction: borrowing Transaction) throws(Problem) -> Bool {
            try execute(
                """
                UPDATE refused_input SET count = count + ?1, last_at = ?2, reason = ?3
                WHERE device = ?4 AND kind = ?5 AND field = ?6
                """, refused.count, refused.lastAt.milliseconds, refused.reason.columnText, device, refused.kind.rawValue, field,
                in: transaction)
                > 0
        }
        if try add(refused.device, refused.field, in: transaction) { return }
        let isFull = try count("SELECT count(*) FROM refused_input") >= Self.maximumCounters
        if isFull, try add("", "", in: transaction) { return }
        try execute(
            "INSERT INTO refused_input VALUES (?,?,?,?,?,?,?)", isFull ? "" : refused.device, refused.kind.rawValue,
            isFull ? "" : refused.field, refused.reason.columnText, refused.count, refused.firstAt.milliseconds,
            refused.lastAt.milliseconds, in: transaction)
    }

    /// The refused input of a device, the newest first.
    func refusedInput(of device: String) throws(Problem) -> [RefusedInput] {
        try rows(
            "SELECT \(RefusedInput.columns) FROM refused_input WHERE device = ? ORDER BY last_at DESC, kind, field", device,
            as: RefusedInput.self)
    }
}

extension PicketStore.RefusedInput: Row {
    @usableFromInline package static let columns = "device, kind, field, reason, count, first_at, last_at"

    @usableFromInline package init(_ row: inout ColumnReader) {
        device = row.next()
        kind = Refusal.Kind(rawValue: row.next()) ?? .unusable
        field = row.next()
        reason = row.next()
        count = row.next()
        firstAt = row.next()
        lastAt = row.next()
    }
}
