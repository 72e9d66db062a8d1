import Model
import SQLite

extension RegionStore {
    /// What a step of trimming came to.
    package struct Trim: Sendable {
        /// Fixes that were looked at, and removed.
        package var looked = 0
        package var removed = 0
        /// The devices of which some were removed.
        package var devices: Set<DeviceKey> = []
        /// Whether there is more to look at now.
        package var hasMore = false

        package init() {}

        /// This step and a later one together.
        package func adding(_ step: Trim) -> Trim {
            var sum = step
            sum.looked += looked
            sum.removed += removed
            sum.devices.formUnion(devices)
            return sum
        }
    }

    /// Devices that keep their positions equally long: all that leave it to the store, or those that say so themselves.
    private struct KeepingClass {
        var isOwn: Bool
        var seconds: Double

        /// How far its positions have been removed: the names of the settings; see `Mark`.
        var cursor: String { "trimmed \(isOwn ? "own" : "store") \(seconds)" }
        var sweep: String { cursor + " swept" }

        /// What is older is removed. Where nothing is kept, nothing of the future is either.
        func cutoff(_ now: Instant) -> Instant { seconds == 0 ? .latest : now + -seconds }
    }

    /// How far the positions of a class have been removed, in the order of their arrival.
    private struct Mark: Equatable {
        /// All up to this number are removed.
        var cursor: Int64
        /// How far the sweep has come; `sweptAll` when it is over.
        var swept: Int64

        static let sweptAll: Int64 = -1
        var isSweeping: Bool { swept != Self.sweptAll }
    }

    /// Removes fixes that are older than their device keeps them, a few at a time.
    ///
    /// When a length of keeping is new, or a device's changes to it, a sweep goes through all fixes once and removes those that are older,
    /// wherever they lie. From then on a mark goes through the fixes in the order of their arrival, up to the first that is still to be
    /// kept; the next step goes on there. So every fix is looked at once or twice for each length, and none is searched for. A fix that
    /// comes later with a time that is long past (an old track) waits for those before it: it is gone at the latest so long after it
    /// came.
    ///
    /// When devices were seen stays known (`keepSeen`), so that visits of that time keep their `seenSeconds`.
    ///
    /// To be called in a transaction. The room is used again; the file does not become smaller.
    ///
    /// - Parameters:
    ///   - keeping: Seconds, for devices that say nothing else; nil for ever.
    ///   - limit: The most fixes to look at.
    package func trimFixes(keeping: Double?, now: Instant, limit: Int) throws(Problem) -> Trim {
        // Fixes that are in no stored state yet must not go.
        try settle()
        var trim = Trim()
        let own = try ownKeeping()
        var classes = Set(own.values).filter(\.isFinite).sorted().map { KeepingClass(isOwn: true, seconds: $0) }
        if let keeping { classes.append(KeepingClass(isOwn: false, seconds: keeping)) }
        try forgetTrims(except: classes)
        for keeping in classes { try trimCheckpoints(keeping, own, now) }
        for keeping in classes {
            if trim.looked >= limit {
                trim.hasMore = true
                break
            }
            try advance(keeping, own, now, limit, &trim)
        }
        for device in trim.devices.sorted() { try add(.positionsRemoved, to: device) }
        return trim
    }

    private func advance(
        _ keeping: KeepingClass, _ own: [DeviceKey: Double], _ now: Instant, _ limit: Int, _ trim: inout Trim
    ) throws(Problem) {
        let cutoff = keeping.cutoff(now)
        let start = try attempt { () throws(SQLiteError) in try readMark(of: keeping) }
        var mark = start
        var cursor = start.isSweeping ? max(start.cursor, start.swept) : start.cursor
        // Whether a fix that is to be kept lies between the mark and the cursor.
        var isHeld = cursor > mark.cursor
        let progress = try attempt { () throws(SQLiteError) in try fixOrderProgress() }
        let (row, removal, reordering) = try attempt { () throws(SQLiteError) in
            (
                try connection.statement("SELECT \(TrimmedFixRow.columns) FROM fix WHERE number > ? ORDER BY number LIMIT ?"),
                try connection.statement("DELETE FROM fix WHERE number = ?"),
                try connection.statement("DELETE FROM fix_order WHERE device = ? AND time = ? AND number = ?")
            )
        }
        defer { row.reset() }
        row.bind(1, cursor)
        row.bind(2, limit - trim.looked)
        var isDone = true
        var entries: [(device: Int64, time: Int64, number: Int64)] = []
        var times: [DeviceKey: [Int64]] = [:]
        // No replay of a device begins before the newest of its fixes that is removed and did not come late.
        var begins: [DeviceKey: Int64] = [:]
        while let fix = try next(TrimmedFixRow.self, of: row) {
            let (number, device, time) = (fix.number, fix.device, fix.time)
            if keeping.isOwn ? own[device] == keeping.seconds : own[device] == nil {
                if time >= cutoff.milliseconds {
                    guard start.isSweeping else { break }
                    isHeld = true
                } else {
                    if trim.removed == 0 { try beginRemovingFixes() }
                    try attempt { () throws(SQLiteError) in
                        removal.bind(1, number)
                        try removal.run()
                    }
                    if progress.isOrdered(number, device: device.value, time: time) {
                        entries.append((device.value, time, number))
                    }
                    if fix.judging.isValid { times[device, default: []].append(time) }
                    if fix.judging.isOnTime { begins[device] = number }
                    trim.removed += 1
                    trim.devices.insert(device)
                }
            }
            cursor = number
            if !isHeld { mark.cursor = number }
            trim.looked += 1
            isDone = trim.looked < limit
        }
        if !isDone { trim.hasMore = true }
        // By device and time, as they lie: so each page is touched once.
        for entry in entries.sorted(by: <) {
            try attempt { () throws(SQLiteError) in
                reordering.bind(1, entry.device)
                reordering.bind(2, entry.time)
                reordering.bind(3, entry.number)
                try reordering.run()
            }
        }
        for (device, number) in begins {
            try attempt { () throws(SQLiteError) in try removeInputs(of: device, before: number) }
        }
        for (device, times) in times.sorted(by: { $0.key < $1.key }) {
            try keepSeen(times.sorted().map { SeenSpan(begins: $0, ends: $0) }, of: device)
        }
        if start.isSweeping { mark.swept = isDone ? Mark.sweptAll : cursor }
        if mark != start { try attempt { () throws(SQLiteError) in try save(mark, of: keeping) } }
    }

