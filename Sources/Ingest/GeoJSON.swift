import Model

/// Shared code for reading positions and geofences from GeoJSON.
enum GeoJSON {
    /// Refuses an object whose coordinates are not longitude and latitude on WGS 84. RFC 7946 §4 allows no other system; `crs` in older
    /// GeoJSON (2008, §3) may name another.
    ///
    /// - Throws: `Problem.validationFailed` with the name of the system.
    static func checkReferenceSystem(of object: JSONValue) throws(Problem) {
        guard let system = object["crs"], system != .null else { return }
        let name = system["properties"]?["name"]?.string ?? system["properties"]?["code"].flatMap(JSONReading.text) ?? ""
        let plain = name.uppercased()
        let words = plain.split { !$0.isLetter && !$0.isNumber }
        let isWGS84 = words.contains { ["CRS84", "CRS84H", "WGS84", "4326", "4979"].contains($0) }
        if !isWGS84 {
            throw .validationFailed(
                field: "crs", value: name.isEmpty ? system.description : name,
                reason: .otherReferenceSystem,
                expected: .wgs84)
        }
    }
}
