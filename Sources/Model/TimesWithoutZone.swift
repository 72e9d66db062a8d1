/// How many times of positions had no offset from UTC, by the zone that was assumed for them.
package struct TimesWithoutZone: Hashable, Sendable {
    /// Times in one zone.
    package struct Count: Hashable, Sendable {
        /// The name of the zone, such as `Europe/Berlin`.
        package var timeZone: String
        package var count: Int

        package init(timeZone: String, count: Int) {
            self.timeZone = timeZone
            self.count = count
        }
    }

    /// One entry a zone, in the order of their first use.
    package private(set) var counts: [Count] = []

    package init() {}

    /// Counts times for which a zone was assumed.
    package mutating func add(_ count: Int, in zone: String) {
        if let index = counts.firstIndex(where: { $0.timeZone == zone }) {
            counts[index].count += count
        } else {
            counts.append(Count(timeZone: zone, count: count))
        }
    }

    package mutating func add(_ other: TimesWithoutZone) {
        for entry in other.counts { add(entry.count, in: entry.timeZone) }
    }
}
