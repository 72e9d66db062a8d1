import Model
import Monitor
import SQLite

extension LogPosition: Row {
    @usableFromInline package static let columns = "number, part"

    @inlinable package init(_ row: inout ColumnReader) { self.init(row.next(), row.next()) }
}

/// A position in the input log.
package struct LogPosition: Comparable, Sendable {
    package var number: Int64
    /// Orders entries with the same number. It is 0, apart from entries that a store of an earlier version did not number: these follow the
    /// entry with the same number.
    var part: Int64

    package init(_ number: Int64, _ part: Int64 = 0) {
        self.number = number
        self.part = part
    }

    package static func < (a: LogPosition, b: LogPosition) -> Bool { (a.number, a.part) < (b.number, b.part) }
}
