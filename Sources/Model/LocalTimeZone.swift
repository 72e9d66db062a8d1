/// A time zone. What a name in the IANA database means is known to whoever makes it.
public struct LocalTimeZone: Sendable {
    /// As `Europe/Berlin`.
    public var name: String
    /// Seconds that local time is ahead of UTC at a moment.
    private let offset: @Sendable (Instant) -> Int

    public init(name: String, offset: @escaping @Sendable (Instant) -> Int) {
        self.name = name
        self.offset = offset
    }

    public static let utc = LocalTimeZone(name: "UTC") { _ in 0 }

    /// The local time of a moment, as if it were UTC.
    public func local(_ moment: Instant) -> Instant { moment + Double(offset(moment)) }

    /// The day that the calendar shows at a moment.
    public func date(of moment: Instant) -> LocalDate { LocalDate(localMidnight: local(moment)) }

    /// When the clocks show so many minutes after a day's midnight: the first and the last such moment.
    ///
    /// Both are the same but for the hour that is repeated when clocks are set back. A time that clocks never show, because they are set
    /// forward over it, is the moment at which that is done.
    ///
    /// - Parameter minutes: 0 … 2880: up to the end of the next day.
    public func moments(at minutes: Int, on date: LocalDate) -> (first: Instant, last: Instant) {
        let wanted = Instant(milliseconds: (date.day * 1440 + Int64(minutes)) * 60_000)
        // Clocks are not changed twice within two days, and are never more than a day from UTC.
        let (before, after) = (offset(wanted + -86_400), offset(wanted + 86_400))
        let early = wanted + -Double(max(before, after))
        let late = wanted + -Double(min(before, after))
        let isEarly = local(early) == wanted
        let isLate = local(late) == wanted
        if isEarly || isLate { return (isEarly ? early : late, isLate ? late : early) }
        // The clocks are set forward between the two.
        var (low, high) = (early.milliseconds / 1000, late.milliseconds / 1000)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if offset(Instant(milliseconds: middle * 1000)) == before { low = middle } else { high = middle }
        }
        let change = Instant(milliseconds: high * 1000)
        return (change, change)
    }
}
