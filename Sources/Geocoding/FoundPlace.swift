import Model

/// A place that a geocoder has found.
package struct FoundPlace: Hashable, Sendable {
    var name: String
    /// Degrees on WGS 84. The others bound the place; west is greater than east across the antimeridian.
    var latitude, longitude, south, west, north, east: Double

    /// The maximum number of characters of a name or an address that are kept.
    private static let longestName = 500

    static func name(_ text: String) -> String { String(text.prefix(longestName)) }

    /// - Parameter json: An element of the answer to a search.
    /// - Returns: nil if it has no name or no valid place.
    init?(nominatim json: JSONValue) {
        func degrees(_ value: JSONValue?, _ most: Double) -> Double? {
            (value?.string.flatMap(Double.init) ?? value?.double).flatMap { abs($0) <= most ? $0 : nil }
        }
        guard let name = json["display_name"]?.string, let latitude = degrees(json["lat"], 90),
            let longitude = degrees(json["lon"], 180)
        else { return nil }
        self.name = Self.name(name)
        (self.latitude, self.longitude) = (latitude, longitude)
        let box = json["boundingbox"]?.array ?? []
        func side(_ index: Int, _ most: Double) -> Double? { box.count == 4 ? degrees(box[index], most) : nil }
        south = side(0, 90) ?? latitude
        north = side(1, 90) ?? latitude
        west = side(2, 180) ?? longitude
        east = side(3, 180) ?? longitude
    }
}

extension FoundPlace: JSONWritable {
    package static let output = JSONOutput<FoundPlace>(
        "FoundPlace", summary: "A place that the geocoder has found",
        .init("name", kind: .text, summary: "The name with the address", content: \.name),
        .init("latitude", kind: .number, summary: "Degrees", content: \.latitude),
        .init("longitude", kind: .number, summary: "Degrees", content: \.longitude),
        .init("south", kind: .number, summary: "The smallest latitude of the place", content: \.south),
        .init("west", kind: .number, summary: "The western end; greater than east across the antimeridian", content: \.west),
        .init("north", kind: .number, summary: "The largest latitude of the place", content: \.north),
        .init("east", kind: .number, summary: "The eastern end", content: \.east))
}
