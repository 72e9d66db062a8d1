import Model
import Presence
import SQLite
import Store

extension PicketStore {
    /// The result of a step that removes old fixes.
    package struct TrimStep: Sendable {
        /// The number of fixes that were examined, and the number of those that were removed.
        var examined = 0
        package var removed = 0
        /// The devices whose fixes were removed.
        package var devices: Set<DeviceKey> = []
        /// The devices of which late fixes were removed that no replay has evaluated.
        var devicesWithWaitingFixes: Set<DeviceKey> = []
        /// Whether there are more fixes to examine now.
        var hasMore = false

        init() {}

        /// Adds a later step.
        mutating func add(_ step: TrimStep) {
            examined += step.examined
            removed += step.removed
            devices.formUnion(step.devices)
            devicesWithWaitingFixes.formUnion(step.devicesWithWaitingFixes)
            hasMore = step.hasMore
        }
    }

    /// The progress of removing the fixes of a retention class, in the order of their receipt.
    private struct TrimProgress: Equatable {
        /// All fixes up to this number that belong to the class are removed.
        var cursor: Int64
        /// The last number that the sweep has examined; `sweptAll` once the sweep has ended.
        var swept: Int64

        static let sweptAll: Int64 = -1
        var isSweeping: Bool { swept != Self.sweptAll }
    }

    /// Removes fixes that are older than the retention time of their device, a limited number at a time.
    ///
    /// When a retention time is new, or a device's retention time has changed to it, a sweep examines all fixes once and removes
    /// those that are too old, regardless of their order. From then on a cursor advances through the fixes in the order of
    /// receipt, up to the first one to keep, and the next step continues there. In this way every fix is examined once or twice
    /// for each retention time, without a search. A fix that is received late (an old track) waits for the fixes before it, and
    /// is removed at the latest when the retention time has passed since its receipt.
    ///
    /// The times at which devices were seen are stored before (`recordSeenSpans`), so that visits of that time keep their `seenSeconds`.
    ///
    /// The freed pages are reused; the file does not become smaller.
    ///
    /// - Parameters:
    ///   - keeping: The retention time in seconds for devices without their own; nil to keep their fixes forever.
    ///   - limit: The maximum number of fixes to examine.
    func trimFixes(
        keeping: Double?, now: Instant, limit: Int, in transaction: borrowing Transaction
    ) throws(Problem) -> TrimStep {
        // States must be stored first: fixes that no stored state includes must not be removed.
        try writePendingStates()
        var trim = TrimStep()
        let own = try deviceRetentionTimes()
        var classes = Set(own.values).filter(\.isFinite).sorted().map { RetentionClass(isDeviceSpecific: true, seconds: $0) }
        if let keeping { classes.append(RetentionClass(isDeviceSpecific: false, seconds: keeping)) }
        try removeTrimProgress(except: classes, in: transaction)
        for keeping in classes { try trimCheckpoints(keeping, own, now, in: transaction) }
        for keeping in classes {
            if trim.examined >= limit {
                trim.hasMore = true
                break
            }
            try advance(keeping, own, now, limit, &trim, in: transaction)
        }
        // The messages are not sorted by age, so they are searched once, after the last step for fixes.
        for keeping in classes where !trim.hasMore {
            trim.hasMore = try trimObservations(
                keeping: keeping.seconds, isDeviceSpecific: keeping.isDeviceSpecific, before: keeping.cutoff(now), limit: limit,
                in: transaction)
        }
        for device in trim.devices.sorted() { try addReplayGaps(.positionsRemoved, to: device, in: transaction) }
        for device in trim.devicesWithWaitingFixes.sorted() { try updateReplay(of: device, in: transaction) }
        return trim
    }

