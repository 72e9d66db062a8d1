import Model
import TestSupport
import Testing

@testable import Server

@Suite("Memory for bodies and answers")
struct MemoryBudgetTests {
    private static func address(_ text: String) throws -> ClientAddress { try #require(ClientAddress(text)) }

    @Test("A token gets a part of the memory, an address a larger one, and all together no more than there is")
    func shares() throws {
        let budget = MemoryBudget(limit: 256, limitPerToken: 96, limitPerAddress: 192)
        let (near, far) = (try Self.address("192.0.2.1"), try Self.address("192.0.2.2"))
        var sizes = [Int](repeating: 0, count: 5)
        func resize(_ index: Int, to size: Int, _ token: String?, _ address: ClientAddress) -> MemoryBudget.Reservation {
            budget.resize(&sizes[index], to: size, for: .init(token: token, address: address))
        }
        #expect(resize(0, to: 90, "a", near) == .granted)
        #expect(resize(1, to: 7, "a", far) == .senderExceeds && sizes[1] == 0)
        #expect(resize(2, to: 96, "b", near) == .granted)
        // Further tokens do not help the client.
        #expect(resize(3, to: 7, "c", near) == .senderExceeds && resize(3, to: 6, "c", near) == .granted)
        #expect(resize(4, to: 65, "d", far) == .allExceed && resize(4, to: 64, "d", far) == .granted)
        #expect(resize(0, to: 0, "a", near) == .granted && resize(4, to: 96, "d", far) == .granted)
        for index in sizes.indices {
            #expect(resize(index, to: 0, ["a", "a", "b", "c", "d"][index], index == 4 ? far : near) == .granted)
        }
        #expect(resize(0, to: 96, "a", far) == .granted)
    }

    @Test("No body takes more than the part of its sender, also the only one", arguments: ["one", nil])
    func only(token: String?) throws {
        let budget = MemoryBudget(limit: 256, limitPerToken: 96, limitPerAddress: 192)
        let sender = MemoryBudget.Sender(token: token, address: try Self.address("192.0.2.1"))
        var size = 0
        #expect(budget.resize(&size, to: 96, for: sender) == .granted)
        #expect(budget.resize(&size, to: 97, for: sender) == .senderExceeds && size == 96)
    }

    @Test("The largest body that the settings allow can be sent, and leaves room for others", arguments: [16, 64, 1024])
    func largest(megabytes: Int) throws {
        let budget = MemoryBudget(largestBody: megabytes << 20)
        var (size, other) = (0, 0)
        #expect(budget.resize(&size, to: 10 * megabytes << 20, for: .init(token: "a", address: nil)) == .granted)
        #expect(budget.resize(&size, to: 1 << 40, for: .init(token: "a", address: nil)) == .senderExceeds)
        let far = MemoryBudget.Sender(token: "b", address: try Self.address("192.0.2.2"))
        #expect(budget.resize(&other, to: 10 * megabytes << 20, for: far) == .granted)
    }

    @Test("Arrays and names of devices count")
    func held() {
        var batch = FixBatch()
        for index in 0..<1000 { _ = batch.number(ofDevice: "device-\(index)") }
        #expect(batch.heldBytes >= 1000 * 64)
        batch.rows.reserveCapacity(1000)
        #expect(batch.heldBytes >= 1000 * (64 + MemoryLayout<FixBatch.Row>.stride))
    }

    @Test("Positions that take ten times the memory of their text are accepted")
    func shortPositions() throws {
        let bench = try ServerBench()
        var limits = HTTPDaemon.Limits()
        limits.budget = MemoryBudget(limit: 2_000_000, limitPerToken: 700_000, limitPerAddress: 1_500_000)
        let daemon = HTTPDaemon(limits, responder: bench.server.api)
        let port = try daemon.startOnFreePort()
        defer { daemon.stop() }
        // In memory, these take some times their 70 KB.
        let rows = (0..<1800).map { "a,\(1_790_000_000 + $0),52.516312,13.377722\n" }
        let body = "device,timestamp,latitude,longitude\n" + rows.joined()
        let connection = try RawConnection(port: port)
        connection.send(
            "POST /v1/positions?events=false HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try #require(try connection.answer())
        #expect(answer.status == 200 && answer.text.contains("\"accepted\":1800"), "\(answer.text)")
    }
}
