import Foundation

/// Buffered output to a file descriptor, so that 100,000 lines do not need 100,000 system calls. On a terminal each text is written at
/// once.
final class Output {
    /// Whether the output goes to a terminal.
    let isTerminal: Bool
    /// Whether colors may be used: on a terminal, unless `NO_COLOR` is set (see no-color.org).
    let isColored: Bool
    private var buffer: [UInt8] = []
    private let descriptor: Int32

    init(descriptor: Int32, environment: [String: String]) {
        self.descriptor = descriptor
        isTerminal = isatty(descriptor) == 1
        isColored = isTerminal && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func print(_ line: String = "") { write(line + "\n") }

    func write(_ text: String) {
        buffer.append(contentsOf: text.utf8)
        if isTerminal || buffer.count > 1 << 16 { flush() }
    }

    /// Writes the buffer. If that fails, the process ends with status 3, without a message when the reader has closed the pipe.
    func flush() {
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

/// The exit status of a command.
enum ExitStatus: Int32 {
    case done = 0
    /// Done with remarks: some input was refused, or something is unhealthy.
    case notWell = 1
    case wrongUsage = 2
    /// Failed: the store, a file or the network.
    case failed = 3
}

/// Colors text where colors are wanted.
enum Color: String {
    case green = "32"
    case yellow = "33"
    case red = "31"
    case dim = "2"
    case bold = "1"

    func callAsFunction(_ text: String, on output: Output) -> String {
        output.isColored ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
    }
}
