import Core
import Model
import Presence
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Problem journal")
struct ProblemJournalTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func standing(withDismissed: Bool = false) throws -> [Queries.OpenProblem] {
        try bench.service.problems(withDismissed: withDismissed, after: nil, limit: 100).items
    }

    @Test("The journal keeps the newest problem of each source, and counts its failures")
    func counting() throws {
        try bench.service.record(.noConnection(peer: "a", details: ""), source: "sink/a")
        try bench.service.record(.noConnection(peer: "b", details: ""), source: "sink/b")
        try bench.service.record(.timeout(peer: "a", details: ""), source: "sink/a")
        let problems = try standing()
        #expect(problems.map(\.source) == ["sink/a", "sink/b"])
        #expect(problems.map(\.code) == ["timeout", "noConnection"])
        #expect(problems.map(\.failures) == [2, 1])
        #expect(problems.map(\.isEscalated) == [false, false])
    }

    @Test("A success ends the problem and the count of its source only")
    func resolving() throws {
        for _ in 1...4 { try bench.service.record(.noConnection(peer: "a", details: ""), source: "sink/a") }
        try bench.service.record(.noConnection(peer: "b", details: ""), source: "sink/b")
        #expect(try standing().map(\.isEscalated) == [true, false])
        try bench.service.resolve(source: "sink/a")
        try bench.service.resolve(source: "sink/c")
        #expect(try standing().map(\.source) == ["sink/b"])
        try bench.service.record(.noConnection(peer: "a", details: ""), source: "sink/a")
        #expect(try standing().map(\.failures) == [1, 1])
    }

    @Test("A dismissed problem stays hidden until it changes or escalates")
    func dismissing() throws {
        try bench.service.record(.noConnection(peer: "a", details: ""), source: "sink/a")
        let id = String(try #require(try standing().first).id)
        try bench.service.dismiss(problem: id)
        try bench.service.dismiss(problem: id)
        #expect(try standing().isEmpty)
        #expect(try standing(withDismissed: true).map(\.failures) == [1])
        try bench.service.record(.noConnection(peer: "a", details: ""), source: "sink/a")
        #expect(try standing().isEmpty)
        try bench.service.record(.timeout(peer: "a", details: ""), source: "sink/a")
        #expect(try standing().map(\.failures) == [3])
    }

    @Test("A problem dismissed after it escalated comes back with twice as many failures, or after a day")
    func returning() throws {
        func fail(_ count: Int) throws {
            for _ in 1...count { try bench.service.record(.timeout(peer: "a", details: "\(count)"), source: "sink/a") }
        }
        try fail(4)
        let id = String(try #require(try standing().first).id)
        try bench.service.dismiss(problem: id)
        try fail(3)
        #expect(try standing().isEmpty)
        #expect(try bench.service.problemTotals() == .init(standing: 0, escalated: 0))
        try fail(1)
        #expect(try standing().map(\.failures) == [8])
        #expect(try bench.service.problemTotals() == .init(standing: 1, escalated: 1))
        try bench.service.dismiss(problem: id)
        #expect(try standing().isEmpty)
        bench.clock.set(bench.clock.now() + 86_399)
        #expect(try standing().isEmpty)
        bench.clock.set(bench.clock.now() + 1)
        #expect(try standing().map(\.failures) == [8], "a day later it is shown again automatically")
    }

    @Test("A dismissed problem comes back when its values change, not when its details change")
    func changed() throws {
        try bench.service.record(.registrationIncomplete(missing: 1, orphaned: 0), source: "registry/a")
        let id = String(try #require(try standing().first).id)
        try bench.service.dismiss(problem: id)
        try bench.service.record(.registrationIncomplete(missing: 2, orphaned: 0), source: "registry/a")
        #expect(try standing().count == 1)
        try bench.service.resolve(source: "registry/a")
        try bench.service.record(.timeout(peer: "a", details: "after 5 s"), source: "sink/a")
        try bench.service.dismiss(problem: String(try #require(try standing().first).id))
        try bench.service.record(.timeout(peer: "a", details: "after 6 s"), source: "sink/a")
        #expect(try standing().isEmpty)
    }

    @Test("A problem of input without a device ends a day after the last such input")
    func nameless() throws {
        func record(_ source: String) throws {
            try bench.service.record(
                .inputRefused(device: "", field: "device", value: "", kind: .unknownDevice, reason: .missing), source: source)
        }
        for source in ["intake", "intake-token/a", "intake/phone"] { try record(source) }
        bench.clock.set(bench.clock.now() + 43_200)
        try record("intake-token/a")
        bench.clock.set(bench.clock.now() + 43_201)
        try bench.service.resolveEndedIntakeProblems()
        #expect(try standing().map(\.source) == ["intake-token/a", "intake/phone"])
        bench.clock.set(bench.clock.now() + 43_200)
        try bench.service.resolveEndedIntakeProblems()
        #expect(try standing().map(\.source) == ["intake/phone"])
    }

    @Test("Problems survive the end of the process, in every language")
    func restart() throws {
        let problem = Problem.authorizationRequired(status: "denied")
        try bench.service.record(problem, source: "registry/anna")
        let reader = try ServiceReader(bench.data)
        let found = try #require(try reader.problems(withDismissed: false, after: nil, limit: 10).items.first)
        for language in Language.allCases { #expect(reader.json(found, in: language)["problem"] == problem.json(in: language)) }
    }

    @Test("The journal is read in pages")
    func pages() throws {
        for number in 1...5 { try bench.service.record(.cancelled, source: "s\(number)") }
        let first = try bench.service.problems(withDismissed: false, after: nil, limit: 2)
        #expect(first.items.map(\.source) == ["s1", "s2"])
        let second = try bench.service.problems(withDismissed: false, after: first.next, limit: 3)
        #expect(second.items.map(\.source) == ["s3", "s4", "s5"])
        #expect(second.next == nil)
    }
}
