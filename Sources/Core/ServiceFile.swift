import Foundation
import Model

/// The URL and the token of a running service, for commands on the same data directory. The file is in the directory while the service
/// runs, and only its owner can read it.
package struct ServiceFile: Sendable {
    package var url: String
    package var token: String
    package var process: Int32
    /// The PEM certificate to trust if the service uses its own; nil otherwise.
    package var authorities: String?

    package init(url: String, token: String, process: Int32, authorities: String? = nil) {
        self.url = url
        self.token = token
        self.process = process
        self.authorities = authorities
    }

    private static func path(_ directory: DataDirectory) -> String { directory.path + "/service.json" }

    /// Writes the file.
    package func write(to directory: DataDirectory) throws(Problem) {
        let path = Self.path(directory)
        let text = JSONValue.compact([
            ("url", .string(url)), ("token", .string(token)), ("process", JSONValue(Int(process))),
            ("authorities", authorities.map(JSONValue.string)),
        ]).description
        // The file is created with its final mode, so that other users can never read it.
        let made = path + ".new"
        unlink(made)
        let descriptor = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count, rename(made, path) == 0 else {
            throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno))))
        }
    }

    /// Reads the file of a running service; nil if there is none, or if the service ended without removing it.
    package init?(in directory: DataDirectory) throws(Problem) {
        let path = Self.path(directory)
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let json: JSONValue
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(String(decoding: data, as: UTF8.self))
        } catch {
            throw .decodingFailed(source: .verbatim(path), line: nil, reason: .notJSON(error.reason))
        }
        guard let url = json["url"]?.string, let token = json["token"]?.string, let process = json["process"]?.double,
            kill(Int32(process), 0) == 0 || errno == EPERM
        else { return nil }
        self.init(url: url, token: token, process: Int32(process), authorities: json["authorities"]?.string)
    }

    /// Removes the file.
    package static func remove(from directory: DataDirectory) { unlink(path(directory)) }
}
