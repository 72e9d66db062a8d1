/// One period of a report, cut off at the report's start and end.
package struct ReportPeriod: Hashable, Sendable {
    /// `2026-10`, `2026-W41` (ISO 8601) or `2026-10-05`.
    package var name: String
    package var from: Instant
    /// The first moment after the period.
    package var to: Instant

    package init(name: String, from: Instant, to: Instant) { (self.name, self.from, self.to) = (name, from, to) }
}

/// The length of the periods of a report.
package enum ReportPeriodLength: String, CaseIterable, Sendable {
    case month
    /// From Monday to Sunday.
    case week
    case day

    /// The periods between two moments. The first period begins at `since`, and the last one ends at `until`.
    ///
    /// - Returns: The periods in order of time; nil if there are more than `most`.
    package func periods(since: Instant, until: Instant, in zone: LocalTimeZone, atMost most: Int) -> [ReportPeriod]? {
        var periods: [ReportPeriod] = []
        var first = first(of: zone.date(of: since))
        while true {
            let next = next(after: first)
            let (from, to) = (max(since, zone.start(of: first)), min(until, zone.start(of: next)))
            guard from < until else { return periods }
            if periods.count == most { return nil }
            // If a time zone skips a whole day, that day is empty.
            if from < to { periods.append(ReportPeriod(name: name(of: first), from: from, to: to)) }
            first = next
        }
    }

    /// The first day of the period to which a day belongs.
    package func first(of date: LocalDate) -> LocalDate {
        switch self {
        case .month: date.firstOfMonth
        case .week: date.monday
        case .day: date
        }
    }

    private func next(after first: LocalDate) -> LocalDate {
        switch self {
        case .month: first.firstOfNextMonth
        case .week: first + 7
        case .day: first + 1
        }
    }

    /// The name of the period with a first day; see `ReportPeriod.name`.
    package func name(of first: LocalDate) -> String {
        switch self {
        case .month: return String(first.description.prefix(7))
        case .week:
            let (year, number) = first.week
            return "\(year)-W\(number < 10 ? "0" : "")\(number)"
        case .day: return first.description
        }
    }
}

extension ReportPeriodLength: Named {
    /// The heading of a column.
    package var phrase: Phrase {
        switch self {
        case .month: Phrase("Month")
        case .week: Phrase("Week")
        case .day: Phrase("Day")
        }
    }
}
