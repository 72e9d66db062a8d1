import HTTPClient
import Synchronization
import TestSupport
import Testing

import class Foundation.DispatchQueue

@Suite("Loopback server", .timeLimit(.minutes(60)))
struct LoopbackServerTests {
    @Test("A server never receives a client of another server, however many start and stop at once")
    func neverAcceptsClientsOfAnotherServer() throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for number in 0..<100 {
                do {
                    // This server stops while a connection to it is open. The listener of the next server may then get the same
                    // file descriptor. The stopped server must not accept the next server's client.
                    let stoppedServer = try LoopbackServer { _, _ in [] }
                    let connection = try RawConnection(port: stoppedServer.port)
                    stoppedServer.stop()
                    let server = try LoopbackServer { _, _ in
                        LoopbackServer.answer("200 OK", headers: "", body: "\(worker) \(number)")
                    }
                    let text = try HTTPClient(.patient).send(HTTPRequest("GET", server.url)).text
                    if text != "\(worker) \(number)" { failures.withLock { $0.append(text) } }
                    withExtendedLifetime((server, connection)) {}
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }
}
