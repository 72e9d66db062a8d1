import Geodesy
import Model
import SQLite

extension PicketStore {
    /// When a fix is evaluated. The raw values are those of the column `late`.
    package enum Evaluation: Int64, Sendable {
        /// On receipt.
        case onReceipt = 0
        /// By a replay, because the fix was received after a newer one.
        case byReplay = 1
        /// By a replay, because a deadline had fired that is later than the fix.
        case byReplayAfterDeadline = 2
        /// Never, because the device marked the fix as invalid.
        case never = 8
    }

    /// The column `late`: a raw value of `Evaluation`, plus 4 once a replay has evaluated the fix.
    package struct EvaluationFlags: ColumnValue {
        private let rawValue: Int64

        package init(_ column: Int32, of row: Statement) { rawValue = Int64(column, of: row) }

        /// Whether the fix was evaluated on receipt.
        package var isOnTime: Bool { rawValue == 0 }
        /// Whether a replay evaluates the fix or has evaluated it.
        package var isLate: Bool { rawValue & 3 != 0 }
        /// Whether a replay has evaluated the fix.
        package var isReplayed: Bool { rawValue & 4 != 0 }
        /// Whether the device has not marked the fix as invalid.
        package var isValid: Bool { rawValue & 8 == 0 }
    }

    /// The SQL condition that a fix is ever evaluated.
    package static func isEvaluated(_ table: String) -> String { "ifnull(\(table).late, 0) <> 8" }

    /// Appends a fix.
    ///
    /// - Parameters:
    ///   - revision: The revision of the geofences by which the fix is evaluated.
    ///   - attributes: Further attributes from the source, as a JSON object.
    ///   - lag: The age of the fix on receipt, in seconds.
    /// - Returns: The number of the fix.
    @discardableResult
    package func append(
        _ fix: Fix, of device: DeviceKey, revision: Int64, evaluation: Evaluation, attributes: String?, lag: Double = 0,
        in transaction: borrowing Transaction
    ) throws(Problem) -> Int64 {
        try attempt { () throws(SQLiteError) in
            let statement = try statement(
                """
                INSERT INTO fix (device, time, latitude, longitude, accuracy, altitude, speed, course, battery, revision, late, attributes,
                lag, number) VALUES (?,?,?,?,?,?,?,?,?,?,?,?,?,?)
                """, in: transaction)
            statement.bind(1, device.value)
            bind(fix, to: statement, from: 2)
            statement.bind(10, revision)
            statement.bind(11, evaluation == .onReceipt ? nil : evaluation.rawValue)
            if let attributes { statement.bind(12, attributes) }
            // A lag of up to a minute is a usual network delay and is not stored.
            if lag > 60 { statement.bind(13, Int64(lag.rounded())) }
            let number = try reserveInputNumber()
            statement.bind(14, number)
            try statement.run()
            if number % UnorderedFixIndex.usualBlockSize == 0 {
                let ordered = try setting(.fixOrder)
                unorderedIndex.removeBlocks(upTo: ordered)
                isOrderDue = number - ordered >= FixOrderPass.maximumFixes
            }
            unorderedIndex.append(fix, of: device, number: number)
            if firstAppendedFix == nil { firstAppendedFix = number }
            return number
        }
    }

    /// Whether a fix with this device, time and coordinate is stored.
    ///
    /// - Parameter isValid: Whether the new fix is valid. Then a stored invalid fix does not count, because it was never evaluated.
    /// - Throws: `Problem.cancelled` if so many fixes are not in order that a search would take long. `takeOrderRequest()` returns true then.
    ///   The transaction should be repeated after `orderFixes(atMost:)` or passes of `order(_:atMost:)`.
    /// - Complexity: O(log fixes + blocks of `UnorderedFixIndex`).
    package func contains(_ fix: Fix, of device: DeviceKey, isValid: Bool = true) throws(Problem) -> Bool {
        try !accuracies(of: fix, device, isValid: isValid, limit: 1).isEmpty
    }

    /// Whether a valid fix of a device with the same time and place is stored, and all of them are less accurate. Otherwise like
    /// `contains(_:of:isValid:)`.
    package func containsOnlyLessAccurate(_ fix: Fix, of device: DeviceKey) throws(Problem) -> Bool {
        let stored = try accuracies(of: fix, device, isValid: true, limit: .max)
        return !stored.isEmpty
            && stored.allSatisfy {
                fix.isMoreAccurate(than: Fix(time: fix.time, coordinate: fix.coordinate, accuracy: $0))
            }
    }

