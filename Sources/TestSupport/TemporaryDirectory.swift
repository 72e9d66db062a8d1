import Foundation

/// A directory that one test uses. It is removed when the instance is released.
package final class TemporaryDirectory: Sendable {
    package let path: String

    /// - Parameter parent: Ends with a slash. `/var/tmp/` is on a disk; the default may be in memory.
    package init(in parent: String = NSTemporaryDirectory()) throws {
        path = parent + "picket-test-" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        // An error is ignored, because the system removes temporary files anyway.
        try? FileManager.default.removeItem(atPath: path)
    }

    /// Writes a file into the directory and returns its path.
    @discardableResult
    package func write(_ text: String, to name: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(filePath: file))
        return file
    }
}