    private func advance(
        _ keeping: RetentionClass, _ own: [DeviceKey: Double], _ now: Instant, _ limit: Int, _ trim: inout TrimStep,
        in transaction: borrowing Transaction
    ) throws(Problem) {
        let cutoff = keeping.cutoff(now)
        let start = try attempt { () throws(SQLiteError) in try readTrimProgress(of: keeping) }
        var mark = start
        var cursor = start.isSweeping ? max(start.cursor, start.swept) : start.cursor
        // Whether a fix to keep lies between the mark and the cursor.
        var isHeld = cursor > mark.cursor
        let progress = try attempt { () throws(SQLiteError) in try fixOrderProgress() }
        let (row, removal, reordering) = try attempt { () throws(SQLiteError) in
            (
                try statement("SELECT \(TrimmedFixRow.columns) FROM fix WHERE number > ? ORDER BY number LIMIT ?"),
                try statement("DELETE FROM fix WHERE number = ?", in: transaction),
                try statement("DELETE FROM fix_order WHERE device = ? AND time = ? AND number = ?", in: transaction)
            )
        }
        defer { row.reset() }
        row.bind(1, cursor)
        row.bind(2, limit - trim.examined)
        var isDone = true
        var entries: [(device: Int64, time: Int64, number: Int64)] = []
        var times: [DeviceKey: [Int64]] = [:]
        // No replay of a device begins before its newest removed fix that was not late, so the inputs before that fix are not
        // needed anymore.
        var begins: [DeviceKey: Int64] = [:]
        while let fix = try next(TrimmedFixRow.self, of: row) {
            let (number, device, time) = (fix.number, fix.device, fix.time)
            if keeping.isDeviceSpecific ? own[device] == keeping.seconds : own[device] == nil {
                if time >= cutoff.milliseconds {
                    guard start.isSweeping else { break }
                    isHeld = true
                } else {
                    if trim.removed == 0 { try prepareFixRemoval(in: transaction) }
                    try attempt { () throws(SQLiteError) in
                        removal.bind(1, number)
                        try removal.run()
                    }
                    if progress.isOrdered(number, device: device.value, time: time) {
                        entries.append((device.value, time, number))
                    }
                    if fix.evaluation.isValid { times[device, default: []].append(time) }
                    if fix.evaluation.isOnTime { begins[device] = number }
                    if fix.evaluation.isLate, !fix.evaluation.isReplayed { trim.devicesWithWaitingFixes.insert(device) }
                    trim.removed += 1
                    trim.devices.insert(device)
                }
            }
            cursor = number
            if !isHeld { mark.cursor = number }
            trim.examined += 1
            isDone = trim.examined < limit
        }
        if !isDone { trim.hasMore = true }
        // Sorted by device and time like the table, so that each page is changed once.
        for entry in entries.sorted(by: <) {
            try attempt { () throws(SQLiteError) in
                reordering.bind(1, entry.device)
                reordering.bind(2, entry.time)
                reordering.bind(3, entry.number)
                try reordering.run()
            }
        }
        for (device, number) in begins {
            try attempt { () throws(SQLiteError) in try removeInputs(of: device, before: number, in: transaction) }
        }
        for (device, times) in times.sorted(by: { $0.key < $1.key }) {
            try recordSeenSpans(times.sorted().map { SeenSpan(begins: $0, ends: $0) }, of: device, in: transaction)
        }
        if start.isSweeping { mark.swept = isDone ? TrimProgress.sweptAll : cursor }
        if mark != start { try attempt { () throws(SQLiteError) in try save(mark, of: keeping, in: transaction) } }
    }

    private struct TrimmedFixRow: Row {
        static let columns = "number, device, time, late"

        var number: Int64
        var device: DeviceKey
        var time: Int64
        var evaluation: EvaluationFlags

        init(_ row: inout ColumnReader) {
            number = row.next()
            device = row.next()
            time = row.next()
            evaluation = row.next()
        }
    }

    private func readTrimProgress(of keeping: RetentionClass) throws(SQLiteError) -> TrimProgress {
        TrimProgress(cursor: try setting(keeping.cursorSetting), swept: try setting(keeping.sweepSetting))
    }

    private func save(
        _ mark: TrimProgress, of keeping: RetentionClass, in transaction: borrowing Transaction
    ) throws(SQLiteError) {
        try saveSetting(keeping.cursorSetting, mark.cursor, in: transaction)
        try saveSetting(keeping.sweepSetting, mark.swept, in: transaction)
    }

    /// Removes the checkpoints that are older than the retention time of their devices, because checkpoints contain positions.
    private func trimCheckpoints(
        _ keeping: RetentionClass, _ own: [DeviceKey: Double], _ now: Instant, in transaction: borrowing Transaction
    ) throws(Problem) {
        let cutoff = keeping.cutoff(now).milliseconds
        guard keeping.isDeviceSpecific else {
            try execute(
                "DELETE FROM checkpoint WHERE time < ? AND device IN (SELECT key FROM device WHERE keep_positions IS NULL)",
                cutoff, in: transaction)
            return
        }
        for (device, seconds) in own where seconds == keeping.seconds {
            try execute("DELETE FROM checkpoint WHERE device = ? AND time < ?", device.value, cutoff, in: transaction)
        }
    }

    /// The retention times, in seconds, of devices that have their own; infinite for forever.
    private func deviceRetentionTimes() throws(Problem) -> [DeviceKey: Double] {
        Dictionary(
            uniqueKeysWithValues: try rows(
                "SELECT key, keep_positions FROM device WHERE keep_positions IS NOT NULL", as: DeviceKey.self, Double.self))
    }

    /// Deletes the progress of retention times that no device has anymore. If a device gets such a retention time again, a sweep
    /// starts.
    private func removeTrimProgress(except classes: [RetentionClass], in transaction: borrowing Transaction) throws(Problem) {
        try execute(
            "DELETE FROM setting WHERE name LIKE 'trimmed %' AND name NOT IN (SELECT value FROM json_each(?))",
            JSONValue.array(classes.flatMap { [.string($0.cursorSetting), .string($0.sweepSetting)] }).description,
            in: transaction)
    }

    /// Removes the inputs of a device before an entry, apart from fixes.
    private func removeInputs(
        of device: DeviceKey, before number: Int64, in transaction: borrowing Transaction
    ) throws(SQLiteError) {
        let row = try statement("DELETE FROM input WHERE device = ? AND number < ?", in: transaction)
        row.bind(1, device.value)
        row.bind(2, number)
        try row.run()
    }
}
