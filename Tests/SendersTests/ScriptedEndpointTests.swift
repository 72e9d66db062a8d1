import Dispatch
import HTTPClient
import Synchronization
import TestSupport
import Testing

@Suite("Scripted endpoint", .timeLimit(.minutes(60)))
struct ScriptedEndpointTests {
    @Test("An endpoint never receives a client of another endpoint, however many start and stop at once")
    func others() throws {
        let failures = Mutex<[String]>([])
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            for number in 0..<50 {
                do {
                    // The endpoint stops while its threads are busy, and the next one reuses its file descriptors.
                    let ended = try ScriptedEndpoint()
                    let connection = try RawConnection(port: ended.port)
                    ended.stop()
                    let endpoint = try ScriptedEndpoint { _, _ in .answer(200, body: "\(worker) \(number)") }
                    let text = try HTTPClient(.patient).send(HTTPRequest("GET", endpoint.url)).text
                    if text != "\(worker) \(number)" { failures.withLock { $0.append(text) } }
                    withExtendedLifetime(connection) {}
                } catch {
                    failures.withLock { $0.append("\(error)") }
                }
            }
        }
        #expect(failures.withLock { $0 } == [])
    }

    @Test("A stopped endpoint listens on the same port when it is started again")
    func again() throws {
        let endpoint = try ScriptedEndpoint()
        for _ in 0..<20 {
            endpoint.stop()
            #expect(throws: (any Error).self) { try HTTPClient(.patient).send(HTTPRequest("GET", endpoint.url)) }
            try endpoint.start()
            #expect(try HTTPClient(.patient).send(HTTPRequest("GET", endpoint.url)).status == 200)
        }
    }
}
