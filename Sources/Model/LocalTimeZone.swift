/// A time zone. Its creator provides the offsets, so that this target does not depend on the IANA database.
package struct LocalTimeZone: Sendable {
    /// A name such as `Europe/Berlin`.
    package var name: String
    /// Seconds by which local time is ahead of UTC at a moment.
    private let offset: @Sendable (Instant) -> Int

    package init(name: String, offset: @escaping @Sendable (Instant) -> Int) {
        self.name = name
        self.offset = offset
    }

    package static let utc = LocalTimeZone(name: "UTC") { _ in 0 }

    /// The local time at a moment, expressed as if it were UTC.
    package func local(_ moment: Instant) -> Instant { moment + Double(offset(moment)) }

    /// The local date at a moment.
    package func date(of moment: Instant) -> LocalDate { LocalDate(localMidnight: local(moment)) }

    /// The first and the last moment at which local time is a number of minutes after the midnight of a day.
    ///
    /// The two are equal, except within an hour that is repeated when clocks are set back. For a local time that does not exist, because
    /// clocks are set forward, both are the moment of that change.
    ///
    /// - Parameter minutes: 0 … 2880, which is the end of the next day.
    package func moments(at minutes: Int, on date: LocalDate) -> (first: Instant, last: Instant) {
        let wanted = Instant(milliseconds: (date.day * 1440 + Int64(minutes)) * 60_000)
        // This assumes that clocks do not change twice within two days and differ from UTC by at most a day.
        let (before, after) = (offset(wanted + -86_400), offset(wanted + 86_400))
        let early = wanted + -Double(max(before, after))
        let late = wanted + -Double(min(before, after))
        let isEarly = local(early) == wanted
        let isLate = local(late) == wanted
        if isEarly || isLate { return (isEarly ? early : late, isLate ? late : early) }
        // The clocks are set forward between the two; a binary search finds the second.
        var (low, high) = (early.milliseconds / 1000, late.milliseconds / 1000)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(Instant(milliseconds: middle * 1000)) == before { low = middle } else { high = middle }
        }
        let change = Instant(milliseconds: high * 1000)
        return (change, change)
    }
}
