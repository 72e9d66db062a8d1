import Model
import Presence
import Routing
import Service

/// The route of reports about visits and distances.
enum TimeReportRoutes {
    typealias Route = Routing.Route<API>

    static let all: [Route] = [report]

    private static let report = Route(
        "GET", "/v1/reports", access: .reader, restricted: .allowed,
        about: .init(
            "Adds up visits and distances by month, week or day, and by geofence, device or group, or two of them; as CSV or a page by format or Accept",
            query: [
                .init(
                    "by", "One or two of geofence, device and group, separated by a comma", isRequired: true, isList: true,
                    oneOf: ReportSubject.allCases.map(\.rawValue)),
                .init(
                    "period", "month, week or day, in the time zone", isRequired: true,
                    oneOf: ReportPeriodLength.allCases.map(\.rawValue)),
                .init("since", "From this time on; \(TimeReader.forms)", isRequired: true),
                .init("until", "Before this time; a day or a month is included; default: now"), .timeZone,
                .init("device", "Only this device"), .init("group", "Only devices that are in this group now"),
                .init("geofence", "Only these geofences", isRepeatable: true),
                .init("notGeofence", "Only other geofences", isRepeatable: true), .minDuration,
                .init("format", "json (default), csv or html", oneOf: Report.FileFormat.allCases.map(\.rawValue)), .csvFor,
            ], answer: "Report", otherAnswers: [("text/csv; charset=utf-8", "Text"), ("text/html; charset=utf-8", "Text")]),
        work: .task { api, call throws(Problem) in
            let question = try ReportQuestion(by: call.timeReader()) { call.target.all($0) }
            let accepted: Report.FileFormat =
                call.target["csvFor"] != nil || call.accepts("text/csv") ? .csv : call.accepts("text/html") ? .html : .json
            let format = try call.oneOf("format", Report.FileFormat.self) ?? accepted
            await call.store.orderTracksUnlessReadOnly(call.client, api.diagnostics.log)
            let report = try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                try service.report(question)
            }
            switch format {
            case .json: return .json(report.json)
            case .csv:
                let text = report.csv(try call.csvStyle())
                return Response(status: 200, contentType: HistoryExport.Format.csv.contentType, body: .text(text))
                    .with("Content-Disposition", "attachment; filename=\"report.csv\"").with("Cache-Control", "no-store")
            case .html:
                return .html(ReportPage(report, in: call.head.language).html)
            }
        })
}
