import Foundation

/// Standard output, gathered into pieces so that a hundred thousand lines do not cost a hundred thousand system calls.
final class Output {
    /// Whether a person looks at it.
    let isTerminal: Bool
    /// Whether it may be coloured: on a terminal, unless `NO_COLOR` is set (see no-color.org).
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

    /// Writes what has been gathered. A reader that has gone away ends the process, as it does for other tools.
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

/// How a command ended, as its exit status says it.
enum ExitStatus: Int32 {
    case done = 0
    /// Done, but not well: some input refused, something unhealthy.
    case notWell = 1
    case wrongUsage = 2
    /// Could not: store, file, network.
    case failed = 3
}

/// Text with a colour, where colours are wanted.
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
