import SQLite

/// A device's number in a store: a small number that is never used again.
package struct DeviceKey: Hashable, Comparable, Sendable {
    package var value: Int64
    package init(_ value: Int64) { self.value = value }
    package static func < (a: DeviceKey, b: DeviceKey) -> Bool { a.value < b.value }
}

extension DeviceKey: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self.init(Int64(column, of: row)) }
}
