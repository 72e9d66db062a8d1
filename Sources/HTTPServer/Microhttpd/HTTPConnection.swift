import CMicrohttpd
import Routing

/// A connection of libmicrohttpd.
@safe struct HTTPConnection: PausableConnection {
    private let handle: UInt

    init(_ pointer: OpaquePointer) { handle = UInt(bitPattern: pointer) }

    @unsafe var pointer: OpaquePointer? { unsafe OpaquePointer(bitPattern: handle) }

    func pause() { unsafe MHD_suspend_connection(pointer) }
    func resume() { unsafe MHD_resume_connection(pointer) }

    /// Copies the head of the received request.
    func request(method: String, target: String) -> Request {
        var head = RequestHead()
        let read: MHD_KeyValueIteratorN = { head, _, name, nameLength, value, valueLength in
            guard let head = unsafe head, let name = unsafe name, let value = unsafe value else { return .YES }
            unsafe name.withMemoryRebound(to: UInt8.self, capacity: nameLength) { name in
                let name = unsafe Span(_unsafeStart: name, count: nameLength)
                unsafe head.assumingMemoryBound(to: RequestHead.self).pointee.add(name, valueLength: valueLength) {
                    unsafe String(headerValue: UnsafeRawBufferPointer(start: value, count: valueLength))
                }
            }
            return .YES
        }
        unsafe withUnsafeMutablePointer(to: &head) { head in
            _ = unsafe MHD_get_connection_values_n(pointer, .HEADER_KIND, read, head)
        }
        return Request(
            method: method, target: Target(target), headers: head.headers, bodyLength: head.bodyLength,
            headBytes: method.utf8.count + target.utf8.count + head.bytes, peer: peer,
            presence: presence)
    }

    private var presence: ClientPresence? {
        guard let info = unsafe picket_mhd_info(pointer, .CONNECTION_INFO_CONNECTION_FD) else { return nil }
        return unsafe ClientPresence(descriptor: info.pointee.connect_fd)
    }

    var peer: SocketAddress {
        guard let info = unsafe picket_mhd_info(pointer, .CONNECTION_INFO_CLIENT_ADDRESS),
            let address = unsafe info.pointee.client_addr
        else { return SocketAddress() }
        return unsafe SocketAddress(address)
    }

    /// Creates a response with the content of a source.
    @unsafe func response(from source: any ResponseSource) -> OpaquePointer? {
        source.begin(on: self)
        let read: MHD_ContentReaderCallback = { holder, _, bytes, count in
            guard let holder = unsafe holder, let bytes = unsafe bytes else { return SourceHolder.failed }
            let source = unsafe Unmanaged<SourceHolder>.fromOpaque(holder).takeUnretainedValue().source
            return switch unsafe source.read(UnsafeMutableRawBufferPointer(start: bytes, count: count)) {
            case .bytes(let count): count
            case .paused: 0
            case .ended: SourceHolder.ended
            case .failed: SourceHolder.failed
            }
        }
        let free: MHD_ContentReaderFreeCallback = { holder in
            if let holder = unsafe holder { unsafe Unmanaged<SourceHolder>.fromOpaque(holder).takeRetainedValue().source.close() }
        }
        return unsafe MHD_create_response_from_callback(
            UInt64.max, source.blockSize, read, Unmanaged.passRetained(SourceHolder(source)).toOpaque(), free)
    }
}

/// Holds a source as long as libmicrohttpd holds the response. A C callback needs a pointer to an object of a known class.
private final class SourceHolder {
    let source: any ResponseSource

    /// `MHD_CONTENT_READER_END_OF_STREAM`.
    static let ended = -1
    /// `MHD_CONTENT_READER_END_WITH_ERROR`.
    static let failed = -2

    init(_ source: any ResponseSource) { self.source = source }
}
