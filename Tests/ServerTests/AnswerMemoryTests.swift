import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Memory for answers")
struct AnswerMemoryTests {
    /// Answers `/large` with 16 MB, more than the sockets hold, and other requests with a few bytes.
    private final class Generous: Responder {
        let supportContact: SupportContact? = nil

        private final class Handler: RequestHandler {
            let isLarge: Bool
            var heldBytes: Int { 0 }
            init(isLarge: Bool) { self.isLarge = isLarge }
            func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? { nil }
            func finish() -> RequestOutcome {
                .now(
                    Response(
                        status: 200, contentType: "text/plain",
                        body: isLarge ? .bytes(Array(repeating: 120, count: 16 << 20)) : .text("little")))
            }
        }

        func begin(_ request: Request) -> Beginning { .handle(Handler(isLarge: request.target.path == "/large")) }
        func connectionsChanged(by difference: Int) {}
        func ended(_ summary: ExchangeSummary) {}
    }

    @Test("Answers that are not read hold a bounded number of bytes, and further ones are refused until some have ended")
    func unread() throws {
        var limits = HTTPDaemon.Limits()
        limits.budget = MemoryBudget(limit: 64 << 20, limitPerToken: 64 << 20, limitPerAddress: 64 << 20)
        let daemon = HTTPDaemon(limits, responder: Generous())
        let port = try daemon.startOnFreePort()
        defer { daemon.stop() }
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
}
