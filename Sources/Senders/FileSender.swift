import Delivery
import Foundation
import Model
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
        queue = PooledQueue(pool, batch: limit) { works in
            let outcome: DeliveryOutcome
            do throws(Problem) {
                try FileSender.append(works.map(\.line), to: works[0].path)
                outcome = .delivered
            } catch {
                outcome = DeliveryOutcome(error)
            }
            for work in works { work.done(SendResult(outcome)) }
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

    private static func append(_ lines: [String], to path: String) throws(Problem) {
        func failure() -> Problem { .fileFailed(path: path, reason: .verbatim(unsafe String(cString: strerror(errno)))) }
        // A pipe that is full and not read must not block the thread.
        let descriptor = unsafe open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0o600)
        guard descriptor >= 0 else { throw failure() }
        defer { close(descriptor) }
        var text = ""
        // If a full disk or a power failure left a line unfinished, start a new line.
        let size = lseek(descriptor, 0, SEEK_END)
        var last: UInt8 = 0
        if size > 0, unsafe pread(descriptor, &last, 1, size - 1) == 1, last != UInt8(ascii: "\n") { text = "\n" }
        for line in lines { text += line + "\n" }
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let count = unsafe bytes.withUnsafeBytes {
                unsafe write(descriptor, $0.baseAddress?.advanced(by: written), $0.count - written)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure() }
            written += count
        }
        // Pipes and devices cannot be synced.
        guard fdatasync(descriptor) == 0 || errno == EINVAL || errno == EROFS else { throw failure() }
    }
}
