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

    @Test("The largest body that the settings allow can be sent")
    func largest() {
        let budget = BodyBudget(largestBody: 1 << 30)
        var size = 0
        #expect(budget.resize(&size, to: 1 << 30, for: .address(nil)) == .granted)
    }
}
