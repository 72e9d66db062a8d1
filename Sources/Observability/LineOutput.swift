import Foundation
import Synchronization

/// Writes lines to a file descriptor on its own thread, so that no caller waits for a slow disk or for the reader of a pipe.
///
/// Lines that do not fit into a limited amount of memory are dropped and counted. When the lines before them have been written, one line
/// reports how many there were.
final class LineOutput: Sendable {
    /// The maximum number of bytes that wait to be written, beside those that are being written.
    static let maxBytes = 1 << 20

    private struct Waiting {
        var bytes: [UInt8] = []
        /// The number of lines that were dropped since the last report.
        var dropped = 0
        /// Whether the lines are being written.
        var isWriting = false
    }

    private let descriptor: Int32
    private let isOwner: Bool
    private let lossReport: @Sendable (Int) -> String
    private let waiting = Mutex(Waiting())
    private let lost = Atomic<Int>(0)
    private let queue = DispatchQueue(label: "picket log")

    /// - Parameters:
    ///   - isOwner: Whether to close the descriptor at the end, after the last line.
    ///   - lossReport: Makes the line that reports a number of dropped lines.
    init(_ descriptor: Int32, isOwner: Bool, lossReport: @escaping @Sendable (Int) -> String) {
        self.descriptor = descriptor
        self.isOwner = isOwner
        self.lossReport = lossReport
    }

    deinit {
        if isOwner { close(descriptor) }
    }

    /// The number of lines that were dropped or could not be written.
    var lostLines: Int { lost.load(ordering: .relaxed) }

    /// Accepts a line with its line end, and returns at once.
    func add(_ line: String) {
        let isFirst = waiting.withLock { waiting in
            if waiting.bytes.count + line.utf8.count <= Self.maxBytes {
                waiting.bytes += line.utf8
            } else {
                waiting.dropped += 1
                lost.add(1, ordering: .relaxed)
            }
            defer { waiting.isWriting = true }
            return !waiting.isWriting
        }
        if isFirst { queue.async { self.writeWaiting() } }
    }

    /// Waits until the accepted lines have been written or lost.
    ///
    /// - Parameter seconds: The longest time to wait.
    func flush(within seconds: Double) {
        let isWritten = DispatchSemaphore(value: 0)
        queue.async { isWritten.signal() }
        _ = isWritten.wait(timeout: .now() + seconds)
    }

    private func writeWaiting() {
        while true {
            let taken = waiting.withLock { waiting in
                let taken = waiting
                waiting = Waiting(isWriting: !taken.bytes.isEmpty || taken.dropped > 0)
                return taken
            }
            guard taken.bytes.count > 0 || taken.dropped > 0 else { return }
            write(taken.bytes)
            if taken.dropped > 0 { write(Array(lossReport(taken.dropped).utf8)) }
        }
    }

    private func write(_ bytes: [UInt8]) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Foundation.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if count < 0, errno == EINTR { continue }
            if count < 0, errno == EAGAIN {
                // The descriptor does not block, because another program that shares it has said so.
                var wait = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                _ = poll(&wait, 1, -1)
                continue
            }
            guard count > 0 else {
                lost.add(bytes[start...].count { $0 == 0x0A }, ordering: .relaxed)
                return
            }
            start += count
        }
    }
}
