import Model
import SQLite

// Simulated phones are shown positions after these are committed. What a kill of the process keeps from them is found by the numbers of
// the positions.

extension RegionStore {
    static let phonesShown = "phones_shown"

    /// Simulated phones have been shown all positions up to this number; nil in a store where nobody has noted that.
    package func phonesShown() throws(Problem) -> Int64? {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT value FROM setting WHERE name = ?")
            row.bind(1, Self.phonesShown)
            return try row.value(Int64.self)
        }
    }

    /// Notes that simulated phones have been shown all positions up to this number.
    package func notePhonesShown(upTo number: Int64) throws(Problem) {
        try attempt { () throws(SQLiteError) in try set(Self.phonesShown, number) }
    }

    /// Calls `body` with each position that simulated phones are to be shown, in the order of arrival. Late ones are not: a phone knows
    /// newer ones.
    ///
    /// - Parameters:
    ///   - after: The number after which to begin.
    ///   - upTo: The number after which to end.
    ///   - device: The only device that is asked about; nil for all.
    /// - Complexity: O(positions between the numbers).
    package func forEachPhonePosition(
        after: Int64, upTo: Int64, of device: DeviceKey? = nil, _ body: (DeviceKey, Fix) throws(Problem) -> Void
    ) throws(Problem) {
        let row = try attempt { () throws(SQLiteError) in
            // The order of the tables keeps SQLite from visiting all positions of each device.
            try connection.freshStatement(
                """
                SELECT \(PhonePositionRow.columns)
                FROM fix f CROSS JOIN device d ON d.key = f.device AND d.registry = 'simulated' AND NOT d.removed
                WHERE f.number > ? AND f.number <= ? AND f.late IS NULL \(device == nil ? "" : "AND f.device = ?") ORDER BY f.number
                """)
        }
        row.bind(1, after)
        row.bind(2, upTo)
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
