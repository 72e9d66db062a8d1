import Foundation
import Synchronization

/// An HTTP endpoint on 127.0.0.1 that handles each request as a test decides, including failures.
package final class ScriptedEndpoint: Sendable {
    package struct Request: Sendable {
        package var method: String
        package var target: String
        /// Values by lowercase names.
        package var headers: [String: String]
        package var body: String
    }

    /// The reaction to a request.
    package enum Step: Sendable {
        /// Answers, and keeps the connection open.
        case answer(Int, headers: [String] = [], body: String = "")
        /// Sends a text as it is, and closes the connection.
        case text(String)
        /// Sends an endless head, one line of `line` bytes after the other.
        case endlessHead(line: Int)
        /// Closes the connection without an answer.
        case close
        /// Resets the connection.
        case reset
        /// Sends nothing until the client disconnects.
        case hang
        /// Answers with an endless body.
        case endless(Int)
        /// Answers with a head only; the body that it announces never arrives.
        case stalled(Int)
    }

    /// The received requests and the script, shared with the threads of the connections.
    private final class Shared: Sendable {
        // Safe: these are only accessed while `condition` is locked.
        nonisolated(unsafe) var connections: Set<Int32> = []
        nonisolated(unsafe) var requests: [Request] = []
        nonisolated(unsafe) var accepted = 0
        nonisolated(unsafe) var script: @Sendable (Request, Int) -> Step
        let condition = NSCondition()

        init(_ script: @escaping @Sendable (Request, Int) -> Step) { self.script = script }
    }

    package let port: Int
    package var url: String { "http://\(host):\(port)" }
    private let host: String
    private let shared: Shared
    private let listener: Mutex<LoopbackListener?>

    /// - Parameters:
    ///   - host: The address to listen on, one of this machine's.
    ///   - script: The reaction to a request and its number from 0.
    package init(host: String = "127.0.0.1", _ script: @escaping @Sendable (Request, Int) -> Step = { _, _ in .answer(200) })
        throws
    {
        self.host = host
        shared = Shared(script)
        let listener = try Self.listen(host, 0, shared)
        port = listener.port
        self.listener = Mutex(listener)
    }

    deinit { stop() }

    /// All received requests, in order.
    package var requests: [Request] { shared.condition.withLock { shared.requests } }

    /// The number of connections accepted so far.
    package var connectionCount: Int { shared.condition.withLock { shared.accepted } }

    /// Replaces the script for later requests.
    package func script(_ script: @escaping @Sendable (Request, Int) -> Step) {
        shared.condition.withLock { shared.script = script }
    }

    /// Waits until `count` requests were received. Returns false when the time is over.
    package func wait(for count: Int) -> Bool { wait { $0.count >= count } }

    /// Waits until the requests satisfy a condition. Returns false when the time is over.
    package func wait(until isRight: ([Request]) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: Watchdog.seconds)
        shared.condition.lock()
        defer { shared.condition.unlock() }
        while !isRight(shared.requests) { guard shared.condition.wait(until: end) else { return isRight(shared.requests) } }
        return true
    }

    /// Refuses new connections, and closes the existing ones.
    package func stop() {
        listener.withLock { listener in
            listener?.stop()
            listener = nil
        }
        shared.condition.withLock { for connection in shared.connections { shutdown(connection, Int32(SHUT_RDWR)) } }
    }

    /// Listens again after `stop()`.
    package func start() throws {
        let again = try Self.listen(host, port, shared)
        listener.withLock { $0 = again }
    }

    private static func listen(_ host: String, _ port: Int, _ shared: Shared) throws -> LoopbackListener {
        try LoopbackListener(host: host, port: port) { connection in
            shared.condition.withLock {
                shared.accepted += 1
                shared.connections.insert(connection)
            }
            var reader = Reader(connection)
            while let request = reader.next(), perform(recordRequest(request, in: shared), on: connection) {}
        } closing: { connection in
            shared.condition.withLock { _ = shared.connections.remove(connection) }
        }
    }

    private static func recordRequest(_ request: Request, in shared: Shared) -> Step {
        shared.condition.lock()
        shared.requests.append(request)
        let (script, number) = (shared.script, shared.requests.count - 1)
        shared.condition.broadcast()
        shared.condition.unlock()
        return script(request, number)
    }

    /// Performs a step. Returns false when the connection is to be closed.
    private static func perform(_ step: Step, on connection: Int32) -> Bool {
        func send(_ text: String) -> Bool {
            let bytes = Array(text.utf8)
            return Foundation.send(connection, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
        }
        func waitForEnd() {
            var byte: UInt8 = 0
            while recv(connection, &byte, 1, 0) > 0 {}
        }
        switch step {
        case .answer(let status, let headers, let body):
            let lines = ["HTTP/1.1 \(status) Scripted", "Content-Length: \(body.utf8.count)"] + headers
            return send(lines.joined(separator: "\r\n") + "\r\n\r\n" + body)
        case .text(let text):
            _ = send(text)
            return false
        case .endlessHead(let size):
            guard send("HTTP/1.1 200 Scripted\r\n") else { return false }
            let line = "X: " + String(repeating: "x", count: max(1, size - 5)) + "\r\n"
            while send(line) {}
            return false
        case .close: return false
        case .reset:
            var linger = linger(l_onoff: 1, l_linger: 0)
            setsockopt(connection, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<Foundation.linger>.size))
            return false
        case .hang:
            waitForEnd()
            return false
        case .endless(let status):
            guard send("HTTP/1.1 \(status) Scripted\r\nTransfer-Encoding: chunked\r\n\r\n") else { return false }
            let chunk = "1000\r\n" + String(repeating: "x", count: 4096) + "\r\n"
            while send(chunk) {}
            return false
        case .stalled(let status):
            guard send("HTTP/1.1 \(status) Scripted\r\nContent-Length: 1000\r\n\r\n") else { return false }
            waitForEnd()
            return false
        }
    }

    /// Reads requests from a connection.
    private struct Reader {
        private let connection: Int32
        private var bytes: [UInt8] = []

        init(_ connection: Int32) { self.connection = connection }

        mutating func next() -> Request? {
            let end = Array("\r\n\r\n".utf8)
            var head: Range<Int>?
            while head == nil {
                head = bytes.firstRange(of: end)
                if head == nil, !fill() { return nil }
            }
            guard let head else { return nil }
            let lines = String(decoding: bytes[..<head.lowerBound], as: UTF8.self).split(separator: "\r\n")
            let words = lines.first?.split(separator: " ").map(String.init) ?? []
            guard words.count == 3 else { return nil }
            var headers: [String: String] = [:]
            for line in lines.dropFirst() {
                guard let colon = line.firstIndex(of: ":") else { return nil }
                headers[line[..<colon].lowercased()] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
            let length = headers["content-length"].flatMap { Int($0) } ?? 0
            while bytes.count < head.upperBound + length { guard fill() else { return nil } }
            let body = String(decoding: bytes[head.upperBound..<head.upperBound + length], as: UTF8.self)
            bytes.removeFirst(head.upperBound + length)
            return Request(method: words[0], target: words[1], headers: headers, body: body)
        }

        private mutating func fill() -> Bool {
            var piece = [UInt8](repeating: 0, count: 65_536)
            let count = recv(connection, &piece, piece.count, 0)
            guard count > 0 else { return false }
            bytes += piece[..<count]
            return true
        }
    }
}
