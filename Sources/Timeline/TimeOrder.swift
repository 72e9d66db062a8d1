import Model
import Store

/// Iterates the log entries of one device in order of time. Entries that came in order stay in the order of the log; each late fix comes
/// right before the first of them that is later, but not after entries that were logged after it. So inputs that are appended to the log
/// never come before a fix that was there already. Of fixes with the same time and place, the most accurate one comes at the place of the first
/// one, and the others are left out.
///
/// It holds a few thousand fixes at a time, and no open statement between two calls.
struct TimeOrder {
    private let store: PicketStore
    private let device: DeviceKey
    /// Late fixes with greater numbers that no replay has evaluated are skipped.
    private let lateFixesUpTo: Int64
    private var lastRead: PicketStore.TrackPosition
    /// The last fixes that were read, which all have the same time, when more of that time may follow.
    private var unfinished: [LoggedInput] = []
    /// The numbers of late fixes that no replay has evaluated and that came instead of less accurate ones.
    private(set) var replacingFixes: [Int64] = []
    /// Fixes that were read; those from index `next` on are still to be returned.
    private var page: [LoggedInput] = []
    private var next = 0
    /// Index in `page` up to which `nextInTime` is valid.
    private var lookAheadEnd = 0
    /// The input number of the next fix that came in time; `Int64.max` when there is none.
    private var nextInTime = Int64.max
    /// Inputs that are not fixes; those from index `nextOther` on are still to be returned.
    private var others: [LoggedInput] = []
    private var nextOther = 0

    private static let pageSize = 2048

    /// Iterates fixes only, until other inputs are added.
    ///
    /// - Parameters:
    ///   - moment: Only fixes after this moment; nil for all.
    ///   - lateFixesUpTo: Late fixes with greater numbers that no replay has evaluated are skipped.
    init(_ store: PicketStore, of device: DeviceKey, after moment: Instant?, lateFixesUpTo: Int64) {
        self.store = store
        self.device = device
        self.lateFixesUpTo = lateFixesUpTo
        lastRead = PicketStore.TrackPosition(time: moment ?? .earliest, number: moment == nil ? -1 : .max)
    }

    /// The input number before which all other entries come before the first fix; nil when there is no fix. Call it before `nextEntry()`.
    mutating func firstNumber() throws(Problem) -> Int64? {
        guard try hasFix(at: 0) else { return nil }
        if page[0].isLate { try findNextInTime() }
        return end(before: page[0])
    }

    /// The input number before which other entries come before a fix. For a late fix, `nextInTime` must be valid.
    private func end(before fix: LoggedInput) -> Int64 { fix.isLate ? min(nextInTime, fix.number) : fix.number }

    /// Adds the device's inputs that are not fixes, from an entry of the log on.
    ///
    /// - Returns: The geofences that the phone's reports name.
    mutating func addInputs(from number: Int64) throws(Problem) -> Set<FenceKey> {
        others = try store.inputs(of: device, from: number)
        return Set(others.compactMap { if case .report(let fence, _, _) = $0.kind { fence } else { nil } })
    }

    /// Adds changes of the geofences.
    mutating func add(revisions: [Int64]) throws(Problem) {
        if revisions.isEmpty { return }
        others = (others + (try store.fenceEntries(of: revisions))).sorted { $0.place < $1.place }
    }

    /// Adds the places from which on backdated geofences apply.
    mutating func add(backdatingStarts: [PicketStore.TrackPosition]) {
        let starts = Set(backdatingStarts.map(\.number)).map(LoggedInput.backdatingStart(afterFix:))
        if !starts.isEmpty { others = (others + starts).sorted { $0.place < $1.place } }
    }

    /// The next entry; nil at the end of the log.
    mutating func nextEntry() throws(Problem) -> LoggedInput? {
        let other = nextOther < others.count ? others[nextOther] : nil
        guard try hasFix(at: next) else {
            nextOther += 1
            return other
        }
        let fix = page[next]
        if let other, try comesBefore(other, fix: fix) {
            nextOther += 1
            return other
        }
        next += 1
        return fix
    }

    private mutating func comesBefore(_ other: LoggedInput, fix: LoggedInput) throws(Problem) -> Bool {
        if !fix.isLate { return other.place < fix.place }
        if next >= lookAheadEnd { try findNextInTime() }
        // Entries after the next fix that came in time are later than this late fix.
        return other.number < end(before: fix) && other.moment.map { $0 <= fix.time } ?? true
    }

    /// Finds the next fix that came in time.
    private mutating func findNextInTime() throws(Problem) {
        var index = next + 1
        while try hasFix(at: index), page[index].isLate { index += 1 }
        lookAheadEnd = index
        nextInTime = index < page.count ? page[index].number : .max
    }

    private mutating func hasFix(at index: Int) throws(Problem) -> Bool {
        if index < page.count { return true }
        return try readPage()
    }

    /// Reads the next page of fixes; false at the end.
    private mutating func readPage() throws(Problem) -> Bool {
        if next == page.count {
            page.removeAll(keepingCapacity: true)
            next = 0
            lookAheadEnd = 0
        }
        while true {
            let more = try store.fixes(of: device, after: lastRead, limit: Self.pageSize)
            unfinished += more
            if let last = more.last { lastRead = PicketStore.TrackPosition(time: last.time, number: last.number) }
            let isEnd = more.count < Self.pageSize
            let last = unfinished.last?.time
            let end = isEnd ? unfinished.count : unfinished.lastIndex { $0.time != last }.map { $0 + 1 } ?? 0
            let count = page.count
            addFixes(unfinished[..<end])
            unfinished.removeSubrange(..<end)
            if isEnd || page.count > count { return page.count > count }
        }
    }

    /// Adds all fixes of some times to `page`, with the most accurate one of those with the same time and place.
    private mutating func addFixes(_ fixes: ArraySlice<LoggedInput>) {
        var first = page.count
        for entry in fixes {
            if entry.needsReplay, entry.number > lateFixesUpTo { continue }
            if first < page.count, page[first].time != entry.time { first = page.count }
            if let index = page[first...].firstIndex(where: { $0.hasPlace(of: entry) }), entry.isMoreAccurate(than: page[index]) {
                page[index].replaceFix(by: entry)
                if entry.needsReplay { replacingFixes.append(entry.number) }
            } else {
                page.append(entry)
            }
        }
    }
}

extension LoggedInput {
    /// The time of a fix.
    fileprivate var time: Instant { moment ?? .earliest }

    private var fix: Fix? { if case .fix(let fix, _) = kind { fix } else { nil } }

    fileprivate func hasPlace(of other: LoggedInput) -> Bool { fix?.coordinate == other.fix?.coordinate }

    fileprivate func isMoreAccurate(than other: LoggedInput) -> Bool {
        guard let fix, let known = other.fix else { return false }
        return fix.isMoreAccurate(than: known)
    }

    /// Takes the fix of another entry. The entry's place in the log and the age of its fix on receipt stay.
    fileprivate mutating func replaceFix(by other: LoggedInput) {
        if let fix = other.fix, case .fix(_, let lag) = kind { kind = .fix(fix, lag: lag) }
    }

    /// The entry's time in the device's own time; nil for changes of geofences and settings, which happen between two fixes.
    fileprivate var moment: Instant? {
        switch kind {
        case .fix(let fix, _): fix.time
        case .clock(let moment), .signOfLife(let moment), .report(_, _, let moment): moment
        case .fences, .settings, .backdating, .backdatingStart: nil
        }
    }
}