    /// The accuracies of stored fixes with the time and place of a fix.
    private func accuracies(
        of fix: Fix, _ device: DeviceKey, isValid: Bool, limit: Int
    ) throws(Problem) -> [Double?] {
        guard try canFindFixes() else {
            isOrderRequested = true
            throw .cancelled
        }
        return try attempt { () throws(SQLiteError) in
            let statement = try statement(
                """
                SELECT accuracy FROM fix_order JOIN fix USING (number)
                WHERE fix_order.device = ? AND fix_order.time = ? AND latitude = ? AND longitude = ?
                \(isValid ? "AND \(Self.isEvaluated("fix"))" : "") LIMIT ?
                """)
            bind(place: fix, of: device, to: statement)
            statement.bind(5, limit)
            var found = try statement.values(Double?.self)
            let row = try self.statement(
                """
                SELECT accuracy FROM fix WHERE device = ? AND time = ? AND latitude = ? AND longitude = ? AND number = ?
                \(isValid ? "AND \(Self.isEvaluated("fix"))" : "")
                """)
            for number in unorderedIndex.numbers(like: fix, of: device, after: try setting(.fixOrder)) {
                if found.count >= limit { break }
                bind(place: fix, of: device, to: row)
                row.bind(5, number)
                found += try row.values(Double?.self)
            }
            return found
        }
    }

    private func bind(place fix: Fix, of device: DeviceKey, to statement: Statement) {
        statement.bind(1, device.value)
        statement.bind(2, fix.time.milliseconds)
        statement.bind(3, fix.coordinate.latitude)
        statement.bind(4, fix.coordinate.longitude)
    }

    /// Whether `contains(_:of:isValid:)` has failed since the last call because fixes have to be put in order before.
    package func takeOrderRequest() -> Bool {
        defer { isOrderRequested = false }
        return isOrderRequested
    }

    /// Whether the fixes that are not in order can be searched for another one, so that the transaction does not delay others.
    private func canFindFixes() throws(Problem) -> Bool {
        guard try extendUnorderedIndex() else { return false }
        blockSearches += unorderedIndex.blockCount(after: try completeUpTo(.fixOrder))
        return blockSearches <= mostBlockSearches
    }

    /// Makes `unorderedIndex` complete if it lacks few fixes.
    ///
    /// - Returns: Whether it is complete.
    private func extendUnorderedIndex() throws(Problem) -> Bool {
        try attempt { () throws(SQLiteError) in
            let ordered = try setting(.fixOrder)
            let end = try unindexedEnd()
            if end <= ordered { return true }
            if end - ordered > mostFixesToIndex { return false }
            let row = try statement(
                """
                SELECT \(IndexedFixRow.columns) FROM fix WHERE number > ? AND number <= ? ORDER BY number
                """)
            row.bind(1, ordered)
            row.bind(2, end)
            let fixes = try row.all(IndexedFixRow.self).map { ($0.fix, $0.device, $0.number) }
            unorderedIndex.prepend(fixes, after: ordered)
            return unorderedIndex.startsAfter == ordered
        }
    }

    private struct IndexedFixRow: Row {
        static let columns = "\(Fix.columns), device, number"

        var fix: Fix
        var device: DeviceKey
        var number: Int64

        init(_ row: inout ColumnReader) {
            fix = row.next()
            device = row.next()
            number = row.next()
        }
    }

    /// Fixes with a greater number are in `unorderedIndex`.
    private func unindexedEnd() throws(SQLiteError) -> Int64 {
        if let start = unorderedIndex.startsAfter { return start }
        return try connection.value(of: "SELECT max(number) FROM fix") ?? 0
    }

    /// The number of the newest fix; 0 if there is none.
    package func newestFixNumber() throws(Problem) -> Int64 { Int64(try count("SELECT ifnull(max(number), 0) FROM fix")) }

    /// The time of a device's newest stored fix, whether valid or not; nil if none is stored.
    ///
    /// - Complexity: O(fixes that are not in order yet).
    package func newestFixTime(of device: DeviceKey) throws(Problem) -> Instant? {
        try firstValue(
            """
            SELECT max(time) FROM (
                SELECT max(time) AS time FROM fix_order WHERE device = ?1
                UNION ALL SELECT max(time) FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?1)
            """, device.value, as: Instant.self)
    }

    /// The time of the oldest stored fix of each of some devices that have one.
    ///
    /// - Complexity: O(devices + unordered fixes).
    package func oldestFixes(of devices: [DeviceKey]) throws(Problem) -> [DeviceKey: Instant] {
        var found: [DeviceKey: Instant] = [:]
        let unordered = try query("SELECT device, min(time) FROM fix f WHERE \(Self.isUnordered("f")) GROUP BY device")
        while let (device, time) = try next(DeviceKey.self, Instant.self, of: unordered) { found[device] = time }
        for device in devices {
            guard let time = try firstValue("SELECT min(time) FROM fix_order WHERE device = ?", device.value, as: Instant.self)
            else { continue }
            found[device] = min(found[device] ?? .latest, time)
        }
        return found
    }

    package func fixCount() throws(Problem) -> Int {
        try count("SELECT count(*) FROM fix" + (visibility == nil ? "" : " WHERE device IN (SELECT key FROM device)"))
    }

    /// Binds the eight columns of a fix.
    func bind(_ fix: Fix, to statement: Statement, from index: Int32) {
        statement.bind(index, fix.time.milliseconds)
        statement.bind(index + 1, fix.coordinate.latitude)
        statement.bind(index + 2, fix.coordinate.longitude)
        statement.bind(index + 3, fix.accuracy)
        statement.bind(index + 4, fix.altitude)
        statement.bind(index + 5, fix.speed)
        statement.bind(index + 6, fix.course)
        statement.bind(index + 7, fix.battery)
    }
}
