import Foundation
import Model
import Service

/// Reads whole files.
enum InputFile {
    /// The JSON in a file, or on standard input for `-`.
    static func json(_ path: String) throws(Problem) -> JSONValue {
        let bytes = [UInt8](try GeofenceFile.read(path))
        let result: Result<JSONValue, JSONParser.Failure> = bytes.withUnsafeBufferPointer { buffer in
            do throws(JSONParser.Failure) {
                return .success(try JSONParser.parse(buffer))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let json): return json
        case .failure(let failure):
            throw .decodingFailed(source: .verbatim(path), line: failure.line, reason: .notJSON(failure.reason))
        }
    }
}
