import Model
import Testing

@Suite("Problems over HTTP")
struct ProblemRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Has the app's repair fail, for want of a permission, or go well.
    private func repair(_ authorization: String = "denied") async throws {
        try await bench.ask("PUT", "/v1/devices/app", #"{"platform":"ios","registry":"app"}"#)
        try await bench.ask("PUT", "/v1/devices/app/registry", "{\"authorizationStatus\":\"\(authorization)\",\"regions\":[]}")
        #expect(try await bench.ask("POST", "/v1/devices/app/fix-registration", "").status == 200)
    }

    private func problems(_ query: String = "") async throws -> [JSONValue] {
        try await bench.json("/v1/problems" + query)["problems"]?.array ?? []
    }

    @Test("Stand until they are resolved, are counted, and escalated from the third on")
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

    @Test("Are hidden when they are dismissed, and shown again when there is news")
    func dismiss() async throws {
        try await repair()
        let id = try #require(try await problems().first?["id"]?.string)
        let dismissed = try await bench.ask("POST", "/v1/problems/\(id):dismiss", "")
        #expect(dismissed.status == 200)
        #expect(try dismissed.json()["isDismissed"]?.bool == true)
        #expect(try await problems().isEmpty)
        #expect(try await problems("?all=true").count == 1)
        // The same again is no news; that it is escalated is.
        try await repair()
        #expect(try await problems().isEmpty)
        try await repair()
        #expect(try await problems().first?["isEscalated"]?.bool == true)
        #expect(try await problems().first?["id"]?.string == id)
    }

    @Test("Are told in the language that is asked for")
    func language() async throws {
        try await repair()
        let turkish = try await bench.json("/v1/problems", headers: ["Accept-Language": "tr-TR, en;q=0.5"])["problems"]?.array?
            .first
        let english = try await problems().first
        let titles = [turkish, english].map { $0?["problem"]?["title"]?.string }
        #expect(titles == [Language.turkish, .english].map { $0.words.title(.authorizationRequired(status: "denied")) })
    }

    @Test("One that is not there is not found", arguments: ["7", "x", "-1", "99999999999999999999"])
    func nobody(id: String) async throws {
        let answer = try await bench.ask("POST", "/v1/problems/\(id):dismiss", "")
        #expect(answer.status == 404)
        #expect(answer.text.contains("GET /v1/problems"))
    }
}
