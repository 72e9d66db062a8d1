import Core
import Model

/// How a table is written as CSV: as in RFC 4180, but with line feeds as line breaks.
package struct CSVStyle: Sendable {
    /// The spreadsheet for which the file is; nil for programs.
    private let locale: SpreadsheetLocale?
    /// The zone of the times.
    private let zone: LocalTimeZone

    package init(for locale: SpreadsheetLocale? = nil, in zone: LocalTimeZone) {
        self.locale = locale
        self.zone = zone
    }

    /// The first line, with the names of the columns. A byte order mark tells spreadsheets that the file is UTF-8.
    package func header<Row>(_ columns: [TableColumn<Row>]) -> String {
        (locale == nil ? "" : "\u{FEFF}") + line(columns.map(\.name))
    }

    /// The line of a row.
    package func line<Row>(_ row: Row, _ columns: [TableColumn<Row>]) -> String { line(columns.map { text($0.cell(row)) }) }

    private func line(_ fields: [String]) -> String { fields.joined(separator: locale?.separator ?? ",") + "\n" }

    private func text(_ cell: TableCell) -> String {
        switch cell {
        case .empty: return ""
        case .plain(let text): return quoted(text)
        case .words(let text):
            // An apostrophe before text that a spreadsheet would evaluate as a formula, so that a name cannot run anything when the file is
            // opened.
            let isFormula = text.unicodeScalars.first.map { "=+-@\t\r".unicodeScalars.contains($0) } ?? false
            return quoted(isFormula ? "'" + text : text)
        case .number(let number):
            let text = JSONValue(number).description
            return locale.map { text.replacing(".", with: $0.decimalMark) } ?? text
        case .flag(let flag): return flag ? "true" : "false"
        case .time(let time):
            if locale == nil { return Format.timestamp(time, in: zone) }
            return String(zone.local(time).description.prefix(19)).replacing("T", with: " ")
        case .duration(let seconds): return Format.hoursAndMinutes(seconds)
        }
    }

    private func quoted(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: { "\",;\r\n".unicodeScalars.contains($0) }) else { return text }
        return "\"" + text.replacing("\"", with: "\"\"") + "\""
    }
}

/// The locale of a spreadsheet program, which determines how it reads CSV.
package enum SpreadsheetLocale: String, CaseIterable, Sendable {
    case de, en, es, fr, it, nl, pl, pt, tr
    case swissGerman = "de-CH"

    /// Spreadsheets separate fields by semicolons where the comma is the decimal mark, and in Switzerland.
    var separator: String { self == .en ? "," : ";" }

    var decimalMark: String { self == .en || self == .swissGerman ? "." : "," }
}
