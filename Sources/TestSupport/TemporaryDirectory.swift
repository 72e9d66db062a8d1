import Foundation

/// A directory of one test's own, removed when the test lets go of it.
public final class TemporaryDirectory: Sendable {
    public let path: String

    public init() throws {
        path = NSTemporaryDirectory() + "picket-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // Nothing that a test could do about it, and the system clears its temporary files anyway.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file into the directory and gives its path.
    @discardableResult
    public func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}
