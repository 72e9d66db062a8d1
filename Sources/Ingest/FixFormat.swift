import Model

/// The file formats of positions.
package enum FixFormat: String, CaseIterable, Sendable {
    case gpx = "GPX"
    case kml = "KML"
    case kmz = "KMZ"
    case tcx = "TCX"
    case csv = "CSV"
    case geoJSON = "GeoJSON"
    case nmea = "NMEA 0183"
    case ndjson = "NDJSON"
    case json = "JSON"
    case ownTracksRec = "OwnTracks .rec"

    /// All formats, for messages.
    static let supported = Phrase.oneOf(allCases.map(\.rawValue))
}
