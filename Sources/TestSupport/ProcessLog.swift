import Foundation
import Synchronization

/// The output of a program, which is read on its own thread so that a full pipe never blocks the program.
package final class ProcessLog: Sendable {
    private let written = Mutex<(text: String, isOver: Bool)>(("", false))
    private let outputArrived = DispatchSemaphore(value: 0)

    /// Reads the pipe to its end.
    package init(_ handle: FileHandle) {
        // The descriptor is duplicated because the handle closes its own when it is released.
        let descriptor = dup(handle.fileDescriptor)
        Thread.detachNewThread { [self] in
            var bytes = [UInt8](repeating: 0, count: 4096)
            while true {
                let count = read(descriptor, &bytes, bytes.count)
                if count < 0, errno == EINTR { continue }
                let piece = String(decoding: bytes[..<max(0, count)], as: UTF8.self)
                written.withLock { written in
                    written.text += piece
                    written.isOver = count <= 0
                }
                outputArrived.signal()
                if count <= 0 { break }
            }
            close(descriptor)
        }
    }

    /// The output so far.
    package var text: String { written.withLock { $0.text } }

    /// Waits until the output contains a text. Returns false when the program ends first, or writes nothing for too long.
    package func wait(for text: String) -> Bool { wait { $0.contains(text) ? true : nil } ?? false }

    /// Waits until `find` returns a value for the output. Returns nil when the program ends first, or writes nothing for too long.
    package func wait<Found>(until find: (String) -> Found?) -> Found? {
        while true {
            let (now, isOver) = written.withLock { $0 }
            if let found = find(now) { return found }
            if isOver || outputArrived.wait(timeout: .now() + Watchdog.seconds) == .timedOut { return nil }
        }
    }
}
