import Model
import Store

/// The stored fixes of one device in order of time, those of one time in order of arrival, each with the revision of the fences
/// that it is judged by: its own, or, when a newer one was there before it, that of the next one of which this is not so.
///
/// It holds some thousand fixes at a time, and no place in the store between two calls.
struct DeviceTrack {
    /// A fix with what it is judged by.
    struct Entry {
        var fix: Fix
        var number: Int64
        /// Of the fences.
        var revision: Int64
        /// It came late, and no replay has judged it yet.
        var isNew: Bool
    }

    private let store: RegionStore
    private let device: DeviceKey
    /// Late fixes before it that no replay has judged are passed over.
    private let lateFrom: Instant
    private var place: RegionStore.TrackPlace
    /// What was read, from `next` on.
    private var page: [RegionStore.StoredFix] = []
    private var next = 0
    /// How far into `page` the revision of late fixes is known, and which it is.
    private var reach = 0
    private var revision: Int64?

    private static let pageSize = 2048

    /// - Parameters:
    ///   - moment: Only fixes after it; nil for all.
    ///   - lateFrom: Late fixes before it that no replay has judged are passed over.
    init(_ store: RegionStore, of device: DeviceKey, after moment: Instant?, lateFrom: Instant = .earliest) {
        self.store = store
        self.device = device
        self.lateFrom = lateFrom
        place = RegionStore.TrackPlace(time: moment ?? .earliest, number: moment == nil ? -1 : .max)
    }

    /// The next fix; nil when there is none now.
    mutating func nextEntry() throws(Problem) -> Entry? {
        while try has(next), page[next].isNew, page[next].fix.time < lateFrom { next += 1 }
        guard try has(next) else { return nil }
        let stored = page[next]
        let isOnTime = !stored.isLate || stored.isNewest
        if !isOnTime, next >= reach { try lookAhead() }
        next += 1
        return Entry(
            fix: stored.fix, number: stored.number, revision: isOnTime ? stored.revision : revision ?? stored.revision,
            isNew: stored.isNew)
    }

    /// Finds the next fix before which no newer one was there.
    private mutating func lookAhead() throws(Problem) {
        var index = next + 1
        while try has(index) {
            if !page[index].isLate || page[index].isNewest {
                reach = index
                revision = page[index].revision
                return
            }
            index += 1
        }
        reach = index
        revision = nil
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
        place = RegionStore.TrackPlace(time: last.fix.time, number: last.number)
        return true
    }
}

extension RegionStore.StoredFix {
    /// Whether it came late, and no replay has judged it yet.
    fileprivate var isNew: Bool { isLate && !isReplayed }
}
