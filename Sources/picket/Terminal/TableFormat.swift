import Model
import ToolSupport

/// The format of a list.
enum TableFormat: String, CaseIterable {
    case text, csv, json

    static let option = Option(
        "--format", value: "FORMAT", help: "text, csv for spreadsheets (with times in UTC), or json; default: text"
    )
    .choosing(TableFormat.self)
}

extension Invocation {
    /// The format that `--format` or `--json` names, else text.
    func tableFormat() throws(Problem) -> TableFormat {
        try oneOf(TableFormat.option.name, TableFormat.self) ?? (isJSON ? .json : .text)
    }
}
