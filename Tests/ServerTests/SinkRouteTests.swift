import Model
import TestSupport
import Testing

@testable import Server

@Suite("Sinks over HTTP", .timeLimit(.minutes(60)))
struct SinkRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    private func make(_ json: String) async throws -> TestAnswer { try await bench.ask("POST", "/v1/sinks", body: json) }

    /// Creates mia's first events: outside the geofence, then inside.
    private func enter() async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.move("mia", to: 52.6, 13.4, at: "2026-11-20T11:50:00Z")
        try await bench.move("mia", to: 52.5, 13.4, at: "2026-11-20T11:55:00Z")
    }

    @Test("The list, the metrics and the live stream show the same state of a connection, at each step")
    func states() async throws {
        let endpoint = try ScriptedEndpoint { _, number in number == 0 ? .answer(500, body: "out of order") : .answer(200) }
        #expect(try await make("{\"id\":\"hook\",\"kind\":\"webhook\",\"url\":\"\(endpoint.url)/h\"}").status == 201)
        var states: [JSONValue] = []
        let received = try await bench.notices {
            try await enter()
            let failed = try await connection("reconnecting")
            #expect(failed["attempt"] == JSONValue(1) && failed["problem"]?["code"] == "serverError")
            #expect(failed["problem"]?["details"] == "out of order")
            #expect(try await bench.json("/v1/sinks/hook")["waiting"] == JSONValue(1))
            #expect(
                try await bench.ask("GET", "/metrics").text.contains("picket_sink_state{sink=\"hook\",state=\"reconnecting\"} 1"))
            bench.clock.set(bench.clock.now() + 1)
            let recovered = try await connection("connected")
            #expect(recovered["problem"] == nil)
            let metrics = try await bench.ask("GET", "/metrics").text
            #expect(metrics.contains("picket_sink_state{sink=\"hook\",state=\"connected\"} 1"))
            #expect(metrics.contains("picket_sink_delivered_total{sink=\"hook\"} 1"))
            states = [failed, recovered]
        } until: {
            $0.kind == "sink" && $0.json["connection"]?["state"] == "connected"
        }
        let notices = received.filter { $0.kind == "sink" }.map(\.json)
        #expect(notices.allSatisfy { $0["id"] == "hook" && $0["kind"] == "webhook" })
        #expect(notices.map { $0["connection"] } == states)
    }

    /// The connection of the sink, as soon as it has a state.
    private func connection(_ state: JSONValue) async throws -> JSONValue {
        while true {
            if let shown = try await bench.json("/v1/sinks/hook")["connection"], shown["state"] == state { return shown }
        }
    }

    @Test("A sink that writes files or runs programs cannot be created over HTTP", arguments: ["file", "command"])
    func local(kind: String) async throws {
        let answer = try await make("{\"kind\":\"\(kind)\",\"path\":\"/tmp/x\",\"command\":[\"/bin/true\"]}")
        #expect(answer.status == 400 || answer.status == 422)
        #expect(answer.text.contains("validationFailed"))
        #expect(try await bench.json("/v1/sinks")["sinks"] == [])
    }
}
