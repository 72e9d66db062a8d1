import Dispatch
import Model
import Routing
import Synchronization
import TestSupport
import Testing

@testable import HTTPServer

@Suite("Connections whose requests wait")
struct WaitingRequestTests {
    /// Answers when the test says so.
    private final class Patient: Responder {
        let supportContact: SupportContact? = nil
        let waiting = Mutex<(reply: Reply, presence: ClientPresence)?>(nil)
        let isWaiting = DispatchSemaphore(value: 0)
        let summaries = Mutex<[ExchangeSummary]>([])
        let ended = DispatchSemaphore(value: 0)

        private final class Handler: RequestHandler {
            let request: Request
            let responder: Patient
            var heldBytes: Int { 0 }
            init(_ request: Request, _ responder: Patient) { (self.request, self.responder) = (request, responder) }
            func receive(_ bytes: UnsafeBufferPointer<UInt8>) -> Response? { nil }
            func finish() -> RequestOutcome {
                .later { [request, responder] reply in
                    guard let presence = request.presence else { return false }
                    responder.waiting.withLock { $0 = (reply, presence) }
                    responder.isWaiting.signal()
                    return true
                }
            }
        }

        func begin(_ request: Request) -> Beginning { .handle(Handler(request, self)) }
        func connectionsChanged(by difference: Int) {}
        func ended(_ summary: ExchangeSummary) {
            summaries.withLock { $0.append(summary) }
            ended.signal()
        }
    }

    @Test("A connection that was closed while its request waited ends without an answer, and is not counted as a failure")
    func connection() throws {
        let responder = Patient()
        let daemon = HTTPDaemon(.init(), responder: responder)
        let socket = try daemon.startOnFreePort()
        defer {
            daemon.stop()
            socket.close()
        }
        let port = socket.port
        var client: RawConnection? = try RawConnection(port: port)
        client?.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        #expect(responder.isWaiting.wait(timeout: .now() + Watchdog.seconds) == .success)
        let (reply, presence) = try #require(responder.waiting.withLock { $0 })
        #expect(!presence.hasLeft)
        client = nil
        try #require(Watchdog.wait { presence.hasLeft })
        reply(.problem(.cancelled))
        #expect(responder.ended.wait(timeout: .now() + Watchdog.seconds) == .success)
        #expect(responder.summaries.withLock { $0.map(\.status) } == [0])
    }
}
