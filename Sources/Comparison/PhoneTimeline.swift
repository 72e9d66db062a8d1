import Model

/// A setting of a phone over time, as the changes in a log and a snapshot show.
struct PhoneTimeline<Value: Equatable> {
    /// In order of time.
    private var changes: [(at: Instant, value: Value)] = []
    /// The value in a snapshot. It also applies before the time of the snapshot, back to the previous change.
    private var snapshot: (at: Instant, value: Value)?

    /// Adds a change that is not older than those before.
    mutating func add(_ value: Value, at moment: Instant) { changes.append((moment, value)) }

    /// - Parameter moment: `Instant.earliest` for a snapshot without a time.
    mutating func addSnapshot(_ value: Value, at moment: Instant) { snapshot = (moment, value) }

    /// The value after the changes so far; nil before the first one.
    var latest: Value? { changes.last?.value }

    /// The value at a moment, and since when it is known; nil if neither the log nor the snapshot shows it.
    func value(at moment: Instant) -> (value: Value, since: Instant)? {
        let next = changes.partitioningIndex { $0.at > moment }
        let last = next > 0 ? changes[next - 1] : nil
        if let snapshot {
            if snapshot.at <= moment, snapshot.at >= last?.at ?? .earliest { return (snapshot.value, snapshot.at) }
            // The snapshot is newer. If there was no change in between, its value already applied.
            if last == nil, next == changes.count || changes[next].at > snapshot.at { return (snapshot.value, snapshot.at) }
        }
        return last.map { ($0.value, $0.at) }
    }
}
