import Model
import SQLite
import Store

// Simulated phones receive positions after these are committed. If the process is killed in between, the number of the last
// delivered position shows which positions are missing.

extension PicketStore {
    private static let phonesShownSetting = "phones_shown"

    /// Simulated phones have received all positions up to this number; nil if the store has no such record.
    func phonesShown() throws(Problem) -> Int64? {
        try firstValue("SELECT value FROM setting WHERE name = ?", Self.phonesShownSetting, as: Int64.self)
    }

    /// Records that simulated phones have received all positions up to this number.
    func setPhonesShown(upTo number: Int64, in transaction: borrowing Transaction) throws(Problem) {
        try attempt { () throws(SQLiteError) in try saveSetting(Self.phonesShownSetting, number, in: transaction) }
    }

    /// Calls `body` with each position for simulated phones, in the order of receipt. Late positions are left out, because the phones
    /// already have newer ones.
    ///
    /// - Parameters:
    ///   - after: Only positions after this number.
    ///   - upTo: Only positions up to this number.
    ///   - device: Only positions of this device; nil for all.
    /// - Complexity: O(positions between the two numbers).
    func forEachPhonePosition(
        after: Int64, upTo: Int64, of device: DeviceKey?, _ body: (DeviceKey, Fix) throws(Problem) -> Void
    ) throws(Problem) {
        // The cross join keeps SQLite from reading all positions of each device.
        let row = try query(
            """
            SELECT \(PhonePositionRow.columns)
            FROM fix f CROSS JOIN device d ON d.key = f.device AND d.registry = 'simulated' AND NOT d.removed
            WHERE f.number > ? AND f.number <= ? AND f.late IS NULL \(device == nil ? "" : "AND f.device = ?") ORDER BY f.number
            """, after, upTo)
        if let device { row.bind(3, device.value) }
        while let next = try next(PhonePositionRow.self, of: row) { try body(next.device, next.fix) }
    }

    private struct PhonePositionRow: Row {
        static let columns = "f.device, \(Fix.columns(after: "f."))"

        var device: DeviceKey
        var fix: Fix

        init(_ row: inout ColumnReader) {
            device = row.next()
            fix = row.next()
        }
    }
}
