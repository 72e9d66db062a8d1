import TestSupport
import Testing

@testable import HTTPServer

@Suite("Memory for positions that are received")
struct PositionMemoryTests {
    @Test("Positions of 22 bytes take at most six times the memory of their text")
    func shortPositions() throws {
        let bench = try ServerBench()
        let rows = (0..<20_000).map { "\(1_790_000_000 + $0),52.1,13.12\n" }
        let body = "time,lat,lon\n" + rows.joined()
        let budget = MemoryBudget(limit: 1 << 30, limitPerToken: 6 * body.utf8.count, limitPerAddress: 1 << 30)
        let (daemon, port) = try bench.serve(with: budget)
        defer { daemon.stop() }
        let connection = try RawConnection(port: port)
        connection.send(
            "POST /v1/positions?events=false&device=a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try #require(try connection.answer())
        #expect(answer.status == 200 && answer.text.contains("\"accepted\":20000"), "\(answer.text)")
    }
}
