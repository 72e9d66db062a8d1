/// A type whose values are read from several columns of a row. It declares the columns next to the code that reads them.
///
///     struct Place: Row {
///         static let columns = "latitude, longitude, accuracy"
///         var latitude, longitude: Double
///         var accuracy: Double?
///
///         init(_ row: inout ColumnReader) {
///             latitude = row.next()
///             longitude = row.next()
///             accuracy = row.next()
///         }
///     }
@usableFromInline package protocol Row {
    /// The columns as written after `SELECT`, in the order in which `init(_:)` reads them.
    static var columns: String { get }

    init(_ row: inout ColumnReader)
}

extension Row {
    /// The columns with a prefix before each name, for example `f.` or `suspect_`. All columns must be plain names, not expressions.
    package static func columns(after prefix: String) -> String {
        prefix + columns.replacing(", ", with: ", " + prefix)
    }
}
