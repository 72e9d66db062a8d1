import Model

/// Writes geofences as a GeoJSON FeatureCollection (RFC 7946), one feature a line, piece by piece. `GeofenceDecoder` reads it
/// back as the same fences.
public struct GeofenceEncoder: Sendable {
    private var isEmpty = true

    public init() {}

    /// The text that the next fence adds.
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
