import Model

/// A column of a table in a file: CSV or a workbook.
package struct TableColumn<Row>: Sendable {
    /// The heading, for example `enteredAt`. Programs read it, so it is the same in every language.
    let name: String
    let cell: @Sendable (Row) -> TableCell

    package init(_ name: String, _ cell: @escaping @Sendable (Row) -> TableCell) {
        self.name = name
        self.cell = cell
    }
}

/// A value in a table.
package enum TableCell: Sendable {
    case empty
    /// Text from people or devices.
    case words(String)
    /// A constant of Picket, which is never a formula.
    case plain(String)
    case number(Double)
    case flag(Bool)
    case time(Instant)
    /// Seconds, shown as hours and minutes: "7:15".
    case duration(Double)

    package static func words(_ text: String?) -> TableCell { text.map { .words($0) } ?? .empty }

    package init(_ time: Instant?) { self = time.map { .time($0) } ?? .empty }
    package init(_ number: Double?) { self = number.map { .number($0) } ?? .empty }
    package init(_ number: some BinaryInteger) { self = .number(Double(number)) }

    /// - Parameter decimals: The number of decimals to which the number is rounded.
    package init(_ number: Double?, decimals: Int) {
        var scale = 1.0
        for _ in 0..<decimals { scale *= 10 }
        self.init(number.map { ($0 * scale).rounded() / scale })
    }
}

extension TableColumn {
    /// A duration in seconds as decimal hours (7.25) and as hours and minutes (7:15).
    package static func hours(_ seconds: @escaping @Sendable (Row) -> Double?) -> [TableColumn] {
        [
            TableColumn("hours") { TableCell(seconds($0).map { $0 / 3600 }, decimals: 2) },
            TableColumn("hoursAndMinutes") { seconds($0).map { .duration($0) } ?? .empty },
        ]
    }
}
