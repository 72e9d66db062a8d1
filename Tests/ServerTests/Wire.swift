import Foundation
import Model
import TestSupport

/// A connection to a server at the level of bytes, which can also send invalid requests.
final class Wire {
    /// The answer of a server.
    struct Answer: Sendable {
        var status = 0
        var headers: [(name: String, value: String)] = []
        var body: [UInt8] = []

        /// The value of a header; nil when it is missing.
        subscript(header: String) -> String? {
            headers.first { $0.name.lowercased() == header.lowercased() }?.value
        }

        var text: String { String(decoding: body, as: UTF8.self) }

        func json() throws -> JSONValue { try JSONParser.parse(text) }
    }

    enum Failure: Error { case notConnected(Int32), ended, notHTTP(String) }

    private let descriptor: Int32
    private var unread: [UInt8] = []

    init(port: Int) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr("127.0.0.1")
        let code = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        if code != 0 { throw Failure.notConnected(errno) }
        // With a timeout, a server that never answers fails the test instead of blocking it.
        var patience = timeval(tv_sec: Int(Watchdog.seconds), tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        var yes: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &yes, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit { close(descriptor) }

    func send(_ text: String) { send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) {
        var sent = 0
        while sent < bytes.count {
            let count = bytes[sent...].withUnsafeBytes {
                Foundation.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
            }
            // The server may answer and close the connection before it has read everything.
            guard count > 0 else { return }
            sent += count
        }
    }

    /// Reads one answer.
    ///
    /// - Parameter hasBody: False for the answer to HEAD.
    func answer(hasBody: Bool = true) throws -> Answer {
        var answer = Answer()
        let first = try line()
        let parts = first.split(separator: " ", maxSplits: 2)
        guard parts.count >= 2, parts[0] == "HTTP/1.1", let status = Int(parts[1]) else { throw Failure.notHTTP(first) }
        answer.status = status
        while true {
            let line = try line()
            if line.isEmpty { break }
            let sides = line.split(separator: ":", maxSplits: 1)
            answer.headers.append((String(sides[0]), sides.count > 1 ? sides[1].trimmingCharacters(in: .whitespaces) : ""))
        }
        guard hasBody, status != 204, status != 304 else { return answer }
        if answer["Transfer-Encoding"]?.lowercased() == "chunked" {
            while let size = Int(try line(), radix: 16), size > 0 {
                answer.body += try read(size)
                _ = try line()
            }
            _ = try line()
        } else {
            answer.body = try read(Int(answer["Content-Length"] ?? "0") ?? 0)
        }
        return answer
    }

    /// The next line, without its line end.
    func line() throws -> String {
        while true {
            if let end = unread.firstIndex(of: UInt8(ascii: "\n")) {
                var line = Array(unread[..<end])
                unread.removeFirst(end + 1)
                if line.last == UInt8(ascii: "\r") { line.removeLast() }
                return String(decoding: line, as: UTF8.self)
            }
            try fill()
        }
    }

    private func read(_ count: Int) throws -> [UInt8] {
        while unread.count < count { try fill() }
        defer { unread.removeFirst(count) }
        return Array(unread.prefix(count))
    }

    private func fill() throws {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count > 0 else { throw Failure.ended }
        unread += buffer.prefix(count)
    }
}
