import Model
import TestSupport
import Testing

@testable import Core
@testable import Store

@Suite("Standing problems")
struct OpenProblemTests {
    private let directory: TemporaryDirectory
    private let store: PicketStore

    init() throws {
        directory = try TemporaryDirectory()
        store = try PicketStore(writing: directory.path + "/picket.sqlite")
    }

    private struct Shown: Equatable {
        var source: String
        var code: String
        var failures: Int
        var lastAt: Instant
        var dismissedAt: Instant?
        var dismissedFailures: Int?

        init(_ problem: PicketStore.OpenProblem) {
            source = problem.source
            code = problem.code
            failures = problem.failures
            lastAt = problem.lastAt
            dismissedAt = problem.dismissedAt
            dismissedFailures = problem.dismissedFailures
        }
    }

    @Test("Each source has its last saved problem until that is removed", arguments: 1...20 as ClosedRange<UInt64>)
    func history(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        var expected: [String: PicketStore.OpenProblem] = [:]
        for number in 0..<150 {
            let now = Instant(milliseconds: Int64(number) * 1000)
            let source = "\(["registry", "sink"].randomElement(using: &random) ?? "")/\(Int.random(in: 0..<4, using: &random))"
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                try store.removeProblem(ofSource: source, in: Transaction())
                expected[source] = nil
            case 1:
                guard var problem = expected[source] else { continue }
                problem.dismissedAt = now
                problem.dismissedFailures = problem.failures
                try store.save(problem, in: Transaction())
                expected[source] = problem
            default:
                var problem = PicketStore.OpenProblem(.timeout(peer: "p\(number)", details: ""), source: source, at: now)
                problem.failures = Int.random(in: 1...6, using: &random)
                try store.save(problem, in: Transaction())
                expected[source] = problem
            }
            let moment = Instant(milliseconds: Int64.random(in: 0...Int64(number), using: &random) * 1000)
            let open = expected.values.filter { $0.dismissedAt.map { $0 <= moment } ?? true }
            var paged: [PicketStore.OpenProblem] = []
            while case let page = try store.problems(dismissedBefore: moment, after: paged.last?.id ?? 0, limit: 2), !page.isEmpty
            {
                paged += page
            }
            #expect(
                paged.sorted { $0.source < $1.source }.map(Shown.init) == open.sorted { $0.source < $1.source }.map(Shown.init),
                "seed \(seed), step \(number)")
            let totals = try store.problemTotals(dismissedBefore: moment, escalatedFrom: 4)
            #expect(totals == .init(standing: open.count, escalated: open.count { $0.failures >= 4 }), "seed \(seed)")
            #expect(
                try Set(store.problemSources(startingWith: "sink/")) == Set(expected.keys.filter { $0.hasPrefix("sink/") }),
                "seed \(seed)")
            #expect(try store.problem(ofSource: source).map(Shown.init) == expected[source].map(Shown.init), "seed \(seed)")
        }
        for problem in expected.values {
            let stored = try #require(try store.problem(ofSource: problem.source))
            #expect(try store.problem(id: stored.id)?.source == problem.source)
            #expect(stored.words == problem.words)
        }
    }

    @Test("A client with a restricted token sees the problems of its devices, of every kind, and no others")
    func restricted() throws {
        for id in ["anna", "ben"] { try store.saveDevice(Device(id: id), in: Transaction()) }
        let kinds = PicketStore.DeviceProblem.allCases
        let sources = ["anna", "ben", "nobody"].flatMap { id in kinds.map { $0.source(of: id) } } + ["sink/anna", "job/backup"]
        for source in sources {
            let now = Instant(milliseconds: 0)
            try store.save(PicketStore.OpenProblem(.timeout(peer: "p", details: ""), source: source, at: now), in: Transaction())
        }
        let seen = try store.withDevices(of: DeviceScope(devices: ["anna"])) { () throws(Problem) in
            try store.problems(dismissedBefore: .latest, after: 0, limit: 100).map(\.source)
        }
        #expect(seen.sorted() == kinds.map { $0.source(of: "anna") }.sorted())
    }
}
