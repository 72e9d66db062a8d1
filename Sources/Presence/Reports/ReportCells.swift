import Core
import Foundation
import Model

/// The parts of a report as people read them: for the terminal, for the page and for mail.
package struct ReportCells {
    private let report: Report
    private let language: Language

    package init(_ report: Report, in language: Language) {
        self.report = report
        self.language = language
    }

    package var title: Phrase {
        let period =
            switch report.question.period {
            case .month: Phrase("by month")
            case .week: Phrase("by week")
            case .day: Phrase("by day")
            }
        let subjects = report.question.subjects
        if subjects.count == 2 {
            return Phrase("Time in geofences, \(period): \(subjects[0].phrase) × \(subjects[1].phrase)")
        }
        return switch subjects[0] {
        case .geofence: Phrase("Time in each geofence, \(period)")
        case .device: Phrase("Time in geofences and distance of each device, \(period)")
        case .group: Phrase("Time in geofences and distance of each group, \(period)")
        }
    }

    /// What the report is about: its time, what it leaves out, and when it was created.
    package var lines: [String] {
        let question = report.question
        func time(_ moment: Instant) -> String { Format.time(moment, in: question.zone) }
        var lines = ["\(time(question.since)) – \(time(question.until)) (\(question.zone.name))"]
        func add(_ line: Phrase) { lines.append(line.text(in: language)) }
        if let id = question.deviceId { add(Phrase("Only device \(id)")) }
        if let name = question.group { add(Phrase("Only group \(name)")) }
        for id in question.geofenceIds { add(Phrase("Only geofence \(id)")) }
        for id in question.excludedGeofenceIds { add(Phrase("Without geofence \(id)")) }
        add(Phrase("Created at \(time(question.now))"))
        return lines
    }

    /// The table as text, with lines of the same width; empty if there are no rows.
    ///
    /// - Parameters:
    ///   - most: The maximum number of rows.
    ///   - bold: Makes the headings bold.
    package func table(atMost most: Int = .max, bold: (String) -> String = { $0 }) -> String {
        if report.rows.isEmpty { return "" }
        let locale = Locale(identifier: language.rawValue)
        var table = Table(headings.map { $0.uppercased(with: locale) }, numeric: numeric)
        for row in report.rows.prefix(most) { table.add(cells(row)) }
        return table.text(bold: bold)
    }

    package var headings: [String] {
        var headings = [report.question.period.phrase] + report.question.subjects.map(\.phrase)
        headings += [Phrase("Visits"), Phrase("Seen"), Phrase("First in"), Phrase("Last out")]
        if report.question.hasDistance { headings.append(Phrase("Distance")) }
        return headings.map { $0.text(in: language) }
    }

    /// The columns that are aligned right.
    package var numeric: Set<Int> {
        let first = 1 + report.question.subjects.count
        return report.question.hasDistance ? [first, first + 1, first + 4] : [first, first + 1]
    }

    package func cells(_ row: ReportRow) -> [String] {
        func time(_ moment: Instant?) -> String? { moment.map { Format.time($0, in: report.question.zone) } }
        let names = report.question.subjects.map { subject in
            switch subject {
            case .geofence: row.geofenceName ?? ""
            case .device: row.deviceId ?? ""
            case .group: row.group ?? ""
            }
        }
        let lastOut = row.isOngoing ? Phrase("still there").text(in: language) : time(row.lastOut) ?? ""
        var cells = [row.period] + names
        cells += [Format.number(row.visits), language.duration(row.seenSeconds), time(row.firstIn) ?? "", lastOut]
        if report.question.hasDistance { cells.append(Phrase("\(length: row.distance ?? 0)").text(in: language)) }
        return cells
    }

    /// The sentences that follow the table.
    package var remarks: [String] {
        var remarks: [String] = []
        func add(_ remark: Phrase) { remarks.append(remark.text(in: language)) }
        if report.rows.isEmpty { add(Phrase("No visits or positions match.")) }
        if let omitted { remarks.append(omitted) }
        let outliers = report.rows.reduce(0) { $0 + $1.outliers }
        if outliers > 0 {
            add(
                Phrase(
                    outliers,
                    one: """
                        \(outliers) outlier left out of the distance: positions that imply more than the maximum speed of the device's \
                        policy.
                        """,
                    other: """
                        \(outliers) outliers left out of the distance: positions that imply more than the maximum speed of the device's \
                        policy.
                        """))
        }
        return remarks + report.unevaluated.sentences(in: language, zone: report.question.zone)
    }

    /// How many visits are left out; nil if none are.
    package var omitted: String? {
        language.omittedVisits(report.omittedVisits, shorterThan: report.question.minDuration)
    }
}

extension Language {
    /// How many visits are left out, because they are shorter than a number of seconds; nil if none are.
    package func omittedVisits(_ count: Int, shorterThan seconds: Double?) -> String? {
        guard count > 0, let seconds else { return nil }
        return Phrase(
            count, one: "\(count) visit in which the device was seen for less than \(duration: seconds) is left out.",
            other: "\(count) visits in which the device was seen for less than \(duration: seconds) are left out."
        ).text(in: self)
    }
}
