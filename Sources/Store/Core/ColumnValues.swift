import Geodesy
import Model
import SQLite

// The columns in which values of the model are stored.

extension Instant: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self.init(milliseconds: Int64(column, of: row)) }
}

extension FenceKey: ColumnValue {
    @inlinable package init(_ column: Int32, of row: Statement) { self.init(Int32(truncatingIfNeeded: Int64(column, of: row))) }
}

extension Coordinate: Row {
    @usableFromInline package static let columns = "latitude, longitude"

    @inlinable package init(_ row: inout ColumnReader) { self.init(latitude: row.next(), longitude: row.next()) }
}

extension Fix: Row {
    /// In the order of `PicketStore.bind(_:to:from:)`.
    @usableFromInline package static let columns = "time, latitude, longitude, accuracy, altitude, speed, course, battery"

    @inlinable package init(_ row: inout ColumnReader) {
        self.init(
            time: row.next(), coordinate: row.next(), accuracy: row.next(), altitude: row.next(), speed: row.next(),
            course: row.next(), battery: row.next())
    }
}
