import Core
import Foundation
import History
import Ingest
import Model
import Places
import Service

extension Queries {
    /// Exports a device to a file. Returns the summary, as in the last line.
    @discardableResult
    package func exportDevice(id: String, to path: String) throws -> JSONValue {
        var text = ""
        var summary = JSONValue.null
        try exportDevice(id: id) { line in
            text += line.description + "\n"
            summary = line["summary"] ?? .null
        }
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return summary
    }

    /// All geofences as GeoJSON, and their number.
    package func exportGeofences() throws -> (text: String, count: Int) {
        var (text, count) = ("", 0)
        var encoder = GeofenceEncoder()
        try forEachGeofence {
            count += 1
            text += encoder.encode($0)
        }
        return (text + encoder.finish(), count)
    }
}