    private struct TrimmedFixRow: Row {
        static let columns = "number, device, time, late"

        var number: Int64
        var device: DeviceKey
        var time: Int64
        var judging: JudgingFlags

        init(_ row: inout ColumnReader) {
            number = row.next()
            device = row.next()
            time = row.next()
            judging = row.next()
        }
    }

    private func readMark(of keeping: KeepingClass) throws(SQLiteError) -> Mark {
        Mark(cursor: try setting(keeping.cursor), swept: try setting(keeping.sweep))
    }

    private func save(_ mark: Mark, of keeping: KeepingClass) throws(SQLiteError) {
        try set(keeping.cursor, mark.cursor)
        try set(keeping.sweep, mark.swept)
    }

    /// Removes the checkpoints that are older than the positions of their devices are kept: they are positions too.
    private func trimCheckpoints(_ keeping: KeepingClass, _ own: [DeviceKey: Double], _ now: Instant) throws(Problem) {
        let cutoff = keeping.cutoff(now).milliseconds
        try attempt { () throws(SQLiteError) in
            guard keeping.isOwn else {
                let row = try connection.statement(
                    """
                    DELETE FROM checkpoint WHERE time < ? AND device IN (SELECT key FROM device WHERE keep_positions IS NULL)
                    """)
                row.bind(1, cutoff)
                return try row.run()
            }
            let row = try connection.statement("DELETE FROM checkpoint WHERE device = ? AND time < ?")
            for (device, seconds) in own where seconds == keeping.seconds {
                row.bind(1, device.value)
                row.bind(2, cutoff)
                try row.run()
            }
        }
    }

    /// How long devices keep their positions, those that do not leave it to the store: seconds, infinite for ever.
    private func ownKeeping() throws(Problem) -> [DeviceKey: Double] {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement("SELECT key, keep_positions FROM device WHERE keep_positions IS NOT NULL")
            defer { row.reset() }
            var found: [DeviceKey: Double] = [:]
            while let (device, seconds) = try row.next(DeviceKey.self, Double.self) { found[device] = seconds }
            return found
        }
    }

    /// How many stored fixes there are, of one device or of all that leave it to the store how long, and how many are older than a
    /// moment.
    ///
    /// - Complexity: O(fixes of the device), or O(all fixes).
    package func fixCount(of device: DeviceKey?, before moment: Instant) throws(Problem) -> (older: Int, all: Int) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.freshStatement(
                device == nil
                    ? """
                    SELECT ifnull(sum(time < ?1), 0), count(*) FROM fix
                    WHERE device IN (SELECT key FROM device WHERE keep_positions IS NULL)
                    """
                    : """
                    SELECT ifnull(sum(time < ?1), 0), count(*) FROM (
                        SELECT time FROM fix_order WHERE device = ?2
                        UNION ALL SELECT time FROM fix f WHERE \(Self.isUnordered("f")) AND device = ?2)
                    """)
            row.bind(1, moment.milliseconds)
            if let device { row.bind(2, device.value) }
            return try row.first(Int.self, Int.self) ?? (0, 0)
        }
    }

    /// Forgets how far positions were removed for lengths that nothing is kept for any more: should one come back, it is new.
    private func forgetTrims(except classes: [KeepingClass]) throws(Problem) {
        try attempt { () throws(SQLiteError) in
            let row = try connection.statement(
                "DELETE FROM setting WHERE name LIKE 'trimmed %' AND name NOT IN (SELECT value FROM json_each(?))")
            row.bind(1, JSONValue.array(classes.flatMap { [.string($0.cursor), .string($0.sweep)] }).description)
            try row.run()
        }
    }

    /// Begins again at the first fix: to be called when a device that has positions keeps them for another time than before.
    ///
    /// - Parameter seconds: Its new length of keeping; nil when it leaves that to the store.
    func forgetTrims(ofKeeping seconds: Double?) throws(SQLiteError) {
        let row = try connection.statement("DELETE FROM setting WHERE name LIKE ?")
        row.bind(1, seconds.map { KeepingClass(isOwn: true, seconds: $0).cursor + "%" } ?? "trimmed store %")
        try row.run()
    }
}
