import Core
import Model
import Places
import Store
import Tables

/// The answer to a `ReportQuestion`.
package struct Report: Sendable {
    let question: ReportQuestion
    /// Sorted by period, then by the ids or the names of the things that they are about.
    package let rows: [ReportRow]
    /// The number of visits that are left out, because they are shorter than `minDuration`.
    let omittedVisits: Int
    /// The positions that are not evaluated yet, of at most 100 devices.
    let unevaluated: [UnevaluatedPositions]

    package init(
        _ question: ReportQuestion, rows: [ReportRow], omittedVisits: Int, unevaluated: [UnevaluatedPositions]
    ) {
        self.question = question
        self.rows = rows
        self.omittedVisits = omittedVisits
        self.unevaluated = unevaluated
    }

    package enum FileFormat: String, CaseIterable, Sendable { case json, csv, html, xlsx }

    package var json: JSONValue { json(in: AnswerLocale()) }

    /// With times in the report's zone.
    var csv: String { csv(CSVStyle(in: question.zone)) }

    package func csv(_ style: CSVStyle) -> String {
        let columns = question.columns
        return style.header(columns) + rows.map { style.line($0, columns) }.joined()
    }

    /// The media type of a workbook.
    package static let workbookType = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

    /// The rows as a file of the format XLSX.
    ///
    /// - Throws: `Problem.fileFailed` if a temporary file cannot be written.
    package func workbook() throws(Problem) -> [UInt8] {
        try Workbook.bytes(named: "report", question.columns, rows, in: question.zone)
    }
}

extension ReportQuestion {
    /// The columns of the report as a table.
    package var columns: [TableColumn<ReportRow>] {
        var columns: [TableColumn<ReportRow>] = [
            .init("period") { .plain($0.period) }, .init("from") { .init($0.from) }, .init("to") { .init($0.to) },
        ]
        for subject in subjects {
            switch subject {
            case .geofence:
                columns += [.init("geofenceId") { .words($0.geofenceId) }, .init("geofenceName") { .words($0.geofenceName) }]
            case .device: columns.append(.init("deviceId") { .words($0.deviceId) })
            case .group: columns.append(.init("group") { .words($0.group) })
            }
        }
        columns += [.init("seenSeconds") { .init($0.seenSeconds, decimals: 3) }] + TableColumn.hours(\.seenSeconds)
        columns += [
            .init("visits") { .init($0.visits) }, .init("firstIn") { .init($0.firstIn) }, .init("lastOut") { .init($0.lastOut) },
        ]
        if hasDistance {
            columns += [.init("distance") { .init($0.distance, decimals: 1) }, .init("outliers") { .init($0.outliers) }]
        }
        return columns
    }
}

extension Report: JSONWritable {
    package static let output = JSONOutput<Report>(
        "Report", summary: "Visits and distances, added up by period",
        .init("by", kind: .text, summary: "The subjects of a row, separated by a comma", content: \.question.by),
        .init("period", kind: .word, summary: "The length of the periods", content: \.question.period),
        .init("timeZone", kind: .text, summary: "The time zone of the periods", content: \.question.zone.name),
        .init("since", kind: .time, summary: "The first moment", content: \.question.since),
        .init("until", kind: .time, summary: "The first moment after the report", content: \.question.until),
        .init(
            "minDuration", optional: .number, summary: "Visits in which the device was seen for fewer seconds are left out",
            content: \.question.minDuration),
        .init(
            "omittedVisits", optional: .whole, summary: "With minDuration: the number of visits that are left out",
            content: { $0.question.minDuration == nil ? nil : $0.omittedVisits }),
        .init("rows", kind: .list(of: .object), summary: "Sorted by period, then by the subjects of the rows", content: \.rows),
        .init(
            "notEvaluated", optional: .list(of: .object(of: UnevaluatedPositions.listedShape)),
            summary: "Late positions that are not evaluated, of at most 100 devices; omitted when there are none",
            content: { $0.unevaluated.isEmpty ? nil : $0.unevaluated }))
}
