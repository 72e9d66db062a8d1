import Model

/// The cells of a report as people read them, for the terminal and for the page.
package struct ReportCells {
    private let report: Report
    private let language: Language

    package init(_ report: Report, in language: Language) {
        self.report = report
        self.language = language
    }

    private var words: any ReportCatalog { language.report }
    private var hasDistance: Bool { report.question.subject != .geofence }

    package var headings: [String] {
        [
            words.heading(report.question.period), words.heading(report.question.subject), words.visits, words.seen,
            words.firstIn,
            words.lastOut,
        ] + (hasDistance ? [words.distance] : [])
    }

    /// The columns that are aligned right.
    package var numeric: Set<Int> { hasDistance ? [2, 3, 6] : [2, 3] }

    package func cells(_ row: ReportRow) -> [String] {
        func time(_ moment: Instant?) -> String? { moment.map { Format.time($0, in: report.question.zone) } }
        let isUnknown = row.visits > 0 && row.unknownVisits == row.visits
        let name = row.geofenceName ?? row.deviceId ?? row.group ?? ""
        let seen = isUnknown ? words.unknown : language.duration(row.seenSeconds)
        let lastOut = row.isOngoing ? words.stillThere : time(row.lastOut) ?? ""
        var cells = [row.period, name, Format.number(row.visits), seen, time(row.firstIn) ?? "", lastOut]
        if hasDistance { cells.append(Format.length(row.distance ?? 0)) }
        return cells
    }

    /// The sentences that follow the table.
    package var remarks: [String] {
        var remarks: [String] = []
        if report.rows.isEmpty { remarks.append(words.nothing) }
        let unknown = report.rows.reduce(0) { $0 + $1.unknownVisits }
        if unknown > 0 { remarks.append(words.unknownVisits(unknown)) }
        if let omitted { remarks.append(omitted) }
        let outliers = report.rows.reduce(0) { $0 + $1.outliers }
        if outliers > 0 { remarks.append(words.outliers(outliers)) }
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
        seconds.flatMap { count == 0 ? nil : report.omittedVisits(count, shorterThan: duration($0)) }
    }
}
