import Foundation
import Model

/// Whole files that a command reads or writes.
enum InputFile {
    /// The bytes of a file, or of standard input (`-`).
    static func data(_ path: String) throws(Problem) -> Data {
        do {
            return try path == "-"
                ? FileHandle.standardInput.readToEnd() ?? Data() : Data(contentsOf: URL(filePath: path))
        } catch {
            throw .fileFailed(path: path, reason: reason(error))
        }
    }

    /// The JSON that a file, or standard input, holds.
    static func json(_ path: String) throws(Problem) -> JSONValue {
        let bytes = [UInt8](try data(path))
        let result: Result<JSONValue, JSONParser.Failure> = bytes.withUnsafeBufferPointer { buffer in
            do throws(JSONParser.Failure) {
                return .success(try JSONParser.parse(buffer))
            } catch {
                return .failure(error)
            }
        }
        switch result {
        case .success(let json): return json
        case .failure(let failure): throw .decodingFailed(source: path, line: failure.line, reason: failure.reason)
        }
    }

    private static func reason(_ error: any Error) -> String {
        let error = error as NSError
        if let underlying = error.userInfo[NSUnderlyingErrorKey] as? NSError, underlying.domain == NSPOSIXErrorDomain {
            return String(cString: strerror(Int32(underlying.code)))
        }
        return error.localizedDescription
    }
}
