/// A type that is read from some columns of a row, with their names beside the reading of them.
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
    /// The columns as they stand after `SELECT`, in the order in which `init(_:)` reads them.
    static var columns: String { get }

    init(_ row: inout ColumnReader)
}

extension Row {
    /// The columns, each with `prefix` before its name, as `f.` or `suspect_`. For columns that are names and no expressions.
    package static func columns(after prefix: String) -> String {
        prefix + columns.replacing(", ", with: ", " + prefix)
    }
}
