import Foundation

/// Buffered output to a file descriptor, so that 100,000 lines do not need 100,000 system calls. On a terminal each text is written at
/// once.
package final class Output {
    /// Whether the output goes to a terminal.
    package let isTerminal: Bool
    /// Whether colors may be used: on a terminal, unless `NO_COLOR` is set (see no-color.org).
    package let isColored: Bool
    private var buffer: [UInt8] = []
    private let descriptor: Int32

    package init(descriptor: Int32, environment: [String: String]) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        isColored = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    package func print(_ line: String = "") { write(line + "\n") }

    package func write(_ text: String) { write(Array(text.utf8)) }

    package func write(_ bytes: [UInt8]) {
        buffer.append(contentsOf: bytes)
        if isTerminal || buffer.count > 1 << 16 { flush() }
    }

    /// Writes the buffer. If that fails, the process ends with status 3, without a message when the reader has closed the pipe.
    package func flush() {
        var start = 0
        while start < buffer.count {
            let written = buffer.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if written < 0 {
                if errno == EINTR { continue }
                if descriptor == STDOUT_FILENO, errno != EPIPE {
                    let reason = String(cString: strerror(errno))
                    FileHandle.standardError.write(Data("Standard output cannot be written: \(reason).\n".utf8))
                }
                exit(ExitStatus.failed.rawValue)
            }
            start += written
        }
        buffer.removeAll(keepingCapacity: true)
    }

    deinit { flush() }
}
