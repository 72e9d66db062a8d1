/// The bytes of a response that are still to be sent, and their connection, which is paused while there are none.
///
/// Not thread-safe: the lock of the `ResponseSource` that holds the buffer protects it.
package struct SendBuffer: Sendable {
    /// All bytes since the buffer was last filled or cleared. More may be appended while they are sent.
    package var bytes: [UInt8]
    private var sent = 0
    /// Nil before the response is made.
    private var connection: (any PausableConnection)?
    package private(set) var isPaused = false

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    package mutating func attach(to connection: any PausableConnection) { self.connection = connection }

    /// Replaces the bytes with those to be sent next.
    package mutating func fill(_ bytes: [UInt8]) {
        self.bytes = bytes
        sent = 0
    }

    /// Removes the bytes, and keeps the memory of a small buffer.
    package mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.count < 65_536)
        sent = 0
    }

    /// Copies the next bytes into the buffer of the thread that sends them.
    ///
    /// - Returns: Nil when all have been sent.
    package mutating func copyNext(into buffer: UnsafeMutableRawBufferPointer) -> ResponsePart? {
        guard sent < bytes.count else { return nil }
        let count = min(buffer.count, bytes.count - sent)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return .bytes(count)
    }

    /// Pauses the connection until `resume()`.
    package mutating func pause() -> ResponsePart {
        guard let connection else { return .failed }
        isPaused = true
        connection.pause()
        return .paused
    }

    /// Resumes the connection if it is paused.
    package mutating func resume() {
        guard isPaused, let connection else { return }
        isPaused = false
        connection.resume()
    }
}
