import Core
import Model
import Tables
import ToolSupport

/// The format of a list.
enum TableFormat: Sendable {
    case text, json
    case csv(CSVStyle)

    static let option = Option("--format", value: "FORMAT", help: "text, csv or json; default: text")
        .choosing(["text", "csv", "json"])
    static let csvFor = Option(
        "--csv-for", value: "LOCALE",
        help: "CSV for a spreadsheet with this locale: its separator and decimal mark, and times without an offset"
    )
    .choosing(SpreadsheetLocale.self)

    static let options = [option, csvFor]

    var isText: Bool {
        if case .text = self { return true }
        return false
    }
}

extension Invocation {
    /// The format that `--format`, `--json` and `--csv-for` name, else text.
    ///
    /// - Parameter other: Another format of this command.
    /// - Returns: Nil for the other format.
    func tableFormat(or other: String? = nil) throws(Problem) -> TableFormat? {
        let name = value(TableFormat.option.name)
        if let locale = try oneOf(TableFormat.csvFor.name, SpreadsheetLocale.self) {
            if isJSON || name ?? "csv" != "csv" {
                throw .usage(
                    reason: .exclude(TableFormat.csvFor.name, isJSON ? "--json" : TableFormat.option.name),
                    help: "picket \(command.name) --help")
            }
            return .csv(CSVStyle(for: locale, in: timeZone))
        }
        switch name {
        case nil: return isJSON ? .json : .text
        case "text": return .text
        case "json": return .json
        case "csv": return .csv(CSVStyle(in: timeZone))
        case .some(let name):
            if name == other { return nil }
            throw .validationFailed(
                field: TableFormat.option.name, value: name, reason: .noSuchValue,
                expected: .oneOf(["text", "csv", "json"] + (other.map { [$0] } ?? [])))
        }
    }
}

/// A file whose lines are the rows of a table, on the standard output.
struct TableFile<Row> {
    private let columns: [TableColumn<Row>]
    private let style: CSVStyle
    private let output: Output

    /// Writes the headings.
    ///
    /// - Returns: Nil if the format is not one of a file.
    init?(_ format: TableFormat, _ columns: [TableColumn<Row>], to output: Output) {
        guard case .csv(let style) = format else { return nil }
        (self.columns, self.style, self.output) = (columns, style, output)
        output.write(style.header(columns))
    }

    func add(_ row: Row) { output.write(style.line(row, columns)) }
}
