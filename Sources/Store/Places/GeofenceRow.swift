import Geodesy
import Model
import SQLite

/// A row of the table of geofences.
package struct GeofenceRow: Row {
    private static let names = Geofence.fields.map(\.column).joined(separator: ", ")
    package static let columns = "key, id, \(ShapeRow.columns), \(names)"
    static let insertion = """
        INSERT OR REPLACE INTO geofence (key, from_revision, id, \(ShapeRow.columns), \(names))
        VALUES (?,?,?,?,?,?,?\(String(repeating: ",?", count: Geofence.fields.count)))
        """

    var key: FenceKey
    var id: String
    var shape: ShapeRow
    /// Of `Geofence.fields`.
    var values: [StoredValue]

    package init(_ row: inout ColumnReader) {
        key = row.next()
        id = row.next()
        shape = row.next()
        values = Geofence.fields.map { _ in row.next() }
    }

    /// The size of the texts of any length.
    var bytes: Int { values.reduce(shape.geometry?.utf8.count ?? 0) { $0 + ($1.text?.utf8.count ?? 0) } }
}

/// The columns of a geofence's shape.
package struct ShapeRow: Row {
    package static let columns = "\(Coordinate.columns), radius, geometry"

    /// The center of a circle; valid like `radius` only if `geometry` is nil.
    var center: Coordinate
    var radius: Double
    /// The GeoJSON of polygons; nil for a circle.
    var geometry: String?

    package init(_ row: inout ColumnReader) {
        center = row.next()
        radius = row.next()
        geometry = row.next()
    }
}
