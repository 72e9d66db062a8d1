import Model
import SQLite

/// The progress of ordering fixes by device and time in the table `fix_order`.
///
/// A pass inserts many fixes in steps, and each step inserts the fixes of some devices. Therefore a step changes only the few
/// pages of these devices, instead of a page for every device.
package struct FixOrderProgress: Hashable, Sendable {
    /// All fixes up to this number are in order.
    var ordered: Int64 = 0
    /// The current pass orders the fixes up to this number; 0 if no pass is in progress.
    var passUpTo: Int64 = 0
    /// Of the fixes of the current pass, those up to this device and time are in order.
    var device: Int64 = 0
    var time: Int64 = 0

    /// Whether a fix is in order.
    package func isOrdered(_ number: Int64, device: Int64, time: Int64) -> Bool {
        number <= ordered || number <= passUpTo && (device, time) <= (self.device, self.time)
    }
}

extension FixOrderProgress: Row {
    package static let columns = ["fixes_ordered", "fixes_ordering", "fixes_ordering_device", "fixes_ordering_time"]
        .map(PicketStore.value).joined(separator: ", ")

    package init(_ row: inout ColumnReader) {
        self.init(ordered: row.next(), passUpTo: row.next(), device: row.next(), time: row.next())
    }
}

/// Fixes to put in order, sorted by device and time.
package struct FixOrderPass: Sendable {
    struct Entry: Row, Comparable, Sendable {
        static let columns = "device, time, number"

        var device: Int64
        var time: Int64
        var number: Int64

        init(_ row: inout ColumnReader) {
            device = row.next()
            time = row.next()
            number = row.next()
        }

        static func < (a: Self, b: Self) -> Bool { (a.device, a.time, a.number) < (b.device, b.time, b.number) }

        /// Whether both fixes have the same device and time.
        func hasSameDeviceAndTime(as other: Self) -> Bool { (device, time) == (other.device, other.time) }

        func isOrdered(in progress: FixOrderProgress) -> Bool { progress.isOrdered(number, device: device, time: time) }
    }

    /// The maximum number of fixes in a pass, which take 24 MB of memory.
    package static let maximumFixes = 1_000_000

    fileprivate let ordered: Int64
    fileprivate let lastNumber: Int64
    fileprivate let entries: [Entry]
    /// The value of `PicketStore.fixRemovals` before the fixes were read.
    fileprivate let removals: Int
    /// The index of the first entry that is not in order yet.
    fileprivate var next = 0

    /// Whether all fixes of the pass are in order.
    package var isDone: Bool { next == entries.count }
}

extension PicketStore {
    /// The SQL condition that a fix is not in order by device and time yet. A missing setting counts as 0.
    package static func isUnordered(_ table: String) -> String {
        """
        \(table).number > \(value("fixes_ordered")) AND (\(table).number > \(value("fixes_ordering"))
        OR (\(table).device, \(table).time) > (\(value("fixes_ordering_device")), \(value("fixes_ordering_time"))))
        """
    }

    fileprivate static func value(_ name: String) -> String { "ifnull((SELECT value FROM setting WHERE name = '\(name)'), 0)" }

    /// How far fixes are in order.
    package func fixOrderProgress() throws(SQLiteError) -> FixOrderProgress {
        try statement("SELECT \(FixOrderProgress.columns)").first(FixOrderProgress.self) ?? FixOrderProgress()
    }

    private func save(
        _ progress: FixOrderProgress, before: FixOrderProgress, in transaction: borrowing Transaction
    ) throws(SQLiteError) {
        if progress.ordered != before.ordered { try saveSetting("fixes_ordered", progress.ordered, in: transaction) }
        if progress.passUpTo != before.passUpTo { try saveSetting("fixes_ordering", progress.passUpTo, in: transaction) }
        if progress.device != before.device { try saveSetting("fixes_ordering_device", progress.device, in: transaction) }
        if progress.time != before.time { try saveSetting("fixes_ordering_time", progress.time, in: transaction) }
    }

