import Model

/// The kinds of file that positions come in.
public enum FixFormat: String, CaseIterable, Sendable {
    case gpx = "GPX"
    case csv = "CSV"
    case geoJSON = "GeoJSON"
    case nmea = "NMEA 0183"
    case ndjson = "NDJSON"
    case json = "JSON"
    case ownTracksRec = "OwnTracks .rec"

    /// All of them, for a message.
    static let list = allCases.map(\.rawValue).joined(separator: ", ")
}
