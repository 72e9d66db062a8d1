import Foundation
import Synchronization

/// A server on 127.0.0.1 that answers with the bytes that a test provides, to check what a client sends and accepts.
package final class LoopbackServer: Sendable {
    /// A step in the answer to a request.
    package enum Step: Sendable {
        case send(String)
        /// Closes the connection.
        case close
        /// Resets the connection, as if the server had crashed.
        case reset
        /// Sends nothing more until the client disconnects.
        case wait
    }

    private let listener: LoopbackListener
    private let received: Received

    /// What was received, shared with the threads of the connections.
    private final class Received: Sendable {
        let state = Mutex<(connections: Int, requests: [String], isOver: Bool)>((0, [], false))
    }

    package var port: Int { listener.port }
    package var url: String { "http://127.0.0.1:\(port)" }
    package var connections: Int { received.state.withLock { $0.connections } }
    package var requests: [String] { received.state.withLock { $0.requests } }

    /// - Parameters:
    ///   - port: The port to listen on; 0 for a free one.
    ///   - answer: The steps of the answer to a request, given the whole request and its number from 0.
    package init(port: Int = 0, _ answer: @escaping @Sendable (String, Int) -> [Step]) throws {
        let seen = Received()
        self.received = seen
        listener = try LoopbackListener(port: port) { connection in
            seen.state.withLock { $0.connections += 1 }
            while let request = LoopbackServer.read(connection) {
                let number = seen.state.withLock { seen -> Int? in
                    guard !seen.isOver else { return nil }
                    seen.requests.append(request)
                    return seen.requests.count - 1
                }
                guard let number, LoopbackServer.perform(answer(request, number), on: connection) else { return }
            }
        }
    }

    /// Accepts no more connections and requests, like a server that has ended.
    package func stop() {
        received.state.withLock { $0.isOver = true }
        listener.stop()
    }

    deinit { stop() }

    /// An answer with a Content-Length, so that the connection stays open.
    package static func answer(_ status: String, headers: String = "", body: String = "") -> [Step] {
        [.send("HTTP/1.1 \(status)\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")]
    }

    /// Reads the next request: its head, and as much of a body as the head says. Nil at the end of the connection.
    private static func read(_ connection: Int32) -> String? {
        var bytes: [UInt8] = []
        var wanted: Int?
        while wanted.map({ bytes.count < $0 }) ?? true {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return nil }
            bytes += piece[..<count]
            // A TLS record of the type handshake (RFC 8446). This server does not support TLS.
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

    /// Performs the steps. Returns false when the connection is to be closed.
    private static func perform(_ steps: [Step], on connection: Int32) -> Bool {
        for step in steps {
            switch step {
            case .send(let text):
                let bytes = Array(text.utf8)
                guard send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else { return false }
            case .close: return false
            case .reset:
                // Closing with a linger time of 0 sends a reset (socket(7)).
                var off = linger(l_onoff: 1, l_linger: 0)
                setsockopt(connection, SOL_SOCKET, SO_LINGER, &off, socklen_t(MemoryLayout<linger>.size))
                return false
            case .wait:
                var byte: UInt8 = 0
                _ = recv(connection, &byte, 1, 0)
                return false
            }
        }
        return true
    }
}
