import Foundation
import Model
import TestSupport
import Testing

@testable import Server

@Suite("Commands to OwnTracks apps over HTTP", .timeLimit(.minutes(60)))
struct OwnTracksCommandTests {
    private static let validator = SchemaValidator(OpenAPI.document)
    private static let path = "/v1/devices/jane%2Fphone"

    /// Sends a phone's message, and all messages with which its app reacts to the answer.
    private func send(_ json: String, _ app: OwnTracksApp, _ bench: ServerBench) async throws {
        let answer = try await bench.ask("POST", "/owntracks", body: json, headers: ["X-Limit-U": "jane", "X-Limit-D": "phone"])
        try #require(answer.status == 200)
        for message in app.receiveCommands(try answer.json().array ?? []) { try await send(message.json.description, app, bench) }
    }

    @Test("A repair makes the app's waypoints right through the answers to its requests", arguments: Device.Platform.allCases)
    func repair(_ platform: Device.Platform) async throws {
        let bench = try ServerBench()
        let device = #"{"platform":"\#(platform.rawValue)","registry":"owntracks"}"#
        #expect(try await bench.ask("PUT", Self.path, body: device).status == 201)
        try await bench.add("home", 52.5, 13.4)
        #expect(try await bench.json(Self.path + "/health")["statusSummary"]?.string == "Unknown")

        let app = OwnTracksApp(platform)
        let client = bench.client
        async let repaired = client.ask("POST", Self.path + "/fix-registration", body: "")
        let location = #"{"_type":"location","lat":52.5,"lon":13.4,"acc":8,"tst":1795176000}"#
        while app.names.isEmpty { try await send(location, app, bench) }
        let report = try await repaired.json()
        #expect(report["calls"]?.double == 1 && report["after"]?["isHealthy"]?.bool == true, "\(report)")
        #expect(Self.validator.flaws(of: report, by: JSONSchema.reference(to: "RepairReport")) == [])
        #expect(app.names == ["home"] && app.waypoints[0]["rad"]?.double == 100)

        let health = try await bench.json(Self.path + "/health")
        #expect(health["statusSummary"]?.string == "Healthy" && health["reported"]?.array?.count == 1, "\(health)")
        #expect(Self.validator.flaws(of: health, by: JSONSchema.reference(to: "Health")) == [])
        // No further commands are sent.
        let count = app.commands.count
        try await send(location, app, bench)
        #expect(app.commands.count == count)
    }
}
