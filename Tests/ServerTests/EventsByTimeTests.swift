import Foundation
import Model
import TestSupport
import Testing

@testable import Presence
@testable import Server
@testable import Service

@Suite("Events in the order in which they happened", .timeLimit(.minutes(60)))
struct EventsByTimeTests {
    /// Devices that walk through two geofences; a part of their positions comes late. Each is sent alone, in the order of arrival.
    private func fill(_ bench: ServerBench, seed: UInt64) async throws {
        var random = SeededRandom(seed: seed)
        try await bench.add("home", 52.5, 13.4)
        try await bench.add("work", 52.503, 13.4)
        let start = Instant("2026-11-20T08:00:00Z")!
        var arrivals: [(order: Double, device: String, latitude: Double, time: Instant)] = []
        for device in ["anna", "ben"] {
            var latitude = 52.5
            for step in 0..<60 {
                latitude += Double.random(in: -0.002...0.002, using: &random)
                let lateness = Int.random(in: 0..<4, using: &random) == 0 ? Double.random(in: 2...20, using: &random) : 0
                arrivals.append((Double(step) + lateness, device, latitude, start + Double(step) * 60))
            }
        }
        for (number, arrival) in arrivals.sorted(by: { $0.order < $1.order }).enumerated() {
            try await bench.move(arrival.device, to: arrival.latitude, 13.4, at: arrival.time.description)
            if number % 15 == 0 { try await replay(bench) }
        }
        try await replay(bench)
    }

    private func replay(_ bench: ServerBench) async throws {
        try await bench.server.api.store.writer.perform { service throws(Problem) in
            _ = try service.replayLate(all: true) { _ in }
        }
    }

    /// The events of all pages.
    private func events(_ bench: ServerBench, _ query: String) async throws -> [JSONValue] {
        var found: [JSONValue] = []
        var later: String?
        repeat {
            let page = try await bench.json("/v1/events?order=occurred" + query + (later.map { "&after=\($0)" } ?? ""))
            found += page["events"]?.array ?? []
            later = page["later"]?.string
        } while later != nil
        return found
    }

    @Test("Enters and exits alternate for each device and geofence after late positions", arguments: Histories.seeds(1...6))
    func alternation(seed: UInt64) async throws {
        let bench = try ServerBench()
        try await fill(bench, seed: seed)
        let found = try await events(bench, "&limit=7")
        let all = try await bench.json("/v1/events?limit=10000")["events"]?.array ?? []
        #expect(
            Set(found.compactMap { $0["id"]?.string }) == Set(all.compactMap { $0["id"]?.string }) && found.count == all.count)
        let times = found.compactMap { $0["occurredAt"]?.string }
        #expect(times == times.sorted(), "seed \(seed)")
        let pairs = Dictionary(grouping: found) { "\($0["deviceId"]?.string ?? "") \($0["geofenceId"]?.string ?? "")" }
        for (pair, events) in pairs {
            let types = events.compactMap { $0["type"]?.string }.filter { ["enter", "exit"].contains($0) }
            #expect(
                types.first != "exit" && zip(types, types.dropFirst()).allSatisfy { $0 != $1 }, "seed \(seed), \(pair): \(types)")
        }
        let reversed = try await bench.json("/v1/events?order=newest&limit=10000")["events"]?.array ?? []
        #expect(reversed.compactMap { $0["id"]?.string } == found.compactMap { $0["id"]?.string }.reversed())
    }

    @Test(
        "Parameters that do not go with this order are refused",
        arguments: ["wait=1s", "last=3", "before=1.1", "after=12", "format=csv"])
    func refused(query: String) async throws {
        let bench = try ServerBench()
        #expect(try await bench.ask("GET", "/v1/events?order=occurred&" + query).status == 422)
    }
}
