import Core
import Model
import Tables
import ToolSupport

/// The format of a list.
enum TableFormat: Sendable {
    case text, json
    case csv(CSVStyle)
    /// An XLSX file at a path.
    case workbook(String)

    static let option = Option("--format", value: "FORMAT", help: "text, csv or json; default: text")
        .choosing(["text", "csv", "json"])
    static let csvFor = Option(
        "--csv-for", value: "LOCALE",
        help: "CSV for a spreadsheet with this locale: its separator and decimal mark, and times without an offset"
    )
    .choosing(SpreadsheetLocale.self)

    static let xlsx = Option(
        "--xlsx", value: "FILE", help: "Write an XLSX workbook to this file, which only you can read")

    static let options = [option, csvFor, xlsx]

    var isText: Bool { if case .text = self { true } else { false } }
    var isJSON: Bool { if case .json = self { true } else { false } }
}

extension Invocation {
    /// The format that `--format`, `--json`, `--csv-for` and `--xlsx` name, else text.
    ///
    /// - Parameter other: Another format of this command.
    /// - Returns: Nil for the other format.
    func tableFormat(or other: String? = nil) throws(Problem) -> TableFormat? {
        if let path = value(TableFormat.xlsx.name) {
            for other in [TableFormat.option.name, TableFormat.csvFor.name, "--json", OutputFile.option.name, "--follow"]
            where has(other) {
                throw .usage(reason: .exclude(TableFormat.xlsx.name, other), help: "picket \(command.name) --help")
            }
            return .workbook(path)
        }
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

/// A file with the rows of a table: CSV on the standard output, or a workbook.
struct TableFile<Row> {
    private enum Writer {
        case csv(CSVStyle)
        case workbook(Workbook<Row>, String)
    }

    private let writer: Writer
    private let columns: [TableColumn<Row>]
    private let output: Output

    /// Writes the headings.
    ///
    /// - Parameter name: The name of the workbook's sheet.
    /// - Returns: Nil if the format is not one of a file.
    init?(
        _ format: TableFormat, _ columns: [TableColumn<Row>], named name: String, in zone: LocalTimeZone, to output: Output
    ) throws(Problem) {
        (self.columns, self.output) = (columns, output)
        switch format {
        case .text, .json: return nil
        case .csv(let style):
            writer = .csv(style)
            output.write(style.header(columns))
        case .workbook(let path):
            // The library replaces the content of the file, and keeps its permissions.
            try OutputFile.write("", to: path)
            writer = .workbook(try Workbook(name, at: path, columns, in: zone), path)
        }
    }

    func add(_ row: Row) {
        switch writer {
        case .csv(let style): output.write(style.line(row, columns))
        case .workbook(let book, _): book.add(row)
        }
    }

    /// Writes a workbook to its file. Nothing is there before.
    func close() throws(Problem) {
        guard case .workbook(let book, let path) = writer else { return }
        try book.close()
        output.print("\(path): \(Format.size(OutputFile.size(of: path))).")
    }
}
