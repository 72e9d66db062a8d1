import Model
import TestSupport
import Testing

@testable import Presence
@testable import Store

@Suite("Refused input")
struct RefusedInputTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    @Test(
        "Refusals are counted by device, kind and field, with the latest reason and the first and last time",
        arguments: 1...20 as ClosedRange<UInt64>)
    func counts(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var expected: [String: [String: PicketStore.RefusedInput]] = [:]
        for number in 0..<200 {
            let device = ["a", "b", nil][Int.random(in: 0..<3, using: &random)]
            let refusal = Refusal(
                try #require([Refusal.Kind.missing, .outOfRange, .unusable].randomElement(using: &random)), device: device,
                field: try #require(["time", "latitude"].randomElement(using: &random)), value: "",
                reason: .verbatim("reason \(number)"))
            let refused = PicketStore.RefusedInput(
                refusal, count: Int.random(in: 1...5, using: &random), at: Instant(milliseconds: Int64(number) * 1000))
            try store.countRefusedInput(refused, in: Transaction())
            var counter = expected[device ?? "", default: [:]]["\(refusal.kind) \(refusal.field)"] ?? refused
            if counter != refused {
                counter.count += refused.count
                counter.reason = refused.reason
                counter.lastAt = refused.lastAt
            }
            expected[device ?? "", default: [:]]["\(refusal.kind) \(refusal.field)"] = counter
        }
        for (device, counters) in expected {
            let newestFirst = counters.values.sorted { $0.lastAt > $1.lastAt }
            #expect(try store.refusedInput(of: device) == newestFirst, "seed \(seed)")
        }
        #expect(try store.refusedInput(of: "nobody").isEmpty)
    }

    @Test("From 10,000 counters on, new refusals are counted without device and field")
    func full() throws {
        let now = Instant(milliseconds: 1000)
        func count(_ device: String, in transaction: borrowing Transaction) throws(Problem) {
            let refusal = Refusal(.missing, device: device, field: "time", value: "", reason: .verbatim("r"))
            try store.countRefusedInput(PicketStore.RefusedInput(refusal, count: 1, at: now), in: transaction)
        }
        try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
            for number in 0..<10_000 { try count("d\(number)", in: transaction) }
        }
        try count("new", in: Transaction())
        try count("newer", in: Transaction())
        try count("d7", in: Transaction())
        #expect(try store.refusedInput(of: "new").isEmpty)
        #expect(try store.refusedInput(of: "").map(\.count) == [2])
        #expect(try store.refusedInput(of: "").map(\.field) == [""])
        #expect(try store.refusedInput(of: "d7").map(\.count) == [2])
    }
}
