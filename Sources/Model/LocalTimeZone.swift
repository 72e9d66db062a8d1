/// A time zone. Its creator provides the offsets, so that this target does not depend on the IANA database.
package struct LocalTimeZone: Sendable {
    /// A name such as `Europe/Berlin`.
    package var name: String
    private let offset: @Sendable (Instant) -> Int

    package init(name: String, offset: @escaping @Sendable (Instant) -> Int) {
        self.name = name
        self.offset = offset
    }

    package static let utc = LocalTimeZone(name: "UTC") { _ in 0 }

    /// Whether the zone is UTC itself, not a zone whose clocks agree with UTC for a part of the year.
    package var isUTC: Bool { name == Self.utc.name }

    /// Seconds by which local time is ahead of UTC at a moment.
    package func offset(at moment: Instant) -> Int { offset(moment) }

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
        moments(atLocal: Instant(milliseconds: (date.day * 1440 + Int64(minutes)) * 60_000))
    }

    /// The moment at which a day begins: its first midnight, or the moment at which clocks are set forward across midnight.
    package func start(of date: LocalDate) -> Instant { moments(at: 0, on: date).first }

    /// The moment of a local time, which is expressed as if it were UTC.
    ///
    /// The offset from UTC is the one before a change of the clocks, if the change repeats or skips that local time.
    package func moment(atLocal local: Instant) -> Instant {
        let before = offset(local + -86_400)
        let early = local + -Double(before)
        if offset(early) == before { return early }
        let after = offset(local + 86_400)
        let late = local + -Double(after)
        return offset(late) == after ? late : early
    }

    /// The first and the last moment of a local time, which is expressed as if it were UTC; see `moments(at:on:)`.
    package func moments(atLocal wanted: Instant) -> (first: Instant, last: Instant) {
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
