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
            "Adds up visits and distances by month, week or day, and by geofence, device or group, or two of them; as CSV, a page or a workbook by format or Accept",
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
                .init("format", "json (default), csv, html or xlsx", oneOf: Report.FileFormat.allCases.map(\.rawValue)), .csvFor,
            ], answer: "Report",
            otherAnswers: [
                ("text/csv; charset=utf-8", "Text"), ("text/html; charset=utf-8", "Text"), (Report.workbookType, "Bytes"),
            ]),
        work: .task { api, call throws(Problem) in
            let question = try ReportQuestion(by: call.timeReader()) { call.target.all($0) }
            let accepted: Report.FileFormat =
                call.target["csvFor"] != nil || call.accepts("text/csv")
                ? .csv : call.accepts("text/html") ? .html : call.accepts(Report.workbookType) ? .xlsx : .json
            let format = try call.oneOf("format", Report.FileFormat.self) ?? accepted
            await call.store.orderTracksUnlessReadOnly(call.client, api.diagnostics.log)
            let (report, workbook) = try await call.store.heavyReaders.ask(for: call.client) { service throws(Problem) in
                let report = try service.report(question)
                return (report, format == .xlsx ? try report.workbook() : [])
            }
            func file(_ name: String, _ type: String, _ body: Response.Body) -> Response {
                Response(status: 200, contentType: type, body: body)
                    .with("Content-Disposition", "attachment; filename=\"\(name)\"").with("Cache-Control", "no-store")
            }
            switch format {
            case .json: return .json(report.json)
            case .csv:
                return file("report.csv", HistoryExport.Format.csv.contentType, .text(report.csv(try call.csvStyle())))
            case .html: return .html(ReportPage(report, in: call.head.language).html)
            case .xlsx: return file("report.xlsx", Report.workbookType, .bytes(workbook))
            }
        })
}
