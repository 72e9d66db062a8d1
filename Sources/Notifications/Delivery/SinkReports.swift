import Core
import Delivery
import Model
import Presence
import Secrets
import Service
import Settings

/// Computes the reports that sinks send, on the threads of readers.
struct SinkReports: Sendable {
    let readers: Readers
    /// Nil for a command without a service.
    let writer: Writer?

    /// The maximum number of rows in the text of a mail. The workbook has all.
    private static let mostRows = 1000

    /// Computes a report of a sink.
    ///
    /// - Parameters:
    ///   - end: The first day after the period of the report; nil for a test, which is about the current period so far.
    ///   - now: When the report is created.
    ///   - done: Called with the report on any thread.
    func compute(
        of sink: Sink, before end: LocalDate?, at now: Instant,
        _ done: @escaping @Sendable (Result<OutboxReport, Problem>) -> Void
    ) {
        let compute: @Sendable () -> Void = {
            ask(
                { service throws(Problem) in try service.outboxReport(of: sink, before: end, at: now, mostRows: Self.mostRows) },
                done)
        }
        guard let writer else { return compute() }
        ask({ service throws(Problem) in try service.canReadTracks() }) { isReady in
            if case .success(false) = isReady { writer.sortFixes { _ in compute() } } else { compute() }
        }
    }

    private func ask<Answer: Sendable>(
        _ query: @escaping @Sendable (Queries) throws(Problem) -> Answer,
        _ done: @escaping @Sendable (Result<Answer, Problem>) -> Void
    ) {
        if !readers.submit(query, done) { done(.failure(Readers.overload)) }
    }
}

extension Queries {
    /// - Parameter mostRows: The maximum number of rows in the text.
    fileprivate func outboxReport(
        of sink: Sink, before end: LocalDate?, at now: Instant, mostRows: Int
    ) throws(Problem) -> OutboxReport {
        guard let schedule = ReportSchedule(sink, in: try SinkTimeZone(named: sink.timeZone)) else {
            throw .unknown(details: .noSuchMessageForSink)
        }
        let first = schedule.first(of: end, at: now)
        let report = try report(sink.question(from: schedule.zone.start(of: first), until: end, schedule, at: now))
        let (language, name) = (sink.language, schedule.every.name(of: first))
        let cells = ReportCells(report, in: language)
        let title = Phrase("Report \(name): \(cells.title)")
        var remarks = cells.remarks
        let count = report.rows.count
        if count > mostRows {
            let remark = Phrase("All \(count) rows are in the workbook; these are the first \(mostRows).")
            remarks.insert(remark.text(in: language), at: 0)
        }
        let parts = [
            ([cells.title.text(in: language)] + cells.lines).map { $0 + "\n" }.joined(), cells.table(atMost: mostRows),
            remarks.map { $0 + "\n" }.joined(),
        ]
        return OutboxReport(
            number: end?.day ?? 0,
            key: end == nil ? "test-\(Secret.name())" : "\(try identity().id)-\(sink.id)-\(name)",
            title: (end == nil ? Phrase("Test: \(title)") : title).text(in: language),
            text: parts.filter { !$0.isEmpty }.joined(separator: "\n"),
            workbook: MailAttachment(
                name: "report-\(name).xlsx", type: Report.workbookType, bytes: try report.workbook()),
            createdAt: now)
    }
}

extension ReportSchedule {
    /// The first day of a report's period.
    ///
    /// - Parameter end: The first day after the period; nil for the current period, or at its very beginning for the one before.
    fileprivate func first(of end: LocalDate?, at now: Instant) -> LocalDate {
        if let end { return first(before: end) }
        let current = current(at: now)
        return zone.start(of: current) < now ? current : first(before: current)
    }
}

extension Sink {
    /// The question that a report of the sink answers, as `picket report` asks it.
    ///
    /// - Parameter end: The first day after the report; nil for `now`.
    fileprivate func question(
        from start: Instant, until end: LocalDate?, _ schedule: ReportSchedule, at now: Instant
    ) throws(Problem) -> ReportQuestion {
        try ReportQuestion(by: TimeReader(now: now, zone: schedule.zone)) { name in
            switch name {
            case "by": [target.by.map(\.rawValue).joined(separator: ",")]
            case "period": [(target.period ?? schedule.every).rawValue]
            case "since": [start.description]
            case "until": [(end.map(schedule.zone.start(of:)) ?? now).description]
            case "device": filter.devices
            case "group": filter.groups
            case "geofence": filter.geofences
            case "notGeofence": filter.notGeofences
            case "minDuration": target.minDuration.map { [TimeSpan.text($0)] } ?? []
            default: []
            }
        }
    }
}
