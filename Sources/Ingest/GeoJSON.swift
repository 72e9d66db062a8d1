import Model

/// Shared code for reading positions and geofences from GeoJSON.
enum GeoJSON {
    /// Refuses an object whose coordinates are not longitude and latitude on WGS 84. RFC 7946 §4 allows no other system; `crs` in older
    /// GeoJSON (2008, §3) may name another.
    ///
    /// - Parameters:
    ///   - bytes: The text of the object. Its features may be left out.
    ///   - source: The name of the file, for messages.
    ///   - line: The line where the object starts.
    /// - Throws: `Problem.decodingFailed` with the name of the system.
    static func checkReferenceSystem(of object: JSONValue, in bytes: Bytes, source: ProblemSubject, line: Int) throws(Problem) {
        guard let system = object["crs"], system != .null else { return }
        let name =
            system["properties"]?["name"]?.string ?? system["properties"]?["code"].flatMap(JSONReading.text) ?? system.description
        if ReferenceSystem.isInDegrees(name) { return }
        var found = line
        for index in 0..<bytes.count {
            if bytes.starts(with: "\"crs\"", at: index) { break }
            if bytes[index] == 0x0A { found += 1 }
            // The number of lines of features that are left out is unknown.
            if bytes.starts(with: "\"features\"", at: index) {
                found = line
                break
            }
        }
        throw .decodingFailed(
            source: source, line: found, reason: .expecting(.otherReferenceSystem(String(name.prefix(80))), .wgs84))
    }
}
