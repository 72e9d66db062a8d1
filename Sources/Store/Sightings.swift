import Model
import SQLite

/// Answers when devices were seen: by the times of their stored positions, and by the spans that are kept of positions that were
/// removed (see `SeenSpan`).
///
/// It reads one state of the store, and is to be used within one snapshot. It keeps what it has read of positions that `fix_order` does
/// not have yet.
///
/// All times are milliseconds since 1970.
final class Sightings {
    /// A device that is asked about.
    struct Subject {
        var key: DeviceKey
        /// In seconds: two positions that are further apart have a silence between them.
        var silentAfter: Double
        /// Before this moment, positions were removed of which nothing is known; nil: all is known.
        var seenFrom: Instant?

        fileprivate var gap: Int64 { SeenSpan.longestGap(silentAfter: silentAfter) }
    }

    /// The last position in a span of time.
    enum Last: Equatable {
        case at(Instant)
        /// There is none.
        case never
        /// Positions were removed that would tell.
        case unknown
    }

    private let store: RegionStore
    /// The only device that is asked about; nil when it may be any.
    private let only: DeviceKey?
    private let latest: Statement
    private let earliest: Statement
    private let spansBetween: Statement
    private let newest: Statement
    /// The times of positions that `fix_order` does not have yet, by device; read when first asked for.
    private var unordered: [Int64: [Int64]]?

    /// What is in memory of one device: its spans in the time that is looked at, disjoint and in order, and the times of its positions
    /// that `fix_order` does not have yet, ascending.
    private struct View {
        var device: Int64
        var spans: [SeenSpan] = []
        var rest: [Int64]
    }

    /// The times of a device's positions, without those that it calls not valid: they do not say where it was.
    private static let positions = """
        SELECT o.time FROM fix_order o CROSS JOIN fix f USING (number) WHERE o.device = ? AND \(RegionStore.isJudged("f"))
        """

    /// - Parameter only: The only device that will be asked about; nil when it may be any.
    init(_ store: RegionStore, of only: DeviceKey? = nil) throws(Problem) {
        self.store = store
        self.only = only
        try store.settle(only)
        let statements = try store.attempt { () throws(SQLiteError) in
            (
                try store.connection.freshStatement(Self.positions + " AND o.time <= ? ORDER BY o.time DESC LIMIT 1"),
                try store.connection.freshStatement(Self.positions + " AND o.time > ? ORDER BY o.time LIMIT 1"),
                try store.connection.freshStatement(RegionStore.spansBetween + " ORDER BY begins"),
                try store.connection.freshStatement("SELECT \(RegionStore.seenAt) FROM device_state WHERE device = ?")
            )
        }
        (latest, earliest, spansBetween, newest) = statements
    }

    /// A device as one to ask about.
    func subject(_ stored: RegionStore.StoredDevice) throws(Problem) -> Subject {
        let seenFrom = try store.attempt { () throws(SQLiteError) in
            let row = try store.connection.statement("SELECT seen_from FROM device WHERE key = ?")
            row.bind(1, stored.key.value)
            return try row.value(Instant.self)
        }
        return Subject(key: stored.key, silentAfter: stored.device.silentAfter, seenFrom: seenFrom)
    }

    // MARK: - Questions

    /// Seconds between two moments for which a device was seen: those between positions that are no further apart than its
    /// `silentAfter`. Nil when that is not known.
    ///
    /// - Parameter end: Nil for no end.
    /// - Complexity: O(((end − start) / silentAfter + silences) · log n) in the device's positions: it leaps from one position to the
    ///   last that follows within `silentAfter`, however many are between.
    func seconds(of subject: Subject, from start: Instant, to end: Instant?) throws(Problem) -> Double? {
        if let known = subject.seenFrom, start < known { return nil }
        let (begin, end, gap) = (start.milliseconds, (end ?? .latest).milliseconds, subject.gap)
        let view = try view(subject, from: begin - gap, to: end + gap)
        return Double(try milliseconds(view, gap, begin, end)) / 1000
    }

    private func milliseconds(_ view: View, _ gap: Int64, _ begin: Int64, _ end: Int64) throws(Problem) -> Int64 {
        var seen: Int64 = 0
        var position: Int64
        if let before = try reach(view, upTo: begin) {
            position = before
            if position > begin { seen = min(position, end) - begin }
        } else if let after = try first(view, after: begin) {
            position = after
        } else {
            return 0
        }
        while position < end {
            let (from, reached) = (position, try reach(view, upTo: position + gap) ?? position)
            if reached > from {
                seen += max(0, min(reached, end) - max(from, begin))
                position = reached
            } else if let next = try first(view, after: from) {
                position = next
            } else {
                break
            }
        }
        return seen
    }

