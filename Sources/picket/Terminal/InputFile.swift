import Foundation
import Geometry
import Model
import Places
import ToolSupport

/// Reads whole files.
enum InputFile {
    /// The geofences in a file, for commands that do not save them. Prints the refused ones, and notes about outlines, on standard error.
    static func geofences(
        _ path: String, _ invocation: Invocation
    ) throws(Problem) -> (geofences: [Geofence], hasRefusals: Bool) {
        let file = try GeofenceFile.decode([UInt8](try GeofenceFile.read(path)), source: .verbatim(path))
        let refusals = GeofenceFile.refusals(of: file)
        Picket.warn(refusals, in: invocation.language, invocation.environment)
        let (geofences, notes) = try GeofenceFile.geofences(of: file, context: GEOSContext())
        let output = Output(descriptor: STDERR_FILENO, environment: invocation.environment)
        for note in notes { output.print(note.message.text(in: invocation.language)) }
        return (geofences, !refusals.isEmpty)
    }

    /// The JSON in a file, or on standard input for `-`.
    static func json(_ path: String) throws(Problem) -> JSONValue {
        let bytes = [UInt8](try GeofenceFile.read(path))
        do throws(JSONParser.Failure) {
            return try JSONParser.parse(bytes)
        } catch {
            throw .decodingFailed(source: .verbatim(path), line: error.line, reason: .notJSON(error.reason))
        }
    }
}
