import Model

/// Writes geofences as a GeoJSON FeatureCollection (RFC 7946), one feature per line, piece by piece. `GeofenceDecoder` reads them back
/// unchanged.
package struct GeofenceEncoder: Sendable {
    private var isEmpty = true

    package init() {}

    /// The text for the next geofence.
    package mutating func encode(_ fence: Geofence) -> String {
        var text = isEmpty ? Self.opening : ",\n"
        isEmpty = false
        fence.feature.write(into: &text)
        return text
    }

    /// The text that ends the collection.
    package mutating func finish() -> String {
        defer { isEmpty = true }
        return isEmpty ? Self.opening + "]}\n" : "\n]}\n"
    }

    private static let opening = "{\"type\":\"FeatureCollection\",\"features\":[\n"
}
