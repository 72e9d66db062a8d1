import Foundation
import Model
import Settings

/// The directory that contains all data of Picket.
package struct DataDirectory: Hashable, Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The default directory: `$PICKET_DATA`, otherwise `picket` in `$XDG_DATA_HOME` (XDG Base Directory Specification: `~/.local/share` if
    /// not set).
    package static func standard(_ environment: [String: String]) -> DataDirectory {
        if let path = environment["PICKET_DATA"], !path.isEmpty { return DataDirectory(path: path) }
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return DataDirectory(path: base + "/picket") }
        return DataDirectory(path: (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share/picket")
    }

    /// The path of the region store.
    package var store: String { path + "/picket.sqlite" }

    /// The path of the registry file with the simulated phones.
    package var registry: String { path + "/os-registry.sqlite" }

    /// Whether a store exists. Throws `Problem.fileFailed` if the directory is not accessible, because that does not mean that there is no
    /// store.
    package func hasStore() throws(Problem) -> Bool { try has(store) }

    /// Whether a registry file exists.
    func hasRegistry() throws(Problem) -> Bool { try has(registry) }

    private func has(_ file: String) throws(Problem) -> Bool {
        if access(file, F_OK) == 0 { return true }
        guard errno == ENOENT else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        return false
    }

    /// Creates the directory, accessible to its owner only, if it does not exist.
    func make() throws(Problem) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .fileFailed(path: path, reason: .directoryNotMade(error.systemReason))
        }
    }
}
