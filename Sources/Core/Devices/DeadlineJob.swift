import Model

/// Fires the deadlines before a moment, while the clock can be relied on.
package struct DeadlineJob: LongJob {
    private let moment: Instant

    package init(upTo moment: Instant) { self.moment = moment }

    package func step(_ service: ServiceWriter) throws(Problem) -> Bool {
        guard try service.recordClock() else { return false }
        _ = try service.fireDeadlines(upTo: moment, within: .milliseconds(10))
        return try service.nextDeadline().map { $0 < moment } ?? false
    }
}
