import Core
import ToolSupport

/// A table with columns of fixed width, whose rows are printed as they come. The first column is aligned left, the others right.
struct BenchmarkColumns {
    private let columns: [(name: String, width: Int)]

    init(_ columns: [(name: String, width: Int)]) { self.columns = columns }

    var heading: String { row(columns.map(\.name)) }

    func row(_ cells: [String]) -> String {
        zip(cells, columns).enumerated().map { number, cell in
            number == 0 ? cell.0.padding(cell.1.width) : cell.0.leading(cell.1.width)
        }.joined(separator: "  ")
    }
}
