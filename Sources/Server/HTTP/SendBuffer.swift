import CMicrohttpd

/// The bytes of a response that are still to be sent, and their connection, which is suspended while there are none.
///
/// Not thread-safe: the lock of the `ResponseSource` that holds the buffer protects it.
struct SendBuffer {
    /// All bytes since the buffer was last filled or cleared. More may be appended while they are sent.
    var bytes: [UInt8]
    private var sent = 0
    /// The connection's handle; nil before the response is made. The connection outlives the source of the response.
    private var connection: UInt?
    private(set) var isSuspended = false

    /// `MHD_CONTENT_READER_END_OF_STREAM`.
    static let ended = -1
    /// `MHD_CONTENT_READER_END_WITH_ERROR`: closes the connection, so that the client does not take a partial answer for a complete one.
    static let failed = -2

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func attach(to connection: OpaquePointer) { self.connection = UInt(bitPattern: connection) }

    /// Replaces the bytes by those to be sent next.
    mutating func fill(_ bytes: [UInt8]) {
        self.bytes = bytes
        sent = 0
    }

    /// Removes the bytes, and keeps the memory of a small buffer.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.count < 65_536)
        sent = 0
    }

    /// Copies the next bytes into a buffer of libmicrohttpd.
    ///
    /// - Returns: The number of bytes; nil when all have been sent.
    mutating func copyNext(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard sent < bytes.count else { return nil }
        let count = min(buffer.count, bytes.count - sent)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return count
    }

    /// Suspends the connection until `resume()`.
    ///
    /// - Returns: The result for the content reader: 0 for no bytes at present.
    mutating func suspend() -> Int {
        guard let connection = unsafe connection.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else { return Self.failed }
        isSuspended = true
        unsafe MHD_suspend_connection(connection)
        return 0
    }

    /// Resumes the connection if it is suspended.
    mutating func resume() {
        guard isSuspended, let connection = unsafe connection.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else { return }
        isSuspended = false
        unsafe MHD_resume_connection(connection)
    }
}

/// Produces the content of a response while it is sent.
protocol ResponseSource: AnyObject, Sendable {
    /// The number of bytes that libmicrohttpd requests at a time.
    var blockSize: Int { get }

    /// Called before the first read.
    func begin(on connection: OpaquePointer)

    /// Copies the next bytes into `buffer`. Called on a thread of libmicrohttpd.
    ///
    /// - Returns: The number of bytes; 0 if the connection was suspended; `SendBuffer.ended` or `SendBuffer.failed`.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Called after the last read: the content has ended, or the connection is closed.
    func close()
}

extension ResponseSource {
    /// Makes a response with this content.
    func makeResponse(for connection: OpaquePointer) -> OpaquePointer? {
        unsafe begin(on: connection)
        let read: MHD_ContentReaderCallback = { holder, _, bytes, count in
            guard let holder = unsafe holder, let bytes = unsafe bytes else { return SendBuffer.failed }
            return unsafe Unmanaged<ResponseSourceHolder>.fromOpaque(holder).takeUnretainedValue().source.read(
                UnsafeMutableRawBufferPointer(start: bytes, count: count))
        }
        let free: MHD_ContentReaderFreeCallback = { holder in
            if let holder = unsafe holder {
                unsafe Unmanaged<ResponseSourceHolder>.fromOpaque(holder).takeRetainedValue().source.close()
            }
        }
        return unsafe MHD_create_response_from_callback(
            UInt64.max, blockSize, read, Unmanaged.passRetained(ResponseSourceHolder(self)).toOpaque(), free)
    }
}

/// Holds a source as long as libmicrohttpd holds the response. A C callback needs a pointer to an object of a known class.
private final class ResponseSourceHolder {
    let source: any ResponseSource

    init(_ source: any ResponseSource) { self.source = source }
}
