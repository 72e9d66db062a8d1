import Foundation
import Synchronization

/// A server on 127.0.0.1 that answers with bytes a test decides, to see what the client really sends and takes.
final class LoopbackServer: Sendable {
    /// What to do next with a connection.
    enum Step {
        case send(String)
        /// Ends the connection.
        case close
        /// Says nothing more until the client goes away.
        case wait
    }

    let port: Int
    private let descriptor: Int32
    private let seen = Mutex<(connections: Int, requests: [String])>((0, []))

    var url: String { "http://127.0.0.1:\(port)" }
    var connections: Int { seen.withLock { $0.connections } }
    var requests: [String] { seen.withLock { $0.requests } }

    /// - Parameter answer: The steps for a request, given whole, and its number from 0.
    init(_ answer: @escaping @Sendable (String, Int) -> [Step]) throws {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        descriptor = listener
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 16) == 0 && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        port = Int(UInt16(bigEndian: address.sin_port))
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = accept(listener, nil, nil)
                guard connection >= 0 else { return }
                self?.seen.withLock { $0.connections += 1 }
                Thread.detachNewThread { [weak self] in
                    while let request = LoopbackServer.read(connection) {
                        guard
                            let number = self?.seen.withLock({ seen in
                                seen.requests.append(request)
                                return seen.requests.count - 1
                            }), LoopbackServer.perform(answer(request, number), on: connection)
                        else { break }
                    }
                    close(connection)
                }
            }
        }
    }

    deinit {
        shutdown(descriptor, Int32(SHUT_RDWR))
        close(descriptor)
    }

    /// An answer with a length, so that the connection stays open.
    static func answer(_ status: String, _ headers: String = "", _ body: String = "") -> [Step] {
        [.send("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")]
    }

    /// The next request: its head, and as much body as it says.
    private static func read(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var wanted: Int?
        while wanted.map({ bytes.count < $0 }) ?? true {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            // The beginning of TLS (RFC 8446, a record of type handshake), which this server does not speak.
            if bytes[0] == 22 { return "TLS" }
            let text = String(decoding: bytes, as: UTF8.self)
            if wanted == nil, let end = text.range(of: "\r\n\r\n") {
                let head = text[..<end.upperBound]
                let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
                wanted = head.utf8.count + (length.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Does the steps; false when the connection is over.
    private static func perform(_ steps: [Step], on connection: Int32) -> Bool {
        for step in steps {
            switch step {
            case .send(let text):
                let bytes = Array(text.utf8)
                guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return false }
            case .close: return false
            case .wait:
                var byte: UInt8 = 0
                _ = recv(connection, &byte, 1, 0)
                return false
            }
        }
        return true
    }
}
