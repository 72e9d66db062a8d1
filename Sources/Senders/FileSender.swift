import Delivery
import Foundation
import Model
import Synchronization
import Workers

/// Appends lines to a file and syncs it to disk. The file is opened for each batch, so that it can be rotated.
final class FileSender: SinkSender {
    let limit = 1000
    let isPipelined = true
    private typealias Work = (line: String, path: String, done: @Sendable (SendResult) -> Void)

    private let queue: PooledQueue<Work>
    private let sink: Sink

    init(_ sink: Sink, pool: WorkPool) {
        self.sink = sink
        // Whether the last batch ended within a line. The end of a file shows that, but that of a pipe cannot be read.
        let isInLine = Mutex(false)
        queue = PooledQueue(pool, batch: limit) { works in
            let (complete, problem) = isInLine.withLock { FileSender.append(works.map(\.line), to: works[0].path, isInLine: &$0) }
            for (number, work) in works.enumerated() {
                work.done(SendResult(number < complete ? .delivered : problem.map { DeliveryOutcome($0) } ?? .delivered))
            }
        }
    }

    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void) {
        guard case .line(let line, let path) = message else { return done(.wrongMessage(sink)) }
        if !queue.add((line, path, done)) { done(SendResult(DeliveryOutcome(.cancelled))) }
    }

    func stop() {
        queue.close()
        queue.join()
    }

    /// Appends lines to a file.
    ///
    /// - Returns: The number of lines that are complete on the disk, and why the others are not. These can be sent again without a repetition.
    private static func append(_ lines: [String], to path: String, isInLine: inout Bool) -> (complete: Int, Problem?) {
        func failure() -> Problem { .fileFailed(path: path, reason: .verbatim(unsafe String(cString: strerror(errno)))) }
        // A pipe that is full and not read must not block the thread.
        let descriptor = unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { return (0, failure()) }
        defer { close(descriptor) }
        // If a full disk or a power failure left a line unfinished, start a new line.
        let newLine = UInt8(ascii: "\n")
        let size = lseek(descriptor, 0, SEEK_END)
        var last = newLine
        if size >= 0 { isInLine = unsafe size > 0 && pread(descriptor, &last, 1, size - 1) == 1 && last != newLine }
        var text = isInLine ? "\n" : ""
        var ends: [Int] = []
        for line in lines {
            text += line + "\n"
            ends.append(text.utf8.count)
        }
        let bytes = Array(text.utf8)
        var written = 0
        var problem: Problem?
        while written < bytes.count, problem == nil {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            if count > 0 { written += count } else { problem = failure() }
        }
        if written > 0 { isInLine = bytes[written - 1] != newLine }
        // Pipes and devices cannot be synced.
        guard fdatasync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { return (0, failure()) }
        return (ends.count { $0 <= written }, problem)
    }
}
