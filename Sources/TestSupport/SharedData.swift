import Foundation

/// Real recorded tracks and an independent oracle's answers, which lie beside a developer's checkout and are not part of the
/// project. Tests that need them run when they are there.
public enum SharedData {
    /// The directory, when it is there.
    public static let directory: URL? = {
        let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let beside = checkout.deletingLastPathComponent().appending(path: "shared/data")
        return FileManager.default.fileExists(atPath: beside.path) ? beside : nil
    }()

    /// Whether it is there. Says on standard error when it is not, and what is skipped.
    public static func isThere(for what: String) -> Bool {
        if directory == nil {
            FileHandle.standardError.write(
                Data("Skipped, because the shared track data is not beside this checkout: \(what)\n".utf8))
        }
        return directory != nil
    }

    /// A file in it, by its path there.
    public static func file(_ path: String) -> URL {
        (directory ?? URL(filePath: "/nonexistent")).appending(path: path)
    }
}

extension SharedData {
    /// The root of the project's checkout.
    public static let checkout = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()
}
