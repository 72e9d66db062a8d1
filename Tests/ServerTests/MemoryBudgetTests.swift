import Geodesy
import Model
import Routing
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

    @Test("No body takes more than the part of its sender, even if it is the only one", arguments: ["one", nil])
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
        #expect(budget.resize(&size, to: 6 * megabytes << 20, for: .init(token: "a", address: nil)) == .granted)
        #expect(budget.resize(&size, to: 1 << 40, for: .init(token: "a", address: nil)) == .senderExceeds)
        let far = MemoryBudget.Sender(token: "b", address: try Self.address("192.0.2.2"))
        #expect(budget.resize(&other, to: 6 * megabytes << 20, for: far) == .granted)
    }

    @Test("Arrays and names of devices count")
    func held() {
        var batch = FixBatch()
        for index in 0..<1000 { _ = batch.number(ofDevice: "device-\(index)") }
        #expect(batch.heldBytes >= 1000 * 64)
        batch.rows.reserveCapacity(1000)
        #expect(batch.heldBytes >= 1000 * (64 + MemoryLayout<FixBatch.Row>.stride))
    }

    @Test("A batch takes at most a quarter more than its rows and attributes")
    func growth() {
        var batch = FixBatch()
        let coordinate = Coordinate(latitude: 1, longitude: 2)
        for index in 0..<100_000 {
            let attributes = batch.addAttributes(String(repeating: "x", count: 100))
            batch.append(
                .init(fix: Fix(time: .earliest, coordinate: coordinate), device: 0, attributes: attributes, line: index))
        }
        let held = 100_000 * (MemoryLayout<FixBatch.Row>.stride + 100 + 48)
        #expect((held...held * 5 / 4 + 10_000).contains(batch.heldBytes), "\(batch.heldBytes)")
    }

    @Test("Positions of 22 bytes take at most six times the memory of their text")
    func shortPositions() throws {
        let bench = try ServerBench()
        let rows = (0..<20_000).map { "\(1_790_000_000 + $0),52.1,13.12\n" }
        let body = "time,lat,lon\n" + rows.joined()
        var limits = HTTPDaemon.Limits()
        limits.budget = MemoryBudget(limit: 1 << 30, limitPerToken: 6 * body.utf8.count, limitPerAddress: 1 << 30)
        let daemon = HTTPDaemon(limits, responder: bench.server.api)
        let port = try daemon.startOnFreePort()
        defer { daemon.stop() }
        let connection = try RawConnection(port: port)
        connection.send(
            "POST /v1/positions?events=false&device=a HTTP/1.1\r\nHost: localhost\r\nContent-Type: text/csv\r\n"
                + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
        let answer = try #require(try connection.answer())
        #expect(answer.status == 200 && answer.text.contains("\"accepted\":20000"), "\(answer.text)")
    }
}
