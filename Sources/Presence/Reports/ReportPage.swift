import Core
import Model

/// A report as one page of HTML, without scripts and without anything that is loaded from elsewhere, for the screen and for paper.
package struct ReportPage {
    private let report: Report
    private let language: Language

    package init(_ report: Report, in language: Language) {
        self.report = report
        self.language = language
    }

    private static let style = """
        body { font: .95rem/1.45 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem }
        body { color: #1b1b1b; background: #fff }
        h1 { font-size: 1.5rem; margin: 0 0 .25rem }
        p { margin: .25rem 0; color: #4a4a4a }
        .table { overflow-x: auto; margin: 1.25rem 0 }
        table { border-collapse: collapse; width: 100% }
        th, td { padding: .35rem .6rem; text-align: left; vertical-align: top; border-bottom: 1px solid #d0d0d0 }
        td.text { overflow-wrap: anywhere; min-width: 8rem }
        td.time { font-variant-numeric: tabular-nums }
        thead th { border-bottom: 2px solid #1b1b1b }
        tbody th { padding-top: 1rem; font-size: 1.1rem; border-bottom: 1px solid #1b1b1b }
        .number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums }
        @page { margin: 15mm }
        @media print {
          body { font-size: 9pt; margin: 0; max-width: none; padding: 0 }
          .table { overflow: visible }
          thead { display: table-header-group }
          tr { break-inside: avoid }
          tbody tr:first-child { break-after: avoid }
        }
        """

    package var html: String {
        let cells = ReportCells(report, in: language)
        return HTMLText.page(
            language, title: HTMLText.escaped(cells.title.text(in: language)), style: Self.style,
            body: HTMLText.paragraphs(cells.lines) + "\n" + table(cells))
    }

    /// The table with a body for each period, and additional remarks.
    private func table(_ cells: ReportCells) -> String {
        let remarks = HTMLText.paragraphs(cells.remarks)
        if report.rows.isEmpty { return remarks }
        // The period is the heading of its rows.
        let columns = cells.headings.indices.dropFirst()
        func style(_ column: Int) -> String {
            cells.numeric.contains(column) ? "number" : column <= report.question.subjects.count ? "text" : "time"
        }
        let headings = columns.map { "<th scope=\"col\" class=\"\(style($0))\">\(HTMLText.escaped(cells.headings[$0]))</th>" }
        var text = "<div class=\"table\">\n<table>\n<thead><tr>\(headings.joined())</tr></thead>\n"
        var period: String?
        for row in report.rows {
            let shown = cells.cells(row)
            if row.period != period {
                text += period == nil ? "<tbody>\n" : "</tbody>\n<tbody>\n"
                text += "<tr><th scope=\"rowgroup\" colspan=\"\(columns.count)\">\(HTMLText.escaped(row.period))</th></tr>\n"
                period = row.period
            }
            text += "<tr>" + columns.map { "<td class=\"\(style($0))\">\(HTMLText.escaped(shown[$0]))</td>" }.joined() + "</tr>\n"
        }
        return text + "</tbody>\n</table>\n</div>\n\(remarks)"
    }
}
