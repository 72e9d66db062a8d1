import Model
import TestSupport
import Testing

@Suite("Explanations over HTTP")
struct ExplainRouteTests {
    private let bench: ServerBench

    init() throws { bench = try ServerBench() }

    @Test("An explanation is given for a device and a geofence, around a moment or the newest fix")
    func explain() async throws {
        try await bench.add("home", 52.5, 13.4)
        for (minute, place) in [52.51, 52.5, 52.51, 52.52].enumerated() {
            try await bench.move("anna", to: place, 13.4, at: "2026-05-01T10:0\(minute):00Z")
        }
        let then = try await bench.json("/v1/explain?device=anna&geofence=home&at=2026-05-01T10:01:00Z&around=1")
        #expect(then["answer"]?.string == "anna entered home at 2026-05-01 10:01:00Z: inside: sure at once.")
        #expect(then.column("steps", "rule") == ["first", "confirmed", "confirmed"])
        #expect(then.column("steps", "after") == ["outside", "inside", "outside"])
        #expect(then.column("events", "type") == ["enter", "exit"])
        #expect(then["policy"]?["confirmFixes"]?["from"]?.string == "device")
        let now = try await bench.json("/v1/explain?device=anna&geofence=home&around=1")
        #expect(now["at"]?.string == "2026-05-01T10:03:00.000Z")
        #expect(now.column("steps", "timestamp") == ["2026-05-01T10:02:00.000Z", "2026-05-01T10:03:00.000Z"])
    }

    @Test(
        "A missing or unknown parameter is refused by name",
        arguments: [
            ("?device=anna", 422, "geofence"), ("?geofence=home", 422, "device"), ("?device=ana&geofence=home", 404, "'anna'"),
            ("?device=anna&geofence=hom", 404, "'home'"), ("?device=anna&geofence=home&at=then", 422, "at"),
            ("?device=anna&geofence=home&around=0", 422, "around"),
        ])
    func refusals(_ query: String, _ status: Int, _ word: String) async throws {
        try await bench.add("home", 52.5, 13.4)
        try await bench.move("anna", to: 52.5, 13.4, at: "2026-05-01T10:00:00Z")
        let answer = try await bench.ask("GET", "/v1/explain" + query)
        #expect(answer.status == status && answer.text.contains(word), "\(answer.text)")
    }
}