    /// The last position from a moment on and before another.
    ///
    /// - Parameter end: Nil for no end.
    func last(of subject: Subject, from start: Instant, before end: Instant?) throws(Problem) -> Last {
        let limit = end.map { $0.milliseconds - 1 } ?? Instant.latest.milliseconds
        let view = try view(subject, from: start.milliseconds, to: limit)
        // A span does not tell which of its positions was the last before a moment in it.
        if view.spans.contains(where: { $0.begins <= limit && $0.ends > limit }) { return .unknown }
        let last = try reach(view, upTo: limit).map(Instant.init(milliseconds:)) ?? .earliest
        // The newest position of all is known whatever was removed.
        if end != nil, let known = subject.seenFrom, max(start, last) < known { return .unknown }
        return last >= start ? .at(last) : .never
    }

    // MARK: - Positions

    private func view(_ subject: Subject, from low: Int64, to high: Int64) throws(Problem) -> View {
        var view = View(device: subject.key.value, rest: try times(subject.key))
        try store.attempt { () throws(SQLiteError) in
            spansBetween.bind(1, view.device)
            spansBetween.bind(2, low)
            spansBetween.bind(3, high)
            view.spans = try spansBetween.all()
            // The time of the newest position is known even where none is kept.
            newest.bind(1, view.device)
            guard let time = try newest.value(Int64.self) else { return }
            let place = view.spans.count { $0.begins <= time }
            if low <= time, time <= high, place == 0 || view.spans[place - 1].ends < time {
                view.spans.insert(SeenSpan(begins: time, ends: time), at: place)
            }
        }
        return view
    }

    /// Until when a device was seen from a time on, or, when that is in a silence, the last time before. That may be later than the time
    /// that is asked about, when it is in a span.
    private func reach(_ view: View, upTo time: Int64) throws(Problem) -> Int64? {
        let spans = view.spans.prefixCount { $0.begins <= time }
        let rest = view.rest.prefixCount { $0 <= time }
        return [
            try point(latest, view.device, time), rest > 0 ? view.rest[rest - 1] : nil,
            spans > 0 ? view.spans[spans - 1].ends : nil,
        ].compactMap(\.self).max()
    }

    /// The first position after a time that is in no span.
    private func first(_ view: View, after time: Int64) throws(Problem) -> Int64? {
        let spans = view.spans.prefixCount { $0.begins <= time }
        let rest = view.rest.prefixCount { $0 <= time }
        return [
            try point(earliest, view.device, time), rest < view.rest.count ? view.rest[rest] : nil,
            spans < view.spans.count ? view.spans[spans].begins : nil,
        ].compactMap(\.self).min()
    }

    private func point(_ statement: Statement, _ device: Int64, _ time: Int64) throws(Problem) -> Int64? {
        try store.attempt { () throws(SQLiteError) in
            statement.bind(1, device)
            statement.bind(2, time)
            return try statement.value(Int64.self)
        }
    }

    /// The times of a device's positions that are not in order yet.
    private func times(_ device: DeviceKey) throws(Problem) -> [Int64] {
        if let unordered { return unordered[device.value] ?? [] }
        let read = try store.attempt { () throws(SQLiteError) in
            var found: [Int64: [Int64]] = [:]
            let row = try store.connection.freshStatement(
                """
                SELECT device, time FROM fix f WHERE \(RegionStore.isUnordered("f")) AND \(RegionStore.isJudged("f"))
                """ + (only == nil ? "" : " AND device = ?"))
            if let only { row.bind(1, only.value) }
            while let (device, time) = try row.next(Int64.self, Int64.self) { found[device, default: []].append(time) }
            return found.mapValues { $0.sorted() }
        }
        unordered = read
        return read[device.value] ?? []
    }
}

extension Array {
    /// How many elements meet a condition that those at the beginning meet, and none of the others.
    ///
    /// - Complexity: O(log n).
    fileprivate func prefixCount(where isMet: (Element) -> Bool) -> Int {
        var (low, high) = (0, count)
        while low < high {
            let middle = (low + high) / 2
            if isMet(self[middle]) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
