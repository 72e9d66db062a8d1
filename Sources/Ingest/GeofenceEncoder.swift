import Model

/// Writes geofences as a GeoJSON FeatureCollection (RFC 7946), one feature per line, piece by piece. `GeofenceDecoder` reads them back
/// unchanged.
public struct GeofenceEncoder: Sendable {
    private var isEmpty = true

    public init() {}

    /// The text for the next geofence.
    public mutating func encode(_ fence: Geofence) -> String {
        var text = isEmpty ? Self.opening : ",\n"
        isEmpty = false
        fence.feature.write(into: &text)
        return text
    }

    /// The text that ends the collection.
    public mutating func finish() -> String {
        defer { isEmpty = true }
        return isEmpty ? Self.opening + "]}\n" : "\n]}\n"
    }

    private static let opening = "{\"type\":\"FeatureCollection\",\"features\":[\n"
}
