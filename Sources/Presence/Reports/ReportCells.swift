import Core
import Model

/// The cells of a report as people read them, for the terminal and for the page.
package struct ReportCells {
    private let report: Report
    private let language: Language

    package init(_ report: Report, in language: Language) {
        self.report = report
        self.language = language
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
