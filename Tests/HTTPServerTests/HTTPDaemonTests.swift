import Dispatch
import Model
import Routing
import Settings
import Synchronization
import TestSupport
import Testing
import Workers

@testable import HTTPServer

@Suite("HTTP server")
struct HTTPDaemonTests {
    /// Answers each request with its method and the length of its body.
    private final class Echo: Responder {
        let supportContact: SupportContact? = nil

        private final class Handler: RequestHandler {
            let method: String
            var count = 0
            var heldBytes: Int { count }
            let isEndless: Bool
            /// The most bytes to use at once.
            let bite: Int
            var unusedBytes = 0
            /// Depends on the order of the bytes.
            var checksum: UInt32 = 0
            init(_ method: String, isEndless: Bool, bite: Int) {
                self.method = method
                self.isEndless = isEndless
                self.bite = bite
            }
            func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
                let used = min(bite, bytes.count)
                count += used
                unusedBytes = bytes.count - used
                for byte in bytes.prefix(used) { checksum = checksum &* 31 &+ UInt32(byte) }
                return nil
            }
            func finish() -> RequestOutcome {
                // More than the buffers of a connection hold.
                if isEndless {
                    return .now(
                        Response(status: 200, contentType: "text/plain", body: .bytes(Array(repeating: 120, count: 64 << 20))))
                }
                let sum = bite == .max ? "" : " \(checksum)"
                return .now(Response(status: 200, contentType: "text/plain", body: .text("\(method) \(count)\(sum)")))
            }
        }

