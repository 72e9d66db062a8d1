import Core
import Model
import Registrations
import SQLite
import Service
import SimulatedOS
import TestSupport
import Testing

@testable import Server

@Suite("Problems over HTTP")
struct ProblemRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Runs a repair for the app, which fails without the permission.
    private func repair(_ authorization: String = "denied") async throws {
        try await bench.ask("PUT", "/v1/devices/app", body: #"{"platform":"ios","registry":"app"}"#)
        try await bench.ask(
            "PUT", "/v1/devices/app/registry", body: "{\"authorizationStatus\":\"\(authorization)\",\"regions\":[]}")
        #expect(try await bench.ask("POST", "/v1/devices/app/fix-registration", body: "").status == 200)
    }

    private func problems(_ query: String = "") async throws -> [JSONValue] {
        try await bench.json("/v1/problems" + query)["problems"]?.array ?? []
    }

    @Test("A problem is open until it is resolved, is counted, and escalates with the third failure")
    func life() async throws {
        #expect(try await problems().isEmpty)
        for count in 1...3 {
            try await repair()
            let problem = try #require(try await problems().first)
            #expect(problem["source"]?.string == "registry/app")
            #expect(problem["problem"]?["code"]?.string == "authorizationRequired")
            #expect(problem["consecutiveFailures"]?.double == Double(count))
            #expect(problem["isEscalated"]?.bool == (count >= 3))
        }
        try await repair("always")
        #expect(try await problems("?all=true").isEmpty)
        try await repair()
        #expect(try await problems().first?["consecutiveFailures"]?.double == 1)
    }

    @Test("A dismissed problem is hidden, and shown again when it changes")
    func dismiss() async throws {
        try await repair()
        let id = try #require(try await problems().first?["id"]?.string)
        let dismissed = try await bench.ask("POST", "/v1/problems/\(id):dismiss", body: "")
        #expect(dismissed.status == 200)
        #expect(try dismissed.json()["isDismissed"]?.bool == true)
        #expect(try await problems().isEmpty)
        #expect(try await problems("?all=true").count == 1)
        // A repetition does not show a dismissed problem again; its escalation does.
        try await repair()
        #expect(try await problems().isEmpty)
        try await repair()
        #expect(try await problems().first?["isEscalated"]?.bool == true)
        #expect(try await problems().first?["id"]?.string == id)
    }

    @Test("A problem can be read by its ID, and the status counts problems")
    func totals() async throws {
        #expect(try await bench.json("/v1/status")["problems"]?["standing"]?.double == 0)
        for _ in 1...3 { try await repair() }
        let totals = try await bench.json("/v1/status")["problems"]
        #expect(totals?["standing"]?.double == 1 && totals?["escalated"]?.double == 1)
        let id = try #require(try await problems().first?["id"]?.string)
        #expect(try await bench.json("/v1/problems/\(id)")["source"]?.string == "registry/app")
        #expect(try await bench.ask("GET", "/v1/problems/99").status == 404)
    }

    @Test("The repair of a simulated phone records its problem, and the next one resolves it")
    func simulated() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.ask("PUT", "/v1/devices/phone", body: #"{"platform":"ios"}"#)
        func operate(_ body: @escaping (inout SimulatedOS) -> Void) throws {
            let service = try ServiceReader(bench.data)
            try service.changeSimulatedOS(of: service.device(id: "phone"), body)
        }
        try operate { $0.authorize(.denied) }
        #expect(try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "").status == 200)
        let recorded = try await problems()
        #expect(recorded.first?["problem"]?["code"]?.string == "authorizationRequired", "\(recorded)")
        try operate { $0.authorize(.always) }
        #expect(try await bench.ask("POST", "/v1/devices/phone/fix-registration", body: "").status == 200)
        #expect(try await problems().isEmpty)
    }

    @Test("The live stream sends problems, health and repairs on request")
    func notices() async throws {
        var events: [StreamNotice] = []
        let all = try await bench.notices {
            events = try await bench.notices("") {
                try await repair()
                try await bench.add("home", 52.5, 13.4)
                try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
            } until: {
                $0.kind == "enter"
            }
        } until: {
            $0.kind == "enter"
        }
        #expect(Set(all.map(\.kind)) == ["devices", "health", "problem", "geofences", "enter"])
        #expect(events.map(\.kind) == ["enter"])
    }

    @Test("The problem of an unwritable store is shown with all others, until something is written")
    func store() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await repair()
        func metric() async throws -> [Substring] {
            try await bench.ask("GET", "/metrics").text.split(separator: "\n").filter { $0.hasPrefix("picket_problems") }
        }
        // Updates the health first, so that the service's periodic update does not interfere.
        let api = bench.server.api
        await withCheckedContinuation { done in api.updateHealthMetrics { _ in done.resume() } }
        let before = try await metric()
        let received = try await bench.notices {
            let full = Problem.storeFull(path: bench.data.storePath)
            for _ in 1...3 { bench.server.api.diagnostics.storeProblem.recordFailure(full) }
            let shown = try await problems()
            #expect(shown.map { $0["source"]?.string } == ["job/store", "registry/app"])
            #expect(shown.first?["problem"]?["code"]?.string == "storeFull" && shown.first?["isEscalated"]?.bool == true)
            #expect(try await problems("?after=0").map { $0["source"]?.string } == ["registry/app"])
            #expect(try await bench.json("/v1/problems/0")["id"]?.string == "0")
            let totals = try await bench.json("/v1/status")["problems"]
            #expect(totals?["standing"]?.double == 2 && totals?["escalated"]?.double == 1)
            func counts(_ lines: [Substring]) -> [Int] { lines.compactMap { $0.split(separator: " ").last.flatMap { Int($0) } } }
            #expect(counts(try await metric()) == counts(before).map { $0 + 1 })
            #expect(try await bench.ask("POST", "/v1/problems/0:dismiss", body: "").json()["isDismissed"]?.bool == true)
            #expect(try await problems().count == 1)
            #expect(try await problems("?all=true").count == 2)
            #expect(counts(try await metric()) == counts(before))

            try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        } until: {
            $0.kind == "problem" && $0.json["isResolved"] == true
        }
        let notices = received.filter { $0.kind == "problem" }.map(\.json)
        #expect(notices.allSatisfy { $0["id"]?.string == "0" } && notices.count == 5, "\(notices)")
        #expect(try await problems("?all=true").map { $0["source"]?.string } == ["registry/app"])
        #expect(try await bench.ask("GET", "/v1/problems/0").status == 404)
    }

    @Test("The problem of an unreadable store is shown too")
    func unreadable() async throws {
        bench.server.api.diagnostics.storeProblem.recordFailure(.storeCorrupt(path: bench.data.storePath, details: "page 7"))
        let corrupt = try SQLite.Connection(path: bench.data.storePath, access: .write)
        try corrupt.execute("ALTER TABLE problem RENAME TO lost")
        #expect(try await problems().map { $0["problem"]?["code"]?.string } == ["storeCorrupt"])
        try corrupt.execute("ALTER TABLE lost RENAME TO problem")
    }

    @Test("Problems lead to the support contact, and without one can only be dismissed")
    func contact() async throws {
        for contact in ["help@example.org", nil] {
            let bench = try ServerBench(flags: contact.map { ["support-contact": $0] } ?? [:])
            _ = try await bench.server.api.store.writer.perform { service throws(Problem) in
                try service.record(.unknown(details: "?"), source: "job/test")
            }
            let found = try await bench.json("/v1/problems", headers: ["Accept-Language": "tr"])["problems"]?.array?.first
            let action = try #require(found?["problem"]?["recoveryAction"])
            let kind: Problem.RecoveryAction = contact == nil ? .dismiss : .contactSupport
            #expect(action["kind"]?.string == kind.rawValue && action["contact"]?.string == contact)
            #expect(action["label"]?.string == kind.label.text(in: .turkish))
        }
    }

    @Test("Problems are in the language that the request accepts")
    func language() async throws {
        try await repair()
        let turkish = try await bench.json("/v1/problems", headers: ["Accept-Language": "tr-TR, en;q=0.5"])["problems"]?.array?
            .first
        let english = try await problems().first
        let titles = [turkish, english].map { $0?["problem"]?["title"]?.string }
        #expect(
            titles == [Language.turkish, .english].map { Problem.authorizationRequired(status: "denied").title.text(in: $0) })
    }

    @Test("An unknown problem gives 404", arguments: ["7", "x", "-1", "99999999999999999999"])
    func nobody(id: String) async throws {
        let answer = try await bench.ask("POST", "/v1/problems/\(id):dismiss", body: "")
        #expect(answer.status == 404)
        #expect(answer.text.contains("GET /v1/problems"))
    }
}
