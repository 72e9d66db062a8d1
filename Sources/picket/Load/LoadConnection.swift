#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One persistent connection of a load generator: a non-blocking socket, the request in progress and the answer received so far.
struct LoadConnection {
    let descriptor: Int32
    /// The request to send.
    var request: [UInt8] = []
    private var sent = 0
    /// The bytes of the answer received so far.
    private var answer: [UInt8] = []
    /// When the request was due, in nanoseconds of `Monotonic`.
    var start: Int64 = 0
    /// The beginning of the first answer whose status was not 200.
    private(set) var refusal: String?
    /// Whether a request has not been answered yet.
    var isBusy = false
    /// Whether a part of the request has not been sent yet.
    var isSending: Bool { sent < request.count }

    /// - Returns: Nil when the connection cannot be made; `errno` says why.
    init?(port: Int) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard code == 0, fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0 else {
            close(descriptor)
            return nil
        }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The outcome of one attempt to proceed.
    enum Progress {
        case waits
        /// The answer is complete. The value is its status.
        case answered(Int)
        /// The connection is closed or does not follow HTTP as expected.
        case broken
    }

    /// Begins to send `request`.
    mutating func begin() -> Progress {
        sent = 0
        isBusy = true
        return send()
    }

    private mutating func send() -> Progress {
        while sent < request.count {
            let count = request[sent...].withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                sent += count
            } else if errno == EAGAIN {
                return .waits
            } else if errno != EINTR {
                return .broken
            }
        }
        return .waits
    }

    /// Sends and reads as much as is possible without waiting.
    mutating func proceed() -> Progress {
        if sent < request.count, case .broken = send() { return .broken }
        while true {
            let count = withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 16) { buffer in
                let count = read(descriptor, buffer.baseAddress, buffer.count)
                if count > 0 { answer.append(contentsOf: UnsafeRawBufferPointer(buffer)[..<count]) }
                return count
            }
            if count == 0 { return .broken }
            if count < 0 {
                if errno == EINTR { continue }
                if errno != EAGAIN { return .broken }
                return .waits
            }
            guard let (status, length) = HTTPHead.whole(answer) else { continue }
            // Only one request is in progress at a time, so no bytes may follow the answer.
            guard answer.count == length else { return .broken }
            if status != 200, refusal == nil { refusal = String(decoding: answer.prefix(1000), as: UTF8.self) }
            answer.removeAll(keepingCapacity: true)
            isBusy = false
            return .answered(status)
        }
    }
}

/// The parts of HTTP/1.1 that a load generator has to parse.
enum HTTPHead {
    /// The status of an answer and its total length in bytes; nil while the answer is incomplete.
    static func whole(_ bytes: [UInt8]) -> (status: Int, length: Int)? {
        guard let (status, head, length) = bytes.withUnsafeBufferPointer(parse), bytes.count >= head + length else { return nil }
        return (status, head + length)
    }

    private static func parse(_ bytes: UnsafeBufferPointer<UInt8>) -> (status: Int, head: Int, length: Int)? {
        guard bytes.count > 12, let end = find("\r\n\r\n", in: bytes[...]) else { return nil }
        let status = number(bytes[9..<12])
        let name: StaticString = "Content-Length: "
        guard let field = find(name, in: bytes[..<(end + 2)]) else { return (status, end + 4, 0) }
        return (status, end + 4, number(bytes[(field + name.utf8CodeUnitCount)...]))
    }

    /// The index at which a text begins in a slice of bytes; nil if it is not contained.
    static func find(_ text: StaticString, in bytes: Slice<UnsafeBufferPointer<UInt8>>) -> Int? {
        let length = text.utf8CodeUnitCount
        guard let start = bytes.base.baseAddress, length > 0 else { return nil }
        var place = bytes.startIndex
        while place + length <= bytes.endIndex,
            let found = memchr(start + place, Int32(text.utf8Start[0]), bytes.endIndex - length + 1 - place)
        {
            place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self)) - start
            if memcmp(found, text.utf8Start, length) == 0 { return place }
            place += 1
        }
        return nil
    }

    /// The decimal number at the beginning of a slice; 0 if there is none.
    static func number(_ text: Slice<UnsafeBufferPointer<UInt8>>) -> Int {
        var value = 0
        for byte in text {
            guard case 48...57 = byte else { break }
            value = value * 10 + Int(byte - 48)
        }
        return value
    }
}

/// The machine's monotonic clock, in nanoseconds.
enum Monotonic {
    static func nanoseconds() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    }

    /// Sleeps until the clock reaches `time`; returns at once if it has.
    static func sleep(until time: Int64) {
        var left = time - nanoseconds()
        while left > 0 {
            var rest = timespec(tv_sec: Int(left / 1_000_000_000), tv_nsec: Int(left % 1_000_000_000))
            nanosleep(&rest, nil)
            left = time - nanoseconds()
        }
    }
}
