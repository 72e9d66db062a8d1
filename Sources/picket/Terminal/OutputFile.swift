import Foundation
import Model
import ToolSupport

/// The file that a command writes instead of standard output.
enum OutputFile {
    static let option = Option(
        "--output", value: "FILE", help: "Write to this file, which only you can read, instead of standard output")

    /// The number of bytes of a file; 0 if there is none.
    static func size(of path: String) -> Int {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_size) : 0
    }

    /// Writes a file that only its owner can read.
    static func write(_ text: String, to path: String) throws(Problem) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .fileFailed(path: path, reason: .verbatim(String(cString: strerror(errno)))) }
        let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        do {
            try file.write(contentsOf: Data(text.utf8))
        } catch {
            throw .fileFailed(path: path, reason: error.systemReason)
        }
    }
}
