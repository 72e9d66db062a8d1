import Model

/// When a sink sends reports: on the first day after each month, week or day of its time zone.
package struct ReportSchedule: Sendable {
    /// The length of the period of a report.
    package var every: ReportPeriodLength
    /// The local time at which a report is sent.
    package var at: TimeOfDay
    package var zone: LocalTimeZone

    /// `at` of a sink that does not set it.
    static let usualTime = TimeOfDay("06:00") ?? .midnight

    package init(every: ReportPeriodLength, at: TimeOfDay = usualTime, in zone: LocalTimeZone) {
        (self.every, self.at, self.zone) = (every, at, zone)
    }

    /// The schedule of a sink; nil if it sends no reports.
    package init?(_ sink: Sink, in zone: LocalTimeZone) {
        guard sink.target.kind.contentKind == .reports, let every = sink.target.every else { return nil }
        self.init(every: every, at: sink.target.at ?? Self.usualTime, in: zone)
    }

    /// The first day of the period at a moment.
    package func current(at now: Instant) -> LocalDate { every.first(of: zone.date(of: now)) }

    /// The first day of the period before another one.
    ///
    /// - Parameter end: The first day after the period.
    package func first(before end: LocalDate) -> LocalDate { every.first(of: end + -1) }

    /// The first day after the newest period whose report is to be sent by now.
    package func newestDue(at now: Instant) -> LocalDate {
        let current = current(at: now)
        return zone.moments(at: at.minutes, on: current).first <= now ? current : first(before: current)
    }
}
