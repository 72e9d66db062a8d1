/// A calendar day, without a time zone.
package struct LocalDate: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// Days since 1970-01-01.
    package var day: Int64

    package init(day: Int64) { self.day = day }

    /// Parses a date such as `2026-12-24`; nil for anything else.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count == 10, let midnight = Instant("\(text)T00:00:00Z") else { return nil }
        self.init(localMidnight: midnight)
    }

    /// The day of a local time that is expressed as if it were UTC.
    init(localMidnight local: Instant) { day = Int64((local.seconds / 86_400).rounded(.down)) }

    /// The day of the week, 0 for Monday. (1 January 1970 was a Thursday.)
    package var weekday: Int { Int(((day + 3) % 7 + 7) % 7) }

    /// The date in the form `2026-12-24`.
    package var description: String { String(Instant(milliseconds: day * 86_400_000).description.prefix(10)) }

    package static func < (a: LocalDate, b: LocalDate) -> Bool { a.day < b.day }
    /// The date that is a number of days later, or earlier if `days` is negative.
    package static func + (date: LocalDate, days: Int64) -> LocalDate { LocalDate(day: date.day + days) }
}
