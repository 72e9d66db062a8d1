import Model
import Service
import TestSupport
import Testing

@Suite("The journal of problems")
struct ProblemJournalTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func standing(withDismissed: Bool = false) throws -> [GeofenceService.StandingProblem] {
        try bench.service.problems(withDismissed: withDismissed, after: nil, limit: 100).items
    }

    @Test("Keeps the newest of each source, and counts its failures")
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

    @Test("A success ends a source's problem and its count, and no other's")
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

    @Test("What was dismissed stays hidden until it is another problem, or escalated")
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

    @Test("Survives the end of the process, in every language")
    func restart() throws {
        let problem = Problem.authorizationRequired(status: "denied")
        try bench.service.record(problem, source: "registry/anna")
        let reader = try GeofenceService(reading: bench.data)
        let found = try #require(try reader.problems(withDismissed: false, after: nil, limit: 10).items.first)
        for language in Language.allCases { #expect(found.json(in: language)["problem"] == problem.json(in: language)) }
    }

    @Test("Is read part by part")
    func pages() throws {
        for number in 1...5 { try bench.service.record(.cancelled, source: "s\(number)") }
        let first = try bench.service.problems(withDismissed: false, after: nil, limit: 2)
        #expect(first.items.map(\.source) == ["s1", "s2"])
        let second = try bench.service.problems(withDismissed: false, after: first.next, limit: 3)
        #expect(second.items.map(\.source) == ["s3", "s4", "s5"])
        #expect(second.next == nil)
    }
}
