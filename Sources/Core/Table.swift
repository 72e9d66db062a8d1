import Model

/// A table for people: each column is as wide as its widest cell.
package struct Table {
    /// The text of a cell without a value.
    package static let noValue = "-"

    private let headings: [String]
    private var rows: [[String]] = []
    /// The columns that are aligned right.
    private let numeric: Set<Int>

    package init(_ headings: [String], numeric: Set<Int>) {
        self.headings = headings
        self.numeric = numeric
    }

    /// - Parameter headings: The headings with `|` between them; see `Phrase.parts(in:)`.
    package init(_ headings: Phrase, numeric: Set<Int> = [], in language: Language) {
        self.init(headings.parts(in: language), numeric: numeric)
    }

    package mutating func add(_ cells: [String]) { rows.append(cells.map(Format.name)) }

    /// - Parameter bold: Makes the headings bold.
    package func text(bold: (String) -> String = { $0 }) -> String {
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
