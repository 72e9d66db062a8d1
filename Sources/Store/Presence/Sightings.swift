import Model
import SQLite

/// Computes when devices were seen, from the times of their stored positions and from the stored spans of removed positions (see
/// `SeenSpan`).
///
/// An instance must be used within one snapshot, because it caches the positions that `fix_order` does not contain yet.
///
/// All times are in milliseconds since 1970.
package final class Sightings {
    /// The values of a device that the computation needs.
    package struct SightedDevice {
        var key: DeviceKey
        /// In seconds. Two consecutive positions that are further apart have a silence between them.
        var silentAfter: Double

        package init(key: DeviceKey, silentAfter: Double) {
            self.key = key
            self.silentAfter = silentAfter
        }

        fileprivate var gap: Int64 { SeenSpan.maximumGap(silentAfter: silentAfter) }
    }

    /// The time of the last position in a period.
    enum LastSighting: Equatable {
        case at(Instant)
        /// There is no position in the period.
        case never
        /// The time is unknown, because the last position in the period was removed, and its span continues after the period.
        case unknown
    }

    private let store: PicketStore
    /// The only device that this instance is used for; nil for any.
    private let onlyDevice: DeviceKey?
    private let latest: Statement
    private let earliest: Statement
    private let spansBetween: Statement
    private let newest: Statement
    /// The times of positions that `fix_order` does not contain yet, by device; nil until they are needed.
    private var unordered: [Int64: [Int64]]?

    /// The data of one device in memory: its spans that overlap a period, disjoint and ordered by time, and the times of its positions that
    /// `fix_order` does not contain yet, in ascending order.
    private struct DeviceSightings {
        var device: Int64
        var spans: [SeenSpan] = []
        var unorderedTimes: [Int64]
    }

    /// The query for the times of a device's positions, without those that the device marked as invalid.
    private static let positions = """
        SELECT o.time FROM fix_order o CROSS JOIN fix f USING (number) WHERE o.device = ? AND \(PicketStore.isEvaluated("f"))
        """

    /// - Parameter only: The only device that this instance will be used for; nil for any.
    package init(_ store: PicketStore, of only: DeviceKey? = nil) throws(Problem) {
        self.store = store
        self.onlyDevice = only
        try store.writePendingStates(of: only)
        let statements = try store.attempt { () throws(SQLiteError) in
            (
                try store.uncachedStatement(Self.positions + " AND o.time <= ? ORDER BY o.time DESC LIMIT 1"),
                try store.uncachedStatement(Self.positions + " AND o.time > ? ORDER BY o.time LIMIT 1"),
                try store.uncachedStatement(PicketStore.spansBetween + " ORDER BY begins"),
                try store.uncachedStatement(
                    "SELECT \(PicketStore.seenAtExpression) FROM device_state WHERE device = ?")
            )
        }
        (latest, earliest, spansBetween, newest) = statements
    }

    // MARK: - Results

    /// The seconds between two moments for which a device was seen: the sum of the intervals between consecutive positions that are at most
    /// `silentAfter` of the device apart.
    ///
    /// - Parameter end: Nil for no end. 0 if it is not after the start.
    /// - Complexity: O(((end − start) / silentAfter + silences) · log n) in the device's positions: each step goes from one position to the
    ///   last one within `silentAfter`, however many are between.
    package func seconds(of subject: SightedDevice, from start: Instant, to end: Instant?) throws(Problem) -> Double {
        if let end, end <= start { return 0 }
        let (begin, end, gap) = (start.milliseconds, (end ?? .latest).milliseconds, subject.gap)
        let view = try deviceSightings(subject, from: begin - gap, to: end + gap)
        return Double(try milliseconds(view, gap, begin, end)) / 1000
    }

    /// The seconds of a visit for which positions show that the device was there: the time between positions that are both inside.
    package func seconds(of subject: SightedDevice, in visit: Visit) throws(Problem) -> Double {
        try seconds(of: subject, from: visit.enteredAt, to: try shownEnd(of: subject, visit))
    }

    /// The time up to which positions show that the device was there in a visit: the time of its last position inside. The device may have
    /// left right after it, so the time from there to the exit does not count. Nil for no end, while the visit is open.
    package func shownEnd(of subject: SightedDevice, _ visit: Visit) throws(Problem) -> Instant? {
        guard let exit = visit.exitedAt else { return nil }
        // A visit that an edit ends, ends at the newest position, which was inside.
        let limit = visit.isEndedByEdit ? exit + 0.001 : exit
        switch try last(of: subject, from: visit.enteredAt, before: limit) {
        case .at(let moment): return moment
        case .never: return visit.enteredAt
        case .unknown: return exit
        }
    }

    private func milliseconds(_ view: DeviceSightings, _ gap: Int64, _ begin: Int64, _ end: Int64) throws(Problem) -> Int64 {
        var seen: Int64 = 0
        var position: Int64
        if let before = try lastSeen(view, upTo: begin) {
            position = before
            if position > begin { seen = min(position, end) - begin }
        } else if let after = try first(view, after: begin) {
            position = after
        } else {
            return 0
        }
        while position < end {
            let (from, reached) = (position, try lastSeen(view, upTo: position + gap) ?? position)
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

    /// The time of the last position at or after `start` and before `end`.
    ///
    /// - Parameter end: Nil for no end.
    func last(of subject: SightedDevice, from start: Instant, before end: Instant?) throws(Problem) -> LastSighting {
        let limit = end.map { $0.milliseconds - 1 } ?? Instant.latest.milliseconds
        let view = try deviceSightings(subject, from: start.milliseconds, to: limit)
        // A span does not contain the times of the positions within it.
        if view.spans.contains(where: { $0.begins <= limit && $0.ends > limit }) { return .unknown }
        let last = try lastSeen(view, upTo: limit).map(Instant.init(milliseconds:)) ?? .earliest
        return last >= start ? .at(last) : .never
    }

    // MARK: - Positions

    private func deviceSightings(_ subject: SightedDevice, from low: Int64, to high: Int64) throws(Problem) -> DeviceSightings {
        var view = DeviceSightings(device: subject.key.value, unorderedTimes: try readUnorderedTimes(of: subject.key))
        try store.attempt { () throws(SQLiteError) in
            spansBetween.bind(1, view.device)
            spansBetween.bind(2, low)
            spansBetween.bind(3, high)
            view.spans = try spansBetween.all()
            // The state stores the time of the newest position, even if no position is stored.
            newest.bind(1, view.device)
            guard let time = try newest.value(Int64.self) else { return }
            let place = view.spans.count { $0.begins <= time }
            if low <= time, time <= high, place == 0 || view.spans[place - 1].ends < time {
                view.spans.insert(SeenSpan(begins: time, ends: time), at: place)
            }
        }
        return view
    }

    /// The last time at or before `time` at which the device was seen, or the end of the span that contains `time`. Nil if there is none.
    private func lastSeen(_ view: DeviceSightings, upTo time: Int64) throws(Problem) -> Int64? {
        let spans = view.spans.prefixCount { $0.begins <= time }
        let rest = view.unorderedTimes.prefixCount { $0 <= time }
        return [
            try queryTime(latest, view.device, time), rest > 0 ? view.unorderedTimes[rest - 1] : nil,
            spans > 0 ? view.spans[spans - 1].ends : nil,
        ].compactMap(\.self).max()
    }

    /// The first time after `time` of a position or of the beginning of a span; nil if there is none.
    private func first(_ view: DeviceSightings, after time: Int64) throws(Problem) -> Int64? {
        let spans = view.spans.prefixCount { $0.begins <= time }
        let rest = view.unorderedTimes.prefixCount { $0 <= time }
        return [
            try queryTime(earliest, view.device, time), rest < view.unorderedTimes.count ? view.unorderedTimes[rest] : nil,
            spans < view.spans.count ? view.spans[spans].begins : nil,
        ].compactMap(\.self).min()
    }

    private func queryTime(_ statement: Statement, _ device: Int64, _ time: Int64) throws(Problem) -> Int64? {
        try store.attempt { () throws(SQLiteError) in
            statement.bind(1, device)
            statement.bind(2, time)
            return try statement.value(Int64.self)
        }
    }

    /// The times of a device's positions that `fix_order` does not contain yet, in ascending order.
    private func readUnorderedTimes(of device: DeviceKey) throws(Problem) -> [Int64] {
        if let unordered { return unordered[device.value] ?? [] }
        let read = try store.attempt { () throws(SQLiteError) in
            var found: [Int64: [Int64]] = [:]
            let row = try store.uncachedStatement(
                """
                SELECT device, time FROM fix f WHERE \(PicketStore.isUnordered("f")) AND \(PicketStore.isEvaluated("f"))
                """ + (onlyDevice == nil ? "" : " AND device = ?"))
            if let onlyDevice { row.bind(1, onlyDevice.value) }
            while let (device, time) = try row.next(Int64.self, Int64.self) { found[device, default: []].append(time) }
            return found.mapValues { $0.sorted() }
        }
        unordered = read
        return read[device.value] ?? []
    }
}

extension PicketStore {
    /// Sets the values of a visit that show when the device was seen during it.
    package func complete(
        _ visit: inout Visit, of subject: Sightings.SightedDevice, sightings: Sightings, at now: Instant
    ) throws(Problem) {
        visit.seenSeconds = try sightings.seconds(of: subject, in: visit)
        switch try sightings.last(of: subject, from: visit.enteredAt, before: visit.exitedAt) {
        case .at(let moment): visit.lastSeenAt = moment
        case .never: break
        // It is unknown whether the device was silent at the end of the visit.
        case .unknown: return
        }
        visit.updateNotSeenSince(silentAfter: subject.silentAfter, at: now)
    }
}

extension Array {
    /// The length of the prefix whose elements meet a condition. No element after this prefix may meet the condition.
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
