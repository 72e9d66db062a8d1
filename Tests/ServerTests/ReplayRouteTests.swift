import Foundation
import Model
import TestSupport
import Testing

@Suite("Replays over HTTP")
struct ReplayRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    /// Anna is away, home and away again. A late position, two days later, shows that she was home earlier.
    private func live() async throws {
        try await bench.add("home", 52.5, 13.4)
        for (time, latitude) in [("08", 52.6), ("10", 52.5), ("11", 52.6), ("09", 52.5)] {
            try await bench.move("anna", to: latitude, 13.4, at: "2026-11-19T\(time):00:00Z")
        }
    }

    private func types(_ target: String) async throws -> [String] {
        try await bench.json(target).column("events", "type")
    }

    @Test("A replay stores and reports what differs, once")
    func replay() async throws {
        try await live()
        let answer = try await bench.ask("POST", "/v1/replay", body: "{}")
        #expect(answer.status == 200)
        let json = try answer.json()
        #expect(json.column("events", "type") == ["retracted", "retracted", "enter", "exit"])
        let counts = ["devices", "fixes", "equal", "retracted", "new", "passedOver"].map { json[$0]?.double }
        #expect(counts == [1, 4, 0, 2, 2, 0])
        let again = try await bench.ask("POST", "/v1/replay", body: #"{"deviceId":"anna"}"#).json()
        #expect(again["equal"]?.double == 2 && again.column("events", "type").isEmpty)
    }

    @Test("Lists show the events that are not retracted, and followers also get the retractions")
    func lists() async throws {
        try await live()
        #expect(try await types("/v1/events") == ["enter", "exit"])
        _ = try await bench.ask("POST", "/v1/replay", body: "{}")
        let all = ["enter", "exit", "retracted", "retracted", "enter", "exit"]
        #expect(try await types("/v1/events") == ["enter", "exit"])
        #expect(try await types("/v1/events?all=true") == all)
        #expect(try await types("/v1/events?after=0") == all)
        #expect(try await types("/v1/events?after=1&all=false") == ["enter", "exit"])
        #expect(try await types("/v1/events?after=2&wait=1s&type=retracted") == ["retracted", "retracted"])
        #expect(try await types("/v1/events?type=retracted").count == 2)
        let events = try await bench.json("/v1/events?all=true")["events"]?.array ?? []
        #expect(events[2]["retracts"] == events[0]["id"] && events[4]["cause"]?.string == "corrected")
        let visits = try await bench.json("/v1/visits")
        #expect(visits.column("visits", "enteredAt") == ["2026-11-19T09:00:00.000Z"])
    }

    @Test("With geofences, these apply to the past as they are now, once")
    func past() async throws {
        for (time, latitude) in [("08", 52.6), ("10", 52.5), ("11", 52.6)] {
            try await bench.move("anna", to: latitude, 13.4, at: "2026-11-19T\(time):00:00Z")
        }
        try await bench.add("home", 52.5, 13.4)
        func ask(_ body: String) async throws -> JSONValue {
            try await bench.ask("POST", "/v1/replay", body: body).json()
        }
        let simulated = try await ask(#"{"geofences":["home"],"apply":false}"#)
        #expect(simulated["new"]?.double == 2 && simulated["omitted"]?.double == 0)
        let change = simulated["past"]?.array?.first?["changes"]?.array?.first
        #expect(change?["geofenceId"]?.string == "home" && change?["new"]?.double == 2 && change?["retracted"]?.double == 0)
        #expect(change?["examples"]?.array?.compactMap { $0["new"]?["type"]?.string } == ["enter", "exit"])
        #expect(try await types("/v1/events").isEmpty)
        let applied = try await ask(#"{"all":true,"deviceId":"anna"}"#)
        #expect(applied["new"]?.double == 2 && applied["past"] == simulated["past"])
        #expect(try await types("/v1/events") == ["enter", "exit"])
        let again = try await ask(#"{"all":true}"#)
        #expect(again["new"]?.double == 0 && again["equal"]?.double == 2 && again["past"]?.array == [])
    }

    @Test(
        "Invalid parameters and unknown devices are refused",
        arguments: [
            (#"{"deviceId":"nobody"}"#, 404), (#"{"deviceId":7}"#, 422), (#"{"since":"soon"}"#, 422), ("{", 400),
            (#"{"sinse":"2026-11-19"}"#, 422), (#"{"apply":false}"#, 422), (#"{"device":"anna"}"#, 422), ("[]", 422),
            (#"{"geofences":["nowhere"]}"#, 404), (#"{"geofences":"home"}"#, 422), (#"{"geofences":["home"],"all":true}"#, 422),
            (#"{"deleted":true}"#, 422), (#"{"all":true,"since":"2031-01-01"}"#, 422), (#"{"all":"yes"}"#, 422),
        ])
    func refusals(body: String, status: Int) async throws {
        let answer = try await bench.ask("POST", "/v1/replay", body: body)
        #expect(answer.status == status, "\(answer.text)")
    }
}
