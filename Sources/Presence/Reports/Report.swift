import Core
import Ingest
import Model
import Places
import Store

/// The answer to a `ReportQuestion`.
package struct Report: Sendable {
    package let question: ReportQuestion
    /// Sorted by period, then by the ids or the names of the things that they are about.
    package let rows: [ReportRow]
    /// The number of visits that are left out, because they are shorter than `minDuration`.
    package let omittedVisits: Int
    /// The positions that are not evaluated yet, of at most 100 devices.
    package let unevaluated: [UnevaluatedPositions]

    package init(
        _ question: ReportQuestion, rows: [ReportRow], omittedVisits: Int, unevaluated: [UnevaluatedPositions]
    ) {
        self.question = question
        self.rows = rows
        self.omittedVisits = omittedVisits
        self.unevaluated = unevaluated
    }

    package enum FileFormat: String, CaseIterable, Sendable { case json, csv, html }

    package var json: JSONValue { json(in: AnswerLocale()) }

    /// RFC 4180 with a header line. Times have the offset of the report's zone.
    package var csv: String {
        func time(_ moment: Instant?) -> CSVLine.Field {
            moment.map { .plain(Format.timestamp($0, in: question.zone)) } ?? .empty
        }
        var columns: [CSVLine.Field] = ["period", "from", "to"]
        for subject in question.subjects {
            switch subject {
            case .geofence: columns += ["geofenceId", "geofenceName"]
            case .device: columns.append("deviceId")
            case .group: columns.append("group")
            }
        }
        columns += ["seenSeconds", "visits", "firstIn", "lastOut"]
        if question.hasDistance { columns += ["distance", "outliers"] }
        var text = CSVLine.written(columns)
        for row in rows {
            var cells: [CSVLine.Field] = [.plain(row.period), time(row.from), time(row.to)]
            for subject in question.subjects {
                switch subject {
                case .geofence: cells += [.words(row.geofenceId ?? ""), .words(row.geofenceName ?? "")]
                case .device: cells.append(.words(row.deviceId ?? ""))
                case .group: cells.append(.words(row.group ?? ""))
                }
            }
            cells += [.plain(Format.decimal(row.seenSeconds, 3)), .init(row.visits), time(row.firstIn), time(row.lastOut)]
            if question.hasDistance { cells += [.plain(Format.decimal(row.distance ?? 0, 1)), .init(row.outliers)] }
            text += CSVLine.written(cells)
        }
        return text
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
