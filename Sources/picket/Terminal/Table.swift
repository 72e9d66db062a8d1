import Core
import Model
import ToolSupport

/// A table for people: each column is as wide as its widest cell.
struct Table {
    /// The text of a cell without a value.
    static let noValue = "-"

    private let headings: [String]
    private var rows: [[String]] = []
    /// The columns that are aligned right.
    private let numeric: Set<Int>

    init(_ headings: [String], numeric: Set<Int>) {
        self.headings = headings
        self.numeric = numeric
    }

    /// - Parameter headings: The headings with `|` between them; see `Phrase.parts(in:)`.
    init(_ headings: Phrase, numeric: Set<Int> = [], in language: Language) {
        self.init(headings.parts(in: language), numeric: numeric)
    }

    mutating func add(_ cells: [String]) { rows.append(cells.map(Format.name)) }

    func print(to output: Output) { output.write(text { Color.bold($0, on: output) }) }

    /// - Parameter bold: Makes the headings bold.
    func text(bold: (String) -> String = { $0 }) -> String {
        let widths = headings.indices.map { column in
            ([headings] + rows).map { $0[column].count }.max() ?? 0
        }
        func line(_ cells: [String]) -> String {
            var text = ""
            for (column, cell) in cells.enumerated() {
                if column > 0 { text += "  " }
                let isLast = column == cells.count - 1
                text += numeric.contains(column) ? cell.leading(widths[column]) : isLast ? cell : cell.padding(widths[column])
            }
            while text.last == " " { text.removeLast() }
            return text
        }
        return ([bold(line(headings))] + rows.map(line)).map { $0 + "\n" }.joined()
    }
}
