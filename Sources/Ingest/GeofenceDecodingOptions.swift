/// Settings for decoding geofences that the file does not contain.
package struct GeofenceDecodingOptions: Sendable {
    /// Columns of a CSV file (field → column), such as "latitude=Breite".
    package var columns: [String: String]
    /// The radius in meters of points that have none.
    package var radius: Double?

    /// The columns as pairs such as `latitude=Breite`, separated by commas; nil for none.
    package var columnPairs: String? {
        columns.isEmpty ? nil : columns.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: ",")
    }

    package init(columns: [String: String] = [:], radius: Double? = nil) {
        self.columns = columns
        self.radius = radius
    }
}
