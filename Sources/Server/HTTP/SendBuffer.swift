import CMicrohttpd

/// Bytes that wait to be sent in a response, and the connection that they are sent on. The connection is suspended while there are none.
///
/// It is guarded by the lock of the `ResponseSource` that holds it.
struct SendBuffer {
    /// All bytes since the buffer was last filled. More may be appended while they are sent.
    var bytes: [UInt8]
    private var sent = 0
    /// The connection's handle; nil before the response is made. The connection outlives the response's source.
    private var connection: UInt?
    private(set) var isSuspended = false

    /// `MHD_CONTENT_READER_END_OF_STREAM`
    static let ended = -1
    /// `MHD_CONTENT_READER_END_WITH_ERROR`: cuts the connection, so that nobody takes the beginning for the whole.
    static let failed = -2

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func attach(to connection: OpaquePointer) { self.connection = UInt(bitPattern: connection) }

    /// Replaces what was sent by what is to be sent next.
    mutating func fill(_ bytes: [UInt8]) {
        self.bytes = bytes
        sent = 0
    }

    /// Removes what was sent, and keeps the memory of a buffer of usual size for what comes next.
    mutating func clear() {
        bytes.removeAll(keepingCapacity: bytes.count < 65_536)
        sent = 0
    }

    /// Copies the next bytes into a buffer of libmicrohttpd's.
    ///
    /// - Returns: How many; nil when all are sent.
    mutating func copyNext(into buffer: UnsafeMutableRawBufferPointer) -> Int? {
        guard sent < bytes.count else { return nil }
        let count = min(buffer.count, bytes.count - sent)
        unsafe bytes.withUnsafeBytes { bytes in
            unsafe buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[sent..<sent + count]))
        }
        sent += count
        return count
    }

    /// Suspends the connection until `resume`.
    ///
    /// - Returns: What the reader of the content answers then: no bytes for now.
    mutating func suspend() -> Int {
        guard let connection = unsafe connection.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else { return Self.failed }
        isSuspended = true
        unsafe MHD_suspend_connection(connection)
        return 0
    }

    /// Resumes the connection when it is suspended.
    mutating func resume() {
        guard isSuspended, let connection = unsafe connection.flatMap({ unsafe OpaquePointer(bitPattern: $0) }) else { return }
        isSuspended = false
        unsafe MHD_resume_connection(connection)
    }
}

/// What makes the content of a response while it is sent.
protocol ResponseSource: AnyObject, Sendable {
    /// Bytes that libmicrohttpd asks for at once.
    var blockSize: Int { get }

    /// Called before anything is read.
    func begin(on connection: OpaquePointer)

    /// Gives the next bytes. Called on a thread of libmicrohttpd's.
    ///
    /// - Returns: How many; 0 with the connection suspended; `SendBuffer.ended` or `SendBuffer.failed`.
    func read(_ buffer: UnsafeMutableRawBufferPointer) -> Int

    /// Called when nothing more is read: the content has ended, or the connection is gone.
    func close()
}

extension ResponseSource {
    /// Makes the response that the content is sent in.
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

/// Holds a source for as long as libmicrohttpd holds the response: a C callback takes a pointer to an object, and not to any type.
private final class ResponseSourceHolder {
    let source: any ResponseSource

    init(_ source: any ResponseSource) { self.source = source }
}
