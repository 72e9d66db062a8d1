import Foundation
import Model

/// Where a running service can be reached and by which token, for commands on the same data directory. It lies there, readable by
/// its owner alone, as long as the service runs.
public struct ServiceFile: Sendable {
    public var url: String
    public var token: String
    public var process: Int32
    /// The certificate to trust, when it is the service's own; in PEM.
    public var authorities: String?

    public init(url: String, token: String, process: Int32, authorities: String? = nil) {
        self.url = url
        self.token = token
        self.process = process
        self.authorities = authorities
    }

    private static func path(_ directory: DataDirectory) -> String { directory.path + "/service.json" }

    /// Leaves it in the directory.
    public func write(to directory: DataDirectory) throws(Problem) {
        let path = Self.path(directory)
        let text = JSONValue.compact([
            ("url", .string(url)), ("token", .string(token)), ("process", JSONValue(Int(process))),
            ("authorities", authorities.map(JSONValue.string)),
        ]).description
        // Never readable by others, not even for a moment.
        let made = path + ".new"
        unlink(made)
        let descriptor = open(made, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: String(cString: strerror(errno))) }
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        guard Foundation.write(descriptor, bytes, bytes.count) == bytes.count, rename(made, path) == 0 else {
            throw .fileFailed(path: path, reason: String(cString: strerror(errno)))
        }
    }

    /// What a running service has left; nil when there is none, or when it has ended without taking it away.
    public init?(in directory: DataDirectory) throws(Problem) {
        let path = Self.path(directory)
        guard let data = FileManager.default.contents(atPath: path) else { return nil }
        let json: JSONValue
        do throws(JSONParser.Failure) {
            json = try JSONParser.parse(String(decoding: data, as: UTF8.self))
        } catch {
            throw .decodingFailed(source: path, line: nil, reason: error.reason)
        }
        guard let url = json["url"]?.string, let token = json["token"]?.string, let process = json["process"]?.double,
            kill(Int32(process), 0) == 0 || errno == EPERM
        else { return nil }
        self.init(url: url, token: token, process: Int32(process), authorities: json["authorities"]?.string)
    }

    /// Takes it away.
    public static func remove(from directory: DataDirectory) { unlink(path(directory)) }
}
