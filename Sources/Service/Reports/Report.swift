import Ingest
import Model

/// The answer to a `ReportQuestion`.
package struct Report: Sendable {
    package let question: ReportQuestion
    /// Sorted by period, then by the id or the name of what they stand for.
    package let rows: [ReportRow]

    package init(_ question: ReportQuestion, rows: [ReportRow]) {
        self.question = question
        self.rows = rows
    }

    package enum FileFormat: String, CaseIterable, Sendable { case json, csv, html }

    package var json: JSONValue {
        [
            "by": .string(question.subject.rawValue), "period": .string(question.period.rawValue),
            "timeZone": .string(question.zone.name), "since": JSONValue(question.since), "until": JSONValue(question.until),
            "rows": .array(rows.map { ReportRow.shape.encode($0) }),
        ]
    }

    /// RFC 4180 with a header line. Times have the offset of the report's zone.
    package var csv: String {
        let hasDistance = question.subject != .geofence
        let subject: [CSVLine.Field] =
            switch question.subject {
            case .geofence: ["geofenceId", "geofenceName"]
            case .device: ["deviceId"]
            case .group: ["group"]
            }
        func time(_ moment: Instant?) -> CSVLine.Field {
            moment.map { .plain(Format.timestamp($0, in: question.zone)) } ?? .empty
        }
        var text = CSVLine.written(
            ["period", "from", "to"] + subject + ["seenSeconds", "visits", "firstIn", "lastOut"]
                + (hasDistance ? ["distance"] : []) + ["unknownVisits"])
        for row in rows {
            let names = [row.geofenceId, row.geofenceName, row.deviceId, row.group].compactMap(\.self)
            text += CSVLine.written(
                [.plain(row.period), time(row.from), time(row.to)] + names.map { .words($0) }
                    + [
                        .plain(Format.decimal(row.seenSeconds, 3)), .init(row.visits), time(row.firstIn), time(row.lastOut),
                    ] + (hasDistance ? [.plain(Format.decimal(row.distance ?? 0, 1))] : [])
                    + [.init(row.unknownVisits)])
        }
        return text
    }
}
