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

    /// The first day of its month.
    package var firstOfMonth: LocalDate { self + (1 - Instant.civil(days: day).day) }

    /// The first day of the month after its month.
    package var firstOfNextMonth: LocalDate {
        let (year, month, _) = Instant.civil(days: day)
        return LocalDate(day: Instant.days(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1))
    }

    /// The Monday of its week.
    package var monday: LocalDate { self + -Int64(weekday) }

    /// The year and the number of its week by ISO 8601: weeks begin on Monday, and belong to the year of their Thursday.
    package var week: (year: Int64, number: Int64) {
        let thursday = monday + 3
        let year = Instant.civil(days: thursday.day).year
        return (year, (thursday.day - Instant.days(year: year, month: 1, day: 1)) / 7 + 1)
    }

    /// The date in the form `2026-12-24`.
    package var description: String { String(Instant(milliseconds: day * 86_400_000).description.prefix(10)) }

    package static func < (a: LocalDate, b: LocalDate) -> Bool { a.day < b.day }
    /// The date that is a number of days later, or earlier if `days` is negative.
    package static func + (date: LocalDate, days: Int64) -> LocalDate { LocalDate(day: date.day + days) }
}
