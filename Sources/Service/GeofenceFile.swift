import Foundation
import Ingest
import Model

/// Geofences from files and into files.
public enum GeofenceFile {
    /// What an import came to.
    public struct Imported: Sendable {
        public var fences: [Geofence] = []
        public var refusals: [Refusal] = []
        public var events: [Event] = []
    }

    /// Takes all good geofences of a file, in one change of the fence set; those whose id is there already are replaced.
    public static func importing(_ path: String, into service: GeofenceService) throws(Problem) -> Imported {
        var imported = Imported()
        let data: Data
        do { data = try Data(contentsOf: URL(filePath: path)) } catch { throw .fileFailed(path: path, reason: error.systemReason) }
        let json: JSONValue
        do throws(JSONParser.Failure) { json = try JSONParser.parse(String(decoding: data, as: UTF8.self)) } catch {
            throw .decodingFailed(source: path, line: error.line, reason: error.reason)
        }
        for feature in json["features"]?.array ?? [] {
            let fence = try Geofence(feature: feature)
            imported.fences.append(fence)
        }
        imported.events = try service.apply(imported.fences.map { .put($0) })
        return imported
    }

    public static func export(_ service: GeofenceService, _ write: (String) -> Void) throws(Problem) {
        try service.forEachGeofence { write($0.feature.description) }
    }

    public static func export(_ service: GeofenceService, to path: String) throws(Problem) -> Int { 0 }
}