        func begin(_ request: Request) -> Beginning {
            .handle(
                Handler(
                    request.method, isEndless: request.target.path == "/endless",
                    bite: request.target.path == "/bites" ? 1000 : .max),
                RequestTraits(tokenID: request.headers[.authorization], isRefused: request.target.path == "/refused"))
        }
        func connectionsChanged(by difference: Int) {}
        let stalled = DispatchSemaphore(value: 0)
        let answered = DispatchSemaphore(value: 0)
        func ended(_ summary: ExchangeSummary) {
            answered.signal()
            if summary.isStalled, summary.client == "127.0.0.1" { stalled.signal() }
        }
    }

    /// A running time that a test advances.
    private final class Time: Sendable {
        let milliseconds = Atomic<Int64>(1000)
    }

    /// - Parameter body: Receives the port, and a closure that advances the time by a number of seconds and checks the deadlines.
    private static func serve(
        _ limits: HTTPDaemon.Limits, responder: Echo = Echo(), _ body: (_ port: Int, _ pass: (Double) -> Void) throws -> Void
    ) throws {
        let time = Time()
        let daemon = HTTPDaemon(limits, responder: responder) { time.milliseconds.load(ordering: .relaxed) }
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let port = socket.port
        try body(port) { seconds in
            time.milliseconds.add(Int64(seconds * 1000), ordering: .relaxed)
            daemon.closeOverdueConnections()
        }
    }

    @Test("A connection whose head comes byte by byte is closed, and others are served meanwhile")
    func slowHead() throws {
        var limits = HTTPDaemon.Limits()
        limits.head = 1
        try Self.serve(limits) { port, pass in
            let others = try RawConnection(port: port)
            let isClosed = try drip("GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ", to: port, others, pass)
            #expect(isClosed)
        }
    }

    @Test("A connection whose body comes byte by byte is closed, and others are served meanwhile")
    func slowBody() throws {
        var limits = HTTPDaemon.Limits()
        limits.body = 1
        try Self.serve(limits) { port, pass in
            let others = try RawConnection(port: port)
            let head = "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n"
            let isClosed = try drip(head, to: port, others, pass)
            #expect(isClosed)
        }
    }

    /// Sends a beginning, and then one byte for each answer on another connection. Returns whether the connection was closed.
    private func drip(_ beginning: String, to port: Int, _ others: RawConnection, _ pass: (Double) -> Void) throws -> Bool {
        let slow = try RawConnection(port: port)
        slow.send(beginning)
        for _ in 0..<10_000 {
            guard slow.send("x") else { return true }
            #expect(try others.send("GET", "/")?.status == 200)
            pass(0.1)
        }
        return false
    }

    @Test("A handler that uses a part of the bytes gets the rest again, in order")
    func bites() throws {
        let body = String((0..<200_000).map { Character(Unicode.Scalar(UInt8(97 + $0 * $0 % 23))) })
        let checksum = body.utf8.reduce(0 as UInt32) { $0 &* 31 &+ UInt32($1) }
        try Self.serve(HTTPDaemon.Limits()) { port, _ in
            let connection = try RawConnection(port: port)
            for _ in 0..<2 {
                #expect(try connection.send("POST", "/bites", body: body)?.text == "POST 200000 \(checksum)")
            }
        }
    }

    @Test("The body of a refused request has less time than that of another one")
    func refusedBody() throws {
        try Self.serve(HTTPDaemon.Limits()) { port, pass in
            let begun = try ["/refused", "/other"].map { path in
                let connection = try RawConnection(port: port)
                connection.send("POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbo")
                // Another request on the same thread shows that the head has been received.
                for _ in 0..<8 { #expect(try RawConnection(port: port).send("GET", "/")?.status == 200) }
                return connection
            }
            pass(11)
            try begun[0].waitForEnd()
            begun[1].send("dy")
            #expect(try begun[1].answer()?.text == "POST 4")
        }
    }

    @Test("Half-sent bodies that take all connections make room for new ones", arguments: [false, true])
    func halfSentConnections(isPerAddress: Bool) throws {
        var limits = HTTPDaemon.Limits()
        if isPerAddress { limits.connectionsPerAddress = 10 } else { limits.connections = 10 }
        try Self.serve(limits) { port, pass in
            let held = try (0..<10).map { _ in
                pass(0.1)
                let connection = try RawConnection(port: port)
                connection.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbo")
                return connection
            }
            for _ in 0..<5 {
                // The server may not have received the heads yet when the time passes.
                var status: Int?
                for _ in 0..<100 where status != 200 {
                    pass(0.3)
                    status = try RawConnection(port: port).send("GET", "/")?.status
                }
                #expect(status == 200)
            }
            withExtendedLifetime(held) {}
        }
    }

    @Test("A connection with repeated requests is kept beyond the time limits")
    func diligent() throws {
        var limits = HTTPDaemon.Limits()
        (limits.head, limits.body) = (1, 1)
        try Self.serve(limits) { port, pass in
            let connection = try RawConnection(port: port)
            for _ in 0..<30 {
                #expect(try connection.send("POST", "/", body: "body")?.text == "POST 4")
                pass(0.9)
            }
        }
    }

    @Test("When there are too many connections, those that have been idle for the longest are closed", arguments: [false, true])
    func connections(isPerAddress: Bool) throws {
        var limits = HTTPDaemon.Limits()
        if isPerAddress { limits.connectionsPerAddress = 10 } else { limits.connections = 10 }
        let responder = Echo()
        try Self.serve(limits, responder: responder) { port, pass in
            // A request that is not complete is not idle, however old it is.
            let busy = try RawConnection(port: port)
            busy.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\n\r\nbo")
            #expect(try RawConnection(port: port).send("GET", "/")?.status == 200)
            let held = try (0..<40).map { _ in
                // A connection is idle only when the server has noticed that its answer was sent, which can be after the client has it.
                #expect(responder.answered.wait(timeout: .now() + Watchdog.seconds) == .success)
                pass(0.1)
                let connection = try RawConnection(port: port)
                #expect(try connection.send("GET", "/")?.status == 200)
                return connection
            }
            let open = held.indices.filter { (try? held[$0].send("GET", "/"))??.status == 200 }
            #expect(open.count == 9 && open.allSatisfy { $0 >= 25 } && open.last == 39)
            busy.send("dy")
            #expect(try busy.answer()?.text == "POST 4")
        }
    }

    @Test(
        "Half-sent bodies of one token, or of one client of a trusted proxy, leave room for those of others",
        arguments: [
            (header: "Authorization", slow: "slow", other: "other"),
            (header: "X-Forwarded-For", slow: "192.0.2.1", other: "192.0.2.2"),
        ])
    func halfSent(header: String, slow: String, other: String) throws {
        var limits = HTTPDaemon.Limits()
        limits.trustedProxies = [try #require(AddressRange("127.0.0.0/8"))]
        limits.budget = MemoryBudget(limit: 256_000, limitPerToken: 96_000, limitPerAddress: 192_000)
        try Self.serve(limits) { port, _ in
            func head(_ sender: String) -> String {
                "POST / HTTP/1.1\r\nHost: localhost\r\n\(header): \(sender)\r\nContent-Length: 16000\r\n\r\n"
            }
            let body = String(repeating: "x", count: 15_999)
            let held = try (0..<17).map { _ in
                let connection = try RawConnection(port: port)
                connection.send(head(slow) + body)
                return connection
            }
            let connection = try RawConnection(port: port)
            connection.send(head(other) + body + "x")
            #expect(try connection.answer()?.text == "POST 16000")
            // Which of them have room depends on the order in which they arrive.
            let answers = try held.map { connection in
                connection.send("x")
                return try connection.answer()?.status
            }
            #expect(Set(answers) == [200, 429])
            // Everything was given back.
            connection.send(head(slow) + body + "x")
            #expect(try connection.answer()?.text == "POST 16000")
        }
    }

    @Test("An answer of which the client takes nothing for too long is reported as stalled")
    func stalled() throws {
        var limits = HTTPDaemon.Limits()
        limits.inactivity = 1
        let responder = Echo()
        let daemon = HTTPDaemon(limits, responder: responder)
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let port = socket.port
        let connection = try RawConnection(port: port)
        connection.send("GET /endless HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(responder.stalled.wait(timeout: .now() + Watchdog.seconds) == .success)
    }

    @Test("A server that stops beside busy clients leaves the socket and its new connections to the next one")
    func succession() throws {
        var daemon = HTTPDaemon(HTTPDaemon.Limits(), responder: Echo())
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        for round in 0..<20 {
            let busy = (0..<4).map { _ in
                WorkThreads("client") {
                    for _ in 0..<10 { _ = try? RawConnection(port: socket.port).send("GET", "/") }
                }
            }
            let next = HTTPDaemon(HTTPDaemon.Limits(), responder: Echo())
            try next.start(socket, tls: nil)
            daemon.stop()
            daemon = next
            #expect(try RawConnection(port: socket.port).send("GET", "/")?.status == 200, "round \(round)")
            for client in busy { client.join() }
        }
    }

    @Test("A server that accepts no more connections waits for a request whose body is still being sent")
    func uploads() throws {
        let responder = Echo()
        let daemon = HTTPDaemon(HTTPDaemon.Limits(), responder: responder)
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let connection = try RawConnection(port: socket.port)
        connection.send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 8\r\nExpect: 100-continue\r\n\r\n")
        // The head has been read when the client is asked to continue.
        #expect(try connection.answer()?.status == 100)
        connection.send("1234")
        daemon.close()
        #expect(!daemon.drain(seconds: 0))
        connection.send("5678")
        #expect(try connection.answer()?.text == "POST 8")
        #expect(daemon.drain(seconds: Watchdog.seconds))
    }

    @Test("Connections of trusted proxies are limited all together, not by address")
    func proxy() throws {
        var limits = HTTPDaemon.Limits()
        limits.connectionsPerAddress = 2
        limits.trustedProxies = [try #require(AddressRange("127.0.0.0/8"))]
        try Self.serve(limits) { port, _ in
            let connections = try (0..<10).map { _ in try RawConnection(port: port) }
            for connection in connections { #expect(try connection.send("GET", "/")?.status == 200) }
        }
    }
}
