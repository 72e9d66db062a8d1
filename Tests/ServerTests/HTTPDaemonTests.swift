import Model
import Synchronization
import TestSupport
import Testing

@testable import Server

@Suite("HTTP server")
struct HTTPDaemonTests {
    /// Answers each request with its method and the length of its body.
    private final class Echo: Responder {
        let supportContact: SupportContact? = nil

        private final class Handler: RequestHandler {
            let method: String
            var count = 0
            init(_ method: String) { self.method = method }
            func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
                count += bytes.count
                return nil
            }
            func finish() -> RequestOutcome {
                .now(Response(status: 200, contentType: "text/plain", body: .text("\(method) \(count)")))
            }
        }

        func begin(_ request: Request) -> Beginning { .handle(Handler(request.method)) }
        func connectionsChanged(by difference: Int) {}
        func ended(_ summary: ExchangeSummary) {}
    }

    /// A running time that a test advances.
    private final class Time: Sendable {
        let milliseconds = Atomic<Int64>(1000)
    }

    /// - Parameter body: Receives the port, and a closure that advances the time by a number of seconds and checks the deadlines.
    private static func serve(
        _ limits: HTTPDaemon.Limits, _ body: (_ port: Int, _ pass: (Double) -> Void) throws -> Void
    ) throws {
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        let time = Time()
        let daemon = HTTPDaemon(limits, responder: Echo()) { time.milliseconds.load(ordering: .relaxed) }
        try daemon.start(socket, tls: nil)
        defer { daemon.stop() }
        try body(socket.port) { seconds in
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

    @Test("Connections are limited, and new ones are accepted when others close")
    func connections() throws {
        var limits = HTTPDaemon.Limits()
        limits.connections = 10
        try Self.serve(limits) { port, _ in
            var held = try (0..<8).map { _ in try RawConnection(port: port) }
            for connection in held { #expect(try connection.send("GET", "/")?.status == 200) }
            // The server's threads share the limit evenly, so some of these connections may be accepted.
            var more = try (0..<10).map { _ in try RawConnection(port: port, seconds: 1) }
            let served = more.count { (try? $0.send("GET", "/")) ?? nil != nil }
            #expect(served <= 2)
            held.removeAll()
            more.removeAll()
            let end = ContinuousClock.now + .seconds(Watchdog.seconds)
            var isServed = false
            while !isServed, ContinuousClock.now < end {
                isServed = (try? RawConnection(port: port, seconds: 1).send("GET", "/")?.status) == 200
            }
            #expect(isServed)
        }
    }
}
