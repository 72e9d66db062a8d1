import Foundation
import Model
import Routing
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Memory for answers")
struct AnswerMemoryTests {
    /// Answers `/large` and `/heavy` with 16 MB, more than the sockets hold, and other requests with a few bytes. POST has effects.
    private final class Generous: Responder {
        let supportContact: SupportContact? = nil
        let ended = DispatchSemaphore(value: 0)

        private final class Handler: RequestHandler {
            let request: Request
            var heldBytes = 0
            init(_ request: Request) { self.request = request }
            func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? {
                heldBytes += bytes.count
                return nil
            }
            func finish() -> RequestOutcome {
                let isLarge = request.target.path == "/large"
                var response = Response(
                    status: 200, contentType: "text/plain",
                    body: isLarge ? .bytes(Array(repeating: 120, count: 16 << 20)) : .text("little"))
                if request.target["short"] != nil { response.shortBody = .text("short") }
                return .now(response)
            }
        }

        func begin(_ request: Request) -> Beginning {
            let traits = RequestTraits(hasEffects: request.method == "POST", isHeavy: request.target.path == "/heavy")
            return .handle(Handler(request), traits)
        }
        func connectionsChanged(by difference: Int) {}
        func ended(_ summary: ExchangeSummary) { ended.signal() }
    }

    @Test("Answers that are not read hold a bounded number of bytes, and further ones are refused until some have ended")
    func unread() throws {
        var limits = HTTPDaemon.Limits()
        limits.budget = MemoryBudget(limit: 64 << 20, limitPerToken: 64 << 20, limitPerAddress: 64 << 20)
        let daemon = HTTPDaemon(limits, responder: Generous())
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let port = socket.port
        var holders: [RawConnection] = []
        for number in 0..<10 {
            let connection = try RawConnection(port: port)
            connection.send("GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let status = try connection.line()
            #expect(status.contains(number < 4 ? "200" : "429"), "\(number): \(status)")
            holders.append(connection)
            #expect(daemon.limits.budget.bytes <= 64 << 20)
        }
        #expect(daemon.limits.budget.bytes == 64 << 20)
        // Short answers are always possible.
        #expect(try RawConnection(port: port).send("GET", "/small")?.text == "little")
        holders.removeFirst()
        try #require(Watchdog.wait { daemon.limits.budget.bytes <= 48 << 20 })
        #expect(try RawConnection(port: port).send("GET", "/large")?.body.count == 16 << 20)
        holders.removeAll()
        try #require(Watchdog.wait { daemon.limits.budget.bytes == 0 })
    }

    @Test("The answer to a request with effects is never replaced by a refusal, but by a short one if there is one")
    func effects() throws {
        var limits = HTTPDaemon.Limits()
        limits.budget = MemoryBudget(limit: 1 << 20, limitPerToken: 1 << 20, limitPerAddress: 1 << 20)
        let daemon = HTTPDaemon(limits, responder: Generous())
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let port = socket.port
        #expect(try RawConnection(port: port).send("GET", "/large?short")?.status == 429)
        let short = try #require(try RawConnection(port: port).send("POST", "/large?short"))
        #expect(short.status == 200 && short.text == "short")
        let whole = try #require(try RawConnection(port: port).send("POST", "/large"))
        #expect(whole.status == 200 && whole.body.count == 16 << 20)
        try #require(Watchdog.wait { daemon.limits.budget.bytes == 0 })
    }

    @Test(
        "Memory is returned to the system after a request with a large body, a large answer or much work, and not after others",
        arguments: [("/", 2 << 20, true), ("/large", 0, true), ("/heavy", 0, true), ("/", 1000, false)])
    func returned(path: String, bodySize: Int, isReturned: Bool) throws {
        let responder = Generous()
        let returns = Atomic<Int>(0)
        let daemon = HTTPDaemon(.init(), responder: responder, returnMemory: { returns.add(1, ordering: .relaxed) })
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let port = socket.port
        let connection = try RawConnection(port: port)
        connection.send(
            "POST \(path) HTTP/1.1\r\nHost: localhost\r\nContent-Length: \(bodySize)\r\n\r\n"
                + String(repeating: "x", count: bodySize))
        #expect(try connection.answer()?.status == 200)
        #expect(responder.ended.wait(timeout: .now() + Watchdog.seconds) == .success)
        if isReturned {
            // Twice, because threads that worked for the request may free memory shortly after its end.
            try #require(Watchdog.wait { returns.load(ordering: .relaxed) == 2 })
        }
        #expect(!daemon.mustReturnMemory)
    }
}
