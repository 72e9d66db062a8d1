import SQLite

extension InputPosition: Row {
    @usableFromInline package static let columns = "number"

    @inlinable package init(_ row: inout ColumnReader) { self.init(row.next()) }
}

/// A position in the input log: that of an entry, or the one right after an entry.
package struct InputPosition: Comparable, Sendable {
    package var number: Int64
    private var isAfter: Bool

    /// - Parameter isAfter: Whether the position is right after the entry, and before the next one.
    package init(_ number: Int64, after isAfter: Bool = false) {
        self.number = number
        self.isAfter = isAfter
    }

    package static func < (a: InputPosition, b: InputPosition) -> Bool {
        a.number < b.number || a.number == b.number && !a.isAfter && b.isAfter
    }
}
