import Foundation

/// Recorded tracks and the results of an independent implementation, which are stored beside a developer's checkout and are not part of the
/// project. Tests that need them only run if they exist.
package enum SharedData {
    /// The directory, if it exists.
    package static let directory: URL? = {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = checkout.deletingLastPathComponent().appending(path: "shared/data")
        return FileManager.default.fileExists(atPath: beside.path) ? beside : nil
    }()

    /// Whether the directory exists. If not, this reports on standard error what is skipped.
    package static func isAvailable(for what: String) -> Bool {
        if directory == nil {
            FileHandle.standardError.write(
                Data("Skipped, because the shared track data is not beside this checkout: \(what)\n".utf8))
        }
        return directory != nil
    }

    /// The URL of a file by its path in the directory.
    package static func file(_ path: String) -> URL {
        (directory ?? URL(filePath: "/nonexistent")).appending(path: path)
    }
}

extension SharedData {
    /// The root of the project's checkout.
    package static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
