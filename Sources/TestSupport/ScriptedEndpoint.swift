import Foundation
import Synchronization

/// An HTTP endpoint on 127.0.0.1 that does with each request what a test decides, well or badly.
public final class ScriptedEndpoint: Sendable {
    public struct Request: Sendable {
        public var method: String
        public var target: String
        /// By names in lower case.
        public var headers: [String: String]
        public var body: String
    }

    /// What to do with a request.
    public enum Step: Sendable {
        /// Answers, and keeps the connection.
        case answer(Int, headers: [String] = [], body: String = "")
        /// Ends the connection without an answer.
        case close
        /// Ends it with a reset.
        case reset
        /// Says nothing until the client goes away.
        case hang
        /// Answers with a body that has no end.
        case endless(Int)
        /// Answers with the head of a body that never comes.
        case stalled(Int)
    }

    private struct State {
        var listener: Int32 = -1
        var connections: Set<Int32> = []
        var requests: [Request] = []
        var accepted = 0
        var script: @Sendable (Request, Int) -> Step
    }

    public let port: Int
    public var url: String { "http://127.0.0.1:\(port)" }
    // Safe: everything in `state` is touched only while `condition` is locked.
    private nonisolated(unsafe) var state: State
    private let condition = NSCondition()

    /// - Parameters:
    ///   - host: The address to listen at, one of this machine's.
    ///   - script: What to do with a request, by its number from 0.
    public init(host: String = "127.0.0.1", _ script: @escaping @Sendable (Request, Int) -> Step = { _, _ in .answer(200) })
        throws
    {
        state = State(script: script)
        let (listener, port) = try Self.listen(host, 0)
        self.port = port
        state.listener = listener
        accept(listener)
    }

    deinit { stop() }

    /// All requests that have come, in their order.
    public var requests: [Request] { condition.withLock { state.requests } }

    /// How many connections were ever made.
    public var connectionCount: Int { condition.withLock { state.accepted } }

    /// Changes what is done with requests from now on.
    public func script(_ script: @escaping @Sendable (Request, Int) -> Step) { condition.withLock { state.script = script } }

    /// Waits until so many requests have come. False when they do not.
    public func wait(for count: Int, seconds: Double = 60) -> Bool { wait(seconds: seconds) { $0.count >= count } }

    /// Waits until the requests are as they should be. False when they do not become so.
    public func wait(seconds: Double = 60, until isRight: ([Request]) -> Bool) -> Bool {
        let end = Date(timeIntervalSinceNow: seconds)
        condition.lock()
        defer { condition.unlock() }
        while !isRight(state.requests) { guard condition.wait(until: end) else { return isRight(state.requests) } }
        return true
    }

    /// Refuses connections, and resets those there are.
    public func stop() {
        condition.lock()
        let (listener, connections) = (state.listener, state.connections)
        state.listener = -1
        condition.unlock()
        if listener >= 0 {
            shutdown(listener, Int32(SHUT_RDWR))
            close(listener)
        }
        for connection in connections { shutdown(connection, Int32(SHUT_RDWR)) }
    }

    /// Listens again after a stop.
    public func start() throws {
        let (listener, _) = try Self.listen("127.0.0.1", port)
        condition.withLock { state.listener = listener }
        accept(listener)
    }

    // MARK: - Sockets

    private static func listen(_ host: String, _ port: Int) throws -> (Int32, Int) {
        let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var yes: Int32 = 1
        setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = inet_addr(host)
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && Foundation.listen(listener, 128) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        guard isListening else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
        return (listener, Int(UInt16(bigEndian: address.sin_port)))
    }

    private func accept(_ listener: Int32) {
        Thread.detachNewThread { [weak self] in
            while true {
                let connection = Foundation.accept(listener, nil, nil)
                guard connection >= 0 else { return }
                guard let self else {
                    close(connection)
                    return
                }
                self.condition.withLock {
                    self.state.accepted += 1
                    self.state.connections.insert(connection)
                }
                Thread.detachNewThread { [weak self] in
                    var reader = Reader(connection)
                    while let request = reader.next(), let step = self?.take(request), Self.perform(step, on: connection) {}
                    self?.condition.withLock { _ = self?.state.connections.remove(connection) }
                    close(connection)
                }
            }
        }
    }

    private func take(_ request: Request) -> Step {
        condition.lock()
        state.requests.append(request)
        let (script, number) = (state.script, state.requests.count - 1)
        condition.broadcast()
        condition.unlock()
        return script(request, number)
    }

    /// Does a step. False when the connection is over.
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
