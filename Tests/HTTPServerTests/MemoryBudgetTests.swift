import Routing
import Testing

@testable import HTTPServer

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
}
