import Foundation
import HTTPServer
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Starts of a server")
struct StartTests {
    @Test("No client can connect before the server starts")
    func connection() throws {
        let bench = try ServerBench()
        #expect(throws: (any Error).self) { try RawConnection(port: bench.server.api.site.address.port) }
        let port = try bench.takeConnections()
        #expect(try RawConnection(port: port).send("GET", "/healthz")?.status == 200)
    }

    @Test("A server whose address another one has taken meanwhile does not start, and leaves no service file")
    func taken() throws {
        let bench = try ServerBench()
        let other = try ListeningSocket(host: "127.0.0.1", port: bench.server.api.site.address.port)
        defer { other.close() }
        try other.listen()
        let problem = #expect(throws: Problem.self) { try bench.server.start() }
        #expect(problem?.code == "validationFailed")
        #expect(access(bench.data.path + "/service.json", F_OK) != 0)
    }
}
