/// A value that one column holds.
@usableFromInline package protocol ColumnValue {
    /// Reads a column, counted from 0, of the row to which a statement has come.
    init(_ column: Int32, of row: Statement)
}
