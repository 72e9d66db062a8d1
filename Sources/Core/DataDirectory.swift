import Foundation
import Model
import Settings

/// The directory that contains all data of Picket, such as the store and the file of the simulated phones.
package struct DataDirectory: Hashable, Sendable {
    package let path: String

    package init(path: String) { self.path = path }

    /// The directory of the service that the package installs.
    package static let ofPackage = DataDirectory(path: "/var/lib/picket")

    /// The directory to use if the command line names none: `$PICKET_DATA`, otherwise `picket` in `$XDG_DATA_HOME`. If that has no store,
    /// and the package's service has a directory, it is that one.
    ///
    /// - Parameter ofPackage: The directory of the package's service; nil to use none.
    ///
    /// As in the XDG Base Directory Specification, `~/.local/share` replaces `$XDG_DATA_HOME` if it is not set or not absolute.
    package static func defaultDirectory(
        _ environment: [String: String], ofPackage: DataDirectory? = ofPackage
    ) -> DataDirectory {
        if let path = environment["PICKET_DATA"], !path.isEmpty { return DataDirectory(path: path) }
        let own = DataDirectory(path: base(environment) + "/picket")
        // systemd makes it a link into a directory that others cannot look into.
        var status = stat()
        guard let ofPackage, access(own.storePath, F_OK) != 0, lstat(ofPackage.path, &status) == 0 else { return own }
        return ofPackage
    }

    private static func base(_ environment: [String: String]) -> String {
        if let base = environment["XDG_DATA_HOME"], base.hasPrefix("/") { return base }
        return (environment["HOME"] ?? NSHomeDirectory()) + "/.local/share"
    }

    /// The path of the store: the SQLite database with geofences, devices, positions and events (`PicketStore`).
    package var storePath: String { path + "/picket.sqlite" }

    /// The path of the registry file: the SQLite database with the simulated phones and the regions registered with each.
    package var registryFilePath: String { path + "/os-registry.sqlite" }

    /// Whether a store exists.
    ///
    /// - Throws: `Problem.fileFailed` if the directory is not accessible, because a store may exist in such a directory.
    package func hasStore() throws(Problem) -> Bool { try fileExists(storePath) }

    /// Whether a registry file exists.
    ///
    /// - Throws: `Problem.fileFailed` if the directory is not accessible.
    package func hasRegistryFile() throws(Problem) -> Bool { try fileExists(registryFilePath) }

    private func fileExists(_ file: String) throws(Problem) -> Bool {
        if access(file, F_OK) == 0 { return true }
        guard errno == ENOENT else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        return false
    }

    /// Creates the directory if it does not exist. Only its owner can access it.
    ///
    /// - Throws: `Problem.fileFailed` if the directory cannot be created.
    func createIfMissing() throws(Problem) {
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .fileFailed(path: path, reason: Phrase("the directory cannot be created (\(error.systemReason))"))
        }
    }
}