    /// Reads and sorts fixes that are not in order by device and time yet: the rest of an interrupted pass, or else the oldest million. A
    /// read-only store can do this while another store writes.
    ///
    /// - Parameter removals: `fixRemovals` of the store that will put the fixes in order, read before this call; nil if that is this store.
    /// - Returns: Nil if all fixes are in order.
    /// - Complexity: O(n log n) in these fixes; a million take about 0.4 s.
    package func fixOrderPass(removals: Int? = nil) throws(Problem) -> FixOrderPass? {
        let removals = removals ?? fixRemovals
        return try attempt { () throws(SQLiteError) in
            let progress = try fixOrderProgress()
            let row = try statement(
                """
                SELECT \(FixOrderPass.Entry.columns) FROM fix f WHERE \(Self.isUnordered("f")) AND number <= ? ORDER BY number LIMIT ?
                """)
            row.bind(1, progress.passUpTo > 0 ? progress.passUpTo : Int64.max)
            row.bind(2, progress.passUpTo > 0 ? Int.max : FixOrderPass.maximumFixes)
            var entries = try row.all(FixOrderPass.Entry.self)
            // If all other fixes of a pass were removed, the pass only has to be ended.
            if entries.isEmpty, progress.passUpTo == 0 { return nil }
            let upTo = progress.passUpTo > 0 ? progress.passUpTo : entries.last?.number ?? 0
            entries.sort()
            return FixOrderPass(ordered: progress.ordered, lastNumber: upTo, entries: entries, removals: removals)
        }
    }

    /// Puts the next fixes of a pass in order, within a transaction. If the transaction fails, the pass must be dropped.
    ///
    /// - Parameter most: The approximate number of fixes. Fixes of the same device and time are put in order together.
    package func order(_ pass: inout FixOrderPass, atMost most: Int, in transaction: borrowing Transaction) throws(Problem) {
        let (entries, upTo, first) = (pass.entries, pass.lastNumber, pass.next)
        let (ordered, removals) = (pass.ordered, pass.removals)
        pass.next = try attempt { () throws(SQLiteError) in
            let before = try fixOrderProgress()
            // Another connection may have put all or some of these fixes in order meanwhile.
            guard before.ordered == ordered, before.passUpTo == 0 || before.passUpTo == upTo else { return entries.count }
            var start = first
            while start < entries.count, entries[start].isOrdered(in: before) { start += 1 }
            var end = min(start + max(most, 1), entries.count)
            while end > start, end < entries.count, entries[end].hasSameDeviceAndTime(as: entries[end - 1]) { end += 1 }
            // Fixes may have been removed since they were read.
            let mayBeGone = fixRemovals != removals
            let row = try statement(
                mayBeGone
                    ? "INSERT INTO fix_order SELECT device, time, number FROM fix WHERE (device, time, number) = (?, ?, ?)"
                    : "INSERT INTO fix_order VALUES (?, ?, ?)", in: transaction)
            for entry in entries[start..<end] {
                row.bind(1, entry.device)
                row.bind(2, entry.time)
                row.bind(3, entry.number)
                try row.run()
            }
            let isDone = end == entries.count
            let progress =
                isDone
                ? FixOrderProgress(ordered: upTo)
                : FixOrderProgress(
                    ordered: ordered, passUpTo: upTo, device: entries[end - 1].device, time: entries[end - 1].time)
            try save(progress, before: before, in: transaction)
            return end
        }
    }

    /// Puts all fixes in order by device and time. Fixes are ordered after they were stored, because a B-tree by device takes about 64,000
    /// rows a second, and the append-only table takes over a million.
    ///
    /// - Parameter most: The approximate number of fixes after which this stops.
    package func orderFixes(atMost most: Int = .max, in transaction: borrowing Transaction) throws(Problem) {
        var left = most
        while left > 0, var pass = try fixOrderPass() {
            let count = pass.entries.count
            try order(&pass, atMost: left, in: transaction)
            left -= max(count, 1)
        }
    }

    /// An upper bound for the number of fixes that are not in order by device and time yet.
    package func unorderedFixCount() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let newest: Int64 = try connection.value(of: "SELECT max(number) FROM fix") ?? 0
            return Int(max(0, try newest - setting(.fixOrder)))
        }
    }
}
