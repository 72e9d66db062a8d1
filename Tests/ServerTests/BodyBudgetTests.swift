import TestSupport
import Testing

@testable import Server

@Suite("Memory for bodies of requests")
struct BodyBudgetTests {
    @Test("A sender gets a part of the memory, and all senders together no more than there is")
    func shares() {
        let budget = BodyBudget()
        let megabyte = 1 << 20
        var sizes = [Int](repeating: 0, count: 4)
        func resize(_ index: Int, to size: Int) -> BodyBudget.Reservation {
            budget.resize(&sizes[index], to: size, for: .token("\(index / 2)"))
        }
        #expect(resize(0, to: 90 * megabyte) == .granted)
        #expect(resize(1, to: 7 * megabyte) == .senderExceeds && sizes[1] == 0)
        #expect(resize(2, to: 96 * megabyte) == .granted)
        var third = 0
        #expect(budget.resize(&third, to: 71 * megabyte, for: .address(nil)) == .allExceed && third == 0)
        #expect(resize(0, to: 0) == .granted)
        #expect(budget.resize(&third, to: 71 * megabyte, for: .address(nil)) == .granted)
        #expect(resize(1, to: 96 * megabyte) == .allExceed)
        #expect(resize(1, to: 89 * megabyte) == .granted)
    }

    @Test("The only body of a sender may take more than the sender's part, and no other one beside it")
    func only() {
        let budget = BodyBudget(limit: 256, limitPerSender: 96)
        var sizes = [0, 0]
        func resize(_ index: Int, to size: Int) -> BodyBudget.Reservation {
            budget.resize(&sizes[index], to: size, for: .token("one"))
        }
        #expect(resize(0, to: 90) == .granted && resize(0, to: 200) == .granted)
        #expect(resize(1, to: 1) == .senderExceeds)
        #expect(resize(0, to: 257) == .allExceed && sizes == [200, 0])
        #expect(resize(0, to: 95) == .granted && resize(1, to: 1) == .granted)
        #expect(resize(0, to: 96) == .senderExceeds)
    }

    @Test("The largest body that the settings allow can be sent, also when it has short positions", arguments: [16, 64, 1024])
    func largest(megabytes: Int) {
        let budget = BodyBudget(largestBody: megabytes << 20)
        var size = 0
        #expect(budget.resize(&size, to: 6 * megabytes << 20, for: .address(nil)) == .granted)
    }

    @Test("Positions that take more memory than the part of a sender are accepted")
    func shortPositions() throws {
        let bench = try ServerBench()
        var limits = HTTPDaemon.Limits()
        limits.bodies = BodyBudget(limit: 256_000, limitPerSender: 96_000)
        let socket = try ListeningSocket(host: "127.0.0.1", port: 0)
        let daemon = HTTPDaemon(limits, responder: bench.server.api)
        try daemon.start(socket, tls: nil)
        defer { daemon.stop() }
        // In memory, these take about three times their 70 KB.
        let rows = (0..<1800).map { "a,\(1_790_000_000 + $0),52.516312,13.377722\n" }
        let body = "device,timestamp,latitude,longitude\n" + rows.joined()
        let connection = try RawConnection(port: socket.port)
        connection.send(
            "POST /v1/positions?events=false HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try #require(try connection.answer())
        #expect(answer.status == 200 && answer.text.contains("\"accepted\":1800"), "\(answer.text)")
    }
}
