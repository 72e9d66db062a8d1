import Model
import Monitor
import Store

/// The entries of the input log that concern one device, in order of time: those that came in time as they came, and each late fix right
/// before the first of them that is later.
///
/// It holds some thousand fixes at a time, and no place in the store between two calls.
struct TimeOrder {
    private let store: RegionStore
    private let device: DeviceKey
    /// Late fixes before it that no replay has judged are passed over.
    private let lateFrom: Instant
    private var place: RegionStore.TrackPlace
    /// Fixes that were read, from `next` on.
    private var page: [LoggedInput] = []
    private var next = 0
    /// How far into `page` the next fix that came in time is known, and which number it has.
    private var reach = 0
    private var nextInTime = Int64.max
    /// What else there is, from `nextOther` on.
    private var others: [LoggedInput] = []
    private var nextOther = 0

    private static let pageSize = 2048

    /// Nothing but fixes, until more is added.
    ///
    /// - Parameters:
    ///   - moment: Only fixes after it; nil for all.
    ///   - lateFrom: Late fixes before it that no replay has judged are passed over.
    init(_ store: RegionStore, of device: DeviceKey, after moment: Instant?, lateFrom: Instant) {
        self.store = store
        self.device = device
        self.lateFrom = lateFrom
        place = RegionStore.TrackPlace(time: moment ?? .earliest, number: moment == nil ? -1 : .max)
    }

    /// The number of the first fix that came in time; nil when there is none. To be called before the first entry is taken.
    mutating func firstInTime() throws(Problem) -> Int64? {
        guard try has(0) else { return nil }
        if !page[0].isLate { return page[0].number }
        try lookAhead()
        return nextInTime == .max ? nil : nextInTime
    }

    /// Puts the device's own inputs that are no fixes in their places, from an entry of the log on.
    ///
    /// - Returns: The geofences that its phone has reported of.
    mutating func addInputs(from number: Int64) throws(Problem) -> Set<FenceKey> {
        others = try store.inputs(of: device, from: number)
        return Set(others.compactMap { if case .report(let fence, _, _) = $0.kind { fence } else { nil } })
    }

    /// Puts changes of the geofences in their places.
    mutating func add(revisions: [Int64]) throws(Problem) {
        if revisions.isEmpty { return }
        others = (others + (try store.fenceEntries(of: revisions))).sorted { $0.place < $1.place }
    }

    /// The next entry; nil when there is none.
    mutating func nextEntry() throws(Problem) -> LoggedInput? {
        while try has(next), page[next].isWaiting, page[next].time < lateFrom { next += 1 }
        let other = nextOther < others.count ? others[nextOther] : nil
        guard try has(next) else {
            nextOther += 1
            return other
        }
        let fix = page[next]
        if let other, try isFirst(other, before: fix) {
            nextOther += 1
            return other
        }
        next += 1
        return fix
    }

    private mutating func isFirst(_ other: LoggedInput, before fix: LoggedInput) throws(Problem) -> Bool {
        if !fix.isLate { return other.place < fix.place }
        if next >= reach { try lookAhead() }
        // What follows the next fix that came in time is later than this one.
        return other.number < nextInTime && other.moment.map { $0 <= fix.time } ?? true
    }

    /// Finds the next fix that came in time.
    private mutating func lookAhead() throws(Problem) {
        var index = next + 1
        while try has(index), page[index].isLate { index += 1 }
        reach = index
        nextInTime = index < page.count ? page[index].number : .max
    }

    private mutating func has(_ index: Int) throws(Problem) -> Bool {
        if index < page.count { return true }
        return try read()
    }

    /// Reads on. False at the end.
    private mutating func read() throws(Problem) -> Bool {
        if next == page.count {
            page.removeAll(keepingCapacity: true)
            next = 0
            reach = 0
        }
        let more = try store.fixes(of: device, after: place, limit: Self.pageSize)
        page += more
        guard let last = more.last else { return false }
        place = RegionStore.TrackPlace(time: last.time, number: last.number)
        return true
    }
}

extension LoggedInput {
    /// Of a fix.
    fileprivate var time: Instant { moment ?? .earliest }

    /// When it happened in the device's own time; nil for what happens between two fixes.
    fileprivate var moment: Instant? {
        switch kind {
        case .fix(let fix, _): fix.time
        case .clock(let moment), .life(let moment), .report(_, _, let moment): moment
        case .fences, .rules: nil
        }
    }
}
