import Foundation

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

    /// - Parameter source: The IPv4 address of this end; nil for the one that the system chooses.
    /// - Returns: Nil when the connection cannot be made; `errno` says why.
    init?(port: Int, from source: UInt32? = nil) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { return nil }
        guard source.map({ Self.perform(bind, descriptor, address: $0, port: 0) }) ?? true,
            Self.perform(connect, descriptor, address: 0x7F00_0001, port: port), fcntl(descriptor, F_SETFL, O_NONBLOCK) == 0
        else {
            close(descriptor)
            return nil
        }
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Calls `bind` or `connect` with an address.
    private static func perform(
        _ call: (Int32, UnsafePointer<sockaddr>, socklen_t) -> Int32, _ descriptor: Int32, address: UInt32, port: Int
    ) -> Bool {
        var name = sockaddr_in()
        name.sin_family = sa_family_t(AF_INET)
        name.sin_port = in_port_t(port).bigEndian
        name.sin_addr.s_addr = address.bigEndian
        return withUnsafePointer(to: &name) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
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
            guard let (status, length) = HTTPHead.completeAnswer(answer) else { continue }
            // Only one request is in progress at a time, so no bytes may follow the answer.
            guard answer.count == length else { return .broken }
            if status != 200, refusal == nil { refusal = String(decoding: answer.prefix(1000), as: UTF8.self) }
            answer.removeAll(keepingCapacity: true)
            isBusy = false
            return .answered(status)
        }
    }
}
