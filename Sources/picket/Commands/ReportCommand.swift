import Client
import Core
import Foundation
import Model
import Presence
import Service
import ToolSupport

/// `picket report`: adds up visits and distances by period.
enum ReportCommand {
    static let command = Command(
        name: "report", summary: "Add up time in geofences and distances, by month, week or day.",
        options: [
            Option(
                "--by", value: "WHAT",
                help: "One row per geofence, device or group, or per two of them, for example device,geofence"
            )
            .choosing(ReportSubject.self),
            Option("--period", value: "PERIOD", help: "One row per month, week (from Monday) or day, in the time zone")
                .choosing(ReportPeriodLength.self),
            QueryCommands.since,
            Option(
                "--until", value: "TIME",
                help: "Before this time; a day or a month is included: 2026-10 is up to the end of October; default: now"),
            QueryCommands.filters[0], GroupCommands.option, QueryCommands.filters[1], QueryCommands.notGeofence,
            QueryCommands.minDuration,
            Option("--format", value: "FORMAT", help: "text, csv, json, or html for a browser or a printer; default: text")
                .choosing(["text", "csv", "json", "html"]),
            TableFormat.csvFor, TableFormat.xlsx,
            OutputFile.option,
        ] + Option.client,
        discussion: """
            Each row has the visits of which a part is in the period, how long devices were seen in them (as 'picket visits' counts it),
            the first enter, the last exit, and by device or group the distance between their positions. A visit that starts before the
            period or ends after it counts only for the part in the period. By device or group, time in several geofences at once counts
            once. For the support bundle, use 'picket problems report'.
            """,
        examples: [
            "picket report --by geofence --period month --since 2026-01 --until 2026-03",
            "picket report --by device,geofence --period day --since 2026-10 --not-geofence yard",
            "picket report --by device --period day --since 7d --group drivers --timezone Europe/Berlin",
            "picket report --by device --period month --since 2026-10 --until 2026-10 --xlsx october.xlsx",
            "picket report --by device --period week --since 2026-10 --format html --output october.html",
        ], run: run)

    @Sendable private static func run(_ invocation: Invocation) throws(Problem) -> ExitStatus {
        // 'picket report' was the name of the report for support.
        if !invocation.has("--by"), !invocation.has("--period"), !invocation.has("--since") {
            throw .usage(
                reason: Phrase(
                    """
                    'picket report' adds up visits, and needs --by, --period and --since; 'picket problems report' prints the \
                    support bundle
                    """), help: "picket report --help")
        }
        let question = try ReportQuestion(by: invocation.timeReader, prefix: "--") { invocation.all("--" + $0) }
        let format = try invocation.tableFormat(or: "html")
        let report = try invocation.reader().report(question)
        var text = ""
        switch format {
        case .json: text = report.json.description + "\n"
        case .csv(let style):
            text = report.csv(style)
            printOmitted(report, invocation)
        case .workbook:
            let file = try TableFile(
                format ?? .text, question.columns, named: "report", in: question.zone, to: invocation.output)
            for row in report.rows { file?.add(row) }
            try file?.close()
            printOmitted(report, invocation)
            return .done
        case nil: text = ReportPage(report, in: invocation.language).html
        case .text: break
        }
        let isText = format?.isText ?? false
        if let path = invocation.value(OutputFile.option.name) {
            if isText { text = table(report, invocation.language) { $0 } }
            try OutputFile.write(text, to: path)
            if !invocation.isJSON { invocation.output.print("\(path): \(Format.size(text.utf8.count)).") }
        } else if isText {
            let output = invocation.output
            output.write(table(report, invocation.language) { Color.bold($0, on: output) })
        } else {
            invocation.output.write(text)
        }
        return .done
    }

    /// Prints how many visits are left out, which does not belong into a file.
    private static func printOmitted(_ report: Report, _ invocation: Invocation) {
        guard let omitted = ReportCells(report, in: invocation.language).omitted else { return }
        Output(descriptor: STDERR_FILENO, environment: invocation.environment).print(omitted)
    }

    private static func table(_ report: Report, _ language: Language, bold: (String) -> String) -> String {
        let cells = ReportCells(report, in: language)
        return cells.table(bold: bold) + cells.remarks.map { $0 + "\n" }.joined()
    }
}
