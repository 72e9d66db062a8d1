import Model
import SQLite

extension PicketStore {
    /// Stores when a device was seen by positions that are removed or that are not stored at all, so that the seconds seen in visits remain
    /// known.
    ///
    /// Spans that are at most `silentAfter` of the device apart are joined, unless the device left a geofence between them: the last
    /// position before an exit remains the end of a span.
    ///
    /// - Parameters:
    ///   - added: The spans to store, ordered by time.
    ///   - pendingExits: Times at which the device may have left a geofence, which divide spans like exits.
    package func recordSeenSpans(
        _ added: [SeenSpan], of device: DeviceKey, pendingExits: [Instant] = [], in transaction: borrowing Transaction
    ) throws(Problem) {
        guard let first = added.first, let last = added.last else { return }
        try indexAllEvents()
        try attempt { () throws(SQLiteError) in
            let gap = try longestGap(of: device)
            let known = try spans(of: device, from: first.begins - gap, to: last.ends + gap)
            let earliest = min(first.ends, known.first?.ends ?? first.ends)
            var exits = (try exits(of: device, after: earliest, upTo: last.ends + gap) + pendingExits.map(\.milliseconds))
                .sorted()[...]
            var joined: [SeenSpan] = []
            for span in (known + added).sorted(by: { ($0.begins, $0.ends) < ($1.begins, $1.ends) }) {
                guard let before = joined.last else {
                    joined.append(span)
                    continue
                }
                exits = exits.drop { $0 <= before.ends }
                let isOneSpan = span.begins <= before.ends
                let isParted = exits.first.map { $0 <= span.begins } ?? false
                if isOneSpan || span.begins - before.ends <= gap && !isParted {
                    joined[joined.endIndex - 1].ends = max(before.ends, span.ends)
                } else {
                    joined.append(span)
                }
            }
            try replace(known, with: joined, of: device, in: transaction)
        }
    }

    /// Removes all positions of a device and stores the spans in which it was seen by them.
    ///
    /// - Complexity: O(positions of the device + positions of all devices that are not in order yet).
    func removePositionsKeepingSeen(of device: DeviceKey, in transaction: borrowing Transaction) throws(Problem) {
        let (times, numbers) = try attempt { () throws(SQLiteError) in
            var times: [Int64] = []
            var numbers: [Int64] = []
            for rows in [
                "fix_order o CROSS JOIN fix f USING (number) WHERE o.device = ?",
                "fix f WHERE \(Self.isUnordered("f")) AND f.device = ?",
            ] {
                let row = try statement("SELECT f.number, f.time, f.late FROM \(rows)")
                defer { row.reset() }
                row.bind(1, device.value)
                while let (number, time, evaluation) = try row.next(Int64.self, Int64.self, EvaluationFlags.self) {
                    numbers.append(number)
                    if evaluation.isValid { times.append(time) }
                }
            }
            return (times.sorted(), numbers)
        }
        try recordSeenSpans(times.map { SeenSpan(begins: $0, ends: $0) }, of: device, in: transaction)
        try attempt { () throws(SQLiteError) in
            let row = try statement("DELETE FROM fix WHERE number = ?", in: transaction)
            for number in numbers {
                row.bind(1, number)
                try row.run()
            }
            let order = try statement("DELETE FROM fix_order WHERE device = ?", in: transaction)
            order.bind(1, device.value)
            try order.run()
        }
    }

    /// Calls `body` with each stored span of a device, ordered by time.
    package func forEachSeenSpan(of device: DeviceKey, _ body: (SeenSpan) throws(Problem) -> Void) throws(Problem) {
        for span in try attempt({ () throws(SQLiteError) in try spans(of: device, from: .min, to: .max) }) { try body(span) }
    }

    /// The greatest distance between two positions of a device without a silence between them, in milliseconds.
    private func longestGap(of device: DeviceKey) throws(SQLiteError) -> Int64 {
        let row = try statement("SELECT silent_after FROM device WHERE key = ?")
        row.bind(1, device.value)
        return try row.value(Double.self).map(SeenSpan.maximumGap(silentAfter:)) ?? 0
    }

    /// The spans of a device that overlap a period, ordered by time.
    private func spans(of device: DeviceKey, from low: Int64, to high: Int64) throws(SQLiteError) -> [SeenSpan] {
        let row = try statement(Self.spansBetween + " ORDER BY begins")
        row.bind(1, device.value)
        row.bind(2, low)
        row.bind(3, high)
        return try row.all()
    }

    /// The query for the spans of a device (`?1`) that overlap a period (`?2` to `?3`). The spans are disjoint, so of those that begin
    /// before the period only the last one can overlap it.
    static let spansBetween = """
        SELECT \(SeenSpan.columns) FROM seen_span WHERE device = ?1 AND begins <= ?3 AND ends >= ?2
        AND begins >= ifnull((SELECT max(begins) FROM seen_span WHERE device = ?1 AND begins <= ?2), ?2)
        """

    /// The times at which a device left geofences, after `low` and up to `high`, in ascending order. Retracted exits are included.
    private func exits(of device: DeviceKey, after low: Int64, upTo high: Int64) throws(SQLiteError) -> [Int64] {
        let row = try statement(
            """
            SELECT occurred_at FROM exit_by_device WHERE device = ? AND occurred_at > ? AND occurred_at <= ?
            ORDER BY occurred_at
            """)
        row.bind(1, device.value)
        row.bind(2, low)
        row.bind(3, high)
        return try row.values(Int64.self)
    }

    private func replace(
        _ old: [SeenSpan], with new: [SeenSpan], of device: DeviceKey, in transaction: borrowing Transaction
    ) throws(SQLiteError) {
        let beginnings = Set(new.map(\.begins))
        let removal = try statement("DELETE FROM seen_span WHERE device = ? AND begins = ?", in: transaction)
        for span in old where !beginnings.contains(span.begins) {
            removal.bind(1, device.value)
            removal.bind(2, span.begins)
            try removal.run()
        }
        let unchanged = Set(old)
        let row = try statement("INSERT OR REPLACE INTO seen_span VALUES (?,?,?)", in: transaction)
        for span in new where !unchanged.contains(span) {
            row.bind(1, device.value)
            row.bind(2, span.begins)
            row.bind(3, span.ends)
            try row.run()
        }
    }
}
