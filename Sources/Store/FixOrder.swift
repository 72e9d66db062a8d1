import Model
import SQLite

/// How far the order of fixes by device and time (`fix_order`) has come.
///
/// A pass puts many fixes in order in steps, each of which takes the fixes of some devices. So a step touches the few pages of those devices,
/// and not a page of each device that there is.
struct FixOrderProgress: Hashable, Sendable {
    /// All fixes up to this number are in order.
    var ordered: Int64 = 0
    /// The pass that is under way takes the fixes up to this number; 0 when none is.
    var passUpTo: Int64 = 0
    /// Of these, the fixes up to this device and its time are in order.
    var device: Int64 = 0
    var time: Int64 = 0

    func isOrdered(_ number: Int64, device: Int64, time: Int64) -> Bool {
        number <= ordered || number <= passUpTo && (device, time) <= (self.device, self.time)
    }
}

extension FixOrderProgress: Row {
    static let columns = ["fixes_ordered", "fixes_ordering", "fixes_ordering_device", "fixes_ordering_time"]
        .map(RegionStore.value).joined(separator: ", ")

    init(_ row: inout ColumnReader) {
        self.init(ordered: row.next(), passUpTo: row.next(), device: row.next(), time: row.next())
    }
}

/// Fixes that are to be put in order, sorted by device and time.
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

        /// Whether it is of the same device and time as another.
        func isBeside(_ other: Self) -> Bool { (device, time) == (other.device, other.time) }

        func isIn(_ progress: FixOrderProgress) -> Bool { progress.isOrdered(number, device: device, time: time) }
    }

    /// A pass takes so many fixes at most, which is 24 MB.
    static let most = 1_000_000

    fileprivate let ordered: Int64
    fileprivate let upTo: Int64
    fileprivate let entries: [Entry]
    /// `RegionStore.fixRemovals` before the fixes were read.
    fileprivate let removals: Int
    /// The first entry that is not in order yet.
    fileprivate var next = 0

    /// Whether all of them are in order.
    package var isDone: Bool { next == entries.count }
}

extension RegionStore {
    /// The condition that a fix of the table is not in order by device and time yet. (What was never set counts as 0.)
    static func isUnordered(_ table: String) -> String {
        """
        \(table).number > \(value("fixes_ordered")) AND (\(table).number > \(value("fixes_ordering"))
        OR (\(table).device, \(table).time) > (\(value("fixes_ordering_device")), \(value("fixes_ordering_time"))))
        """
    }

    fileprivate static func value(_ name: String) -> String { "ifnull((SELECT value FROM setting WHERE name = '\(name)'), 0)" }

    func fixOrderProgress() throws(SQLiteError) -> FixOrderProgress {
        try connection.statement("SELECT \(FixOrderProgress.columns)").first(FixOrderProgress.self) ?? FixOrderProgress()
    }

    private func save(_ progress: FixOrderProgress, before: FixOrderProgress) throws(SQLiteError) {
        if progress.ordered != before.ordered { try set("fixes_ordered", progress.ordered) }
        if progress.passUpTo != before.passUpTo { try set("fixes_ordering", progress.passUpTo) }
        if progress.device != before.device { try set("fixes_ordering_device", progress.device) }
        if progress.time != before.time { try set("fixes_ordering_time", progress.time) }
    }

    /// Sorts fixes that are not in order by device and time yet: the rest of a pass that was interrupted, or else the oldest million. A store
    /// that only reads can do that beside the one that writes.
    ///
    /// - Parameter removals: `fixRemovals` of the store that is to put them in order, from before; nil for this store.
    /// - Returns: Nil when all fixes are in order.
    /// - Complexity: O(n log n) in these fixes; a million take some 0.4 s.
    package func fixOrderPass(removals: Int? = nil) throws(Problem) -> FixOrderPass? {
        let removals = removals ?? fixRemovals
        return try attempt { () throws(SQLiteError) in
            let progress = try fixOrderProgress()
            let row = try connection.statement(
                """
                SELECT \(FixOrderPass.Entry.columns) FROM fix f WHERE \(Self.isUnordered("f")) AND number <= ? ORDER BY number LIMIT ?
                """)
            row.bind(1, progress.passUpTo > 0 ? progress.passUpTo : Int64.max)
            row.bind(2, progress.passUpTo > 0 ? Int.max : FixOrderPass.most)
            var entries = try row.all(FixOrderPass.Entry.self)
            // A pass whose other fixes were removed has only to be ended.
            if entries.isEmpty, progress.passUpTo == 0 { return nil }
            let upTo = progress.passUpTo > 0 ? progress.passUpTo : entries.last?.number ?? 0
            entries.sort()
            return FixOrderPass(ordered: progress.ordered, upTo: upTo, entries: entries, removals: removals)
        }
    }

    /// Puts the next fixes of a pass in order, within a transaction. When that fails, the pass is to be dropped.
    ///
    /// - Parameter most: About so many; those of one device and time are put in order together.
    package func order(_ pass: inout FixOrderPass, atMost most: Int) throws(Problem) {
        let (entries, upTo, first) = (pass.entries, pass.upTo, pass.next)
        let (ordered, removals) = (pass.ordered, pass.removals)
        pass.next = try attempt { () throws(SQLiteError) in
            let before = try fixOrderProgress()
            // Somebody may have put them in order meanwhile, or some of them.
            guard before.ordered == ordered, before.passUpTo == 0 || before.passUpTo == upTo else { return entries.count }
            var start = first
            while start < entries.count, entries[start].isIn(before) { start += 1 }
            var end = min(start + max(most, 1), entries.count)
            while end > start, end < entries.count, entries[end].isBeside(entries[end - 1]) { end += 1 }
            // Some may have been removed since they were read.
            let mayBeGone = fixRemovals != removals
            let row = try connection.statement(
                mayBeGone
                    ? "INSERT INTO fix_order SELECT device, time, number FROM fix WHERE (device, time, number) = (?, ?, ?)"
                    : "INSERT INTO fix_order VALUES (?, ?, ?)")
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
            try save(progress, before: before)
            return end
        }
    }

    /// Brings the order of fixes by device and time up to date. It is kept off the path of arriving fixes: a B-tree by device takes 64,000 rows
    /// a second, the append-only table over a million.
    ///
    /// - Parameter most: Stops after about so many fixes.
    package func orderFixes(atMost most: Int = .max) throws(Problem) {
        var left = most
        while left > 0, var pass = try fixOrderPass() {
            let count = pass.entries.count
            try order(&pass, atMost: left)
            left -= max(count, 1)
        }
    }

    /// How many fixes are not in order by device and time yet, at most.
    package func unorderedFixCount() throws(Problem) -> Int {
        try attempt { () throws(SQLiteError) in
            let newest: Int64 = try connection.value(of: "SELECT max(number) FROM fix") ?? 0
            return Int(max(0, try newest - setting("fixes_ordered")))
        }
    }
}
