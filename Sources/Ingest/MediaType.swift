/// Parses the value of a `Content-Type` header (RFC 9110 §8.3.1).
enum MediaType {
    /// Type and subtype in lower case, without parameters.
    static func name(_ header: String) -> String {
        let end = header.firstIndex { $0 == ";" } ?? header.endIndex
        return String(header[..<end].drop { $0 == " " }.prefix { $0 != " " }).lowercased()
    }

    /// Whether the content type is JSON.
    static func isJSON(_ header: String?) -> Bool {
        guard let header else { return false }
        let name = name(header)
        return name == "application/json" || name.hasSuffix("+json") || name == "text/json"
    }
}

extension FixFormat {
    /// The format that a content type determines; nil for all other content types.
    ///
    /// `application/json` does not determine the format, because GeoJSON and OwnTracks recordings are also sent with it.
    package init?(contentType header: String) {
        switch MediaType.name(header) {
        case "application/x-ndjson", "application/ndjson", "application/jsonl", "application/x-jsonlines": self = .ndjson
        case "application/gpx+xml", "application/gpx": self = .gpx
        case "application/vnd.google-earth.kml+xml": self = .kml
        case "application/vnd.google-earth.kmz": self = .kmz
        case "application/vnd.garmin.tcx+xml": self = .tcx
        case "application/geo+json", "application/vnd.geo+json": self = .geoJSON
        case "text/csv": self = .csv
        case "application/nmea", "application/vnd.nmea", "text/nmea": self = .nmea
        default: return nil
        }
    }
}
