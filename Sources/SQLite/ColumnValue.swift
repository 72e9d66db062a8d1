/// A type whose values are read from one column.
@usableFromInline package protocol ColumnValue {
    /// Reads a column of the current row of a statement. Columns are numbered from 0.
    init(_ column: Int32, of row: Statement)
}
