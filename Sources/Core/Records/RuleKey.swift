import SQLite
import Store

/// The number of a presence rule in a store, which is never used again.
package struct RuleKey: Hashable, Comparable, Sendable {
    package var value: Int64
    package init(_ value: Int64) { self.value = value }
    package static func < (a: RuleKey, b: RuleKey) -> Bool { a.value < b.value }
}

extension RuleKey: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self.init(Int64(column, of: row)) }
}
