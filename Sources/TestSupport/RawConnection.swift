import Foundation

/// A connection to a server on this machine, byte by byte: it can also send what no HTTP client would.
package final class RawConnection {
    package enum Failure: Error {
        case noConnection(String)
        /// The server neither answered in time nor closed the connection.
        case timeout
        /// The received bytes are not an HTTP answer.
        case unreadable(String)
        /// The server closed the connection without an answer.
        case closed
    }

    package let descriptor: Int32
    private let port: Int
    private var received: [UInt8] = []

    /// - Parameter seconds: The timeout of each read and write.
    package init(port: Int, seconds: Int = Int(Watchdog.seconds)) throws {
        self.port = port
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Failure.noConnection(String(cString: strerror(errno))) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        // The descriptor is closed by `deinit`, which also runs after this error.
        guard code == 0 else { throw Failure.noConnection(String(cString: strerror(errno))) }
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        setsockopt(descriptor, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    }

    deinit { close(descriptor) }

    /// Sends bytes. Returns false when the server accepts no more.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool { Self.send(bytes, to: descriptor) }

    /// Sends bytes over a socket. Returns false when the other side accepts no more.
    @discardableResult
    static func send(_ bytes: [UInt8], to descriptor: Int32) -> Bool {
        var sent = 0
        while sent < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress! + sent, $0.count - sent, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return false }
            sent += count
        }
        return true
    }

    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Reads the next answer; nil when the server closed the connection without one.
    ///
    /// - Parameter hasBody: False for the answer to a HEAD request.
    package func answer(hasBody: Bool = true) throws -> TestAnswer? {
        guard let head = try line(until: "\r\n\r\n") else { return nil }
        let lines = head.split(separator: "\r\n").map(String.init)
        let words = lines.first?.split(separator: " ") ?? []
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else {
            throw Failure.unreadable(head)
        }
        var answer = TestAnswer(status: status)
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { throw Failure.unreadable(line) }
            let value = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            answer.headers.append(.init(name: String(line[..<colon]), value: value))
        }
        guard hasBody, status >= 200, status != 204, status != 304 else { return answer }
        if answer["Transfer-Encoding"]?.lowercased() == "chunked" {
            while let text = try line(until: "\r\n"), let size = Int(text, radix: 16) {
                answer.body += try bytes(size) ?? []
                _ = try bytes(2)
                if size == 0 { break }
            }
        } else if let length = answer["Content-Length"].flatMap({ Int($0) }) {
            guard let body = try bytes(length) else { throw Failure.unreadable("the body is cut off") }
            answer.body = body
        } else {
            while try receive() {}
            answer.body = received
            received = []
        }
        return answer
    }

    /// Waits until the server closes the connection, and discards what arrives before.
    ///
    /// - Throws: `Failure.timeout` when the server does not close it in time.
    package func waitForEnd() throws { while try receive() {} }

    /// The next line, without its end.
    package func line() throws -> String {
        guard let line = try line(until: "\n") else { throw Failure.closed }
        return line.hasSuffix("\r") ? String(line.dropLast()) : line
    }

    private func line(until end: String) throws -> String? {
        let end = Array(end.utf8)
        while true {
            if let range = received.firstRange(of: end) {
                let text = String(decoding: received[..<range.lowerBound], as: UTF8.self)
                received.removeFirst(range.upperBound)
                return text
            }
            guard try receive() else {
                if received.isEmpty { return nil }
                throw Failure.unreadable(String(decoding: received, as: UTF8.self))
            }
        }
    }

    private func bytes(_ count: Int) throws -> [UInt8]? {
        while received.count < count { guard try receive() else { return nil } }
        defer { received.removeFirst(count) }
        return Array(received[..<count])
    }

    /// Reads more bytes. Returns false at the end.
    private func receive() throws -> Bool {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count > 0 {
                received += buffer[..<count]
                return true
            }
            // A reset counts as the end.
            if count == 0 || errno == ECONNRESET { return false }
            if errno == EINTR { continue }
            throw Failure.timeout
        }
    }
}

extension RawConnection {
    /// Sends a request and returns its answer; nil when the server closed the connection without one.
    package func ask(_ request: TestRequest) throws -> TestAnswer? {
        send(request.bytes(port: port))
        return try answer(hasBody: request.method != "HEAD")
    }

    /// Sends a request and returns its answer; nil when the server closed the connection without one.
    package func send(
        _ method: String, _ target: String, body: String? = nil, type: String = "application/json",
        headers: [String: String] = [:]
    ) throws -> TestAnswer? {
        try ask(TestRequest(method, target, body: body, type: type, headers: headers))
    }
}
