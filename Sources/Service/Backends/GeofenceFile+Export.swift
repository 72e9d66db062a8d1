import Foundation
import Ingest
import Model
import Places
import Settings

extension GeofenceFile {
    /// Writes all geofences, sorted by id, as one GeoJSON FeatureCollection. Returns their number.
    package static func export(_ service: any QueryBackend, _ write: (String) -> Void) throws(Problem) -> Int {
        var count = 0
        var encoder = GeofenceEncoder()
        try service.forEachGeofence(matching: nil) { geofence in
            count += 1
            write(encoder.encode(geofence))
        }
        write(encoder.finish())
        return count
    }

    /// Writes all geofences to a file, replacing it when they are complete. Returns their number.
    package static func export(_ service: any QueryBackend, to path: String) throws(Problem) -> Int {
        var text = ""
        let count = try export(service) { text += $0 }
        do {
            try Data(text.utf8).write(to: URL(filePath: path), options: .atomic)
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
        return count
    }
}
