import Model
import TestSupport
import Testing

@testable import Server

@Suite("A week with OwnTracks", .timeLimit(.minutes(60)))
struct OwnTracksWeekTests {
    private static let rule =
        ##"{"deviceId":"family/mia","geofenceId":"school","kind":"entersBy","days":"mon-fri","timeZone":"UTC""##

    @Test(
        "Each arrival of a family with phones in significant mode is reported within a minute",
        arguments: Histories.seeds(1...8))
    func week(seed: UInt64) async throws {
        let week = FamilyWeek(seed: seed)
        let bench = try ServerBench()
        for place in FamilyWeek.Place.allCases {
            try await bench.add(place.rawValue, place.center.latitude, place.center.longitude)
        }
        try await bench.ask("PUT", "/v1/devices/family%2Fmia", body: "{}")
        for time in ["08:15", "07:55"] {
            let answer = try await bench.ask("POST", "/v1/rules", body: Self.rule + #","by":"\#(time)"}"#)
            try #require(answer.status == 201, "\(answer.text)")
        }
        let streamed = try await bench.notices("") {
            try await run(week, on: bench)
            try await bench.move("end", to: 52.5, 13.4, at: "2026-11-30T00:00:00Z")
        } until: {
            $0.json["deviceId"] == "end"
        }
        let recorded = try await bench.json("/v1/events?limit=10000")["events"]?.array ?? []
        #expect(streamed.map(\.json) == recorded, "seed \(seed)")
        for person in week.people { verify(person, recorded.compactMap { Change($0, of: person.name) }, seed: seed) }
        // Mia's only position at school comes at 08:02.
        #expect(
            recorded.filter { $0["type"] == "missed" }.map { $0["rule"]?["by"] } == Array(repeating: "07:55", count: 5),
            "seed \(seed)")
    }

    /// Sends all positions, and moves the clock minute by minute and to a little more than a minute after each position.
    private func run(_ week: FamilyWeek, on bench: ServerBench) async throws {
        let messages = week.people.flatMap { person in
            person.fixes.map { (time: $0.time + person.lag, fix: $0, name: person.name) }
        }
        let minutes = (0...7 * 24 * 60).map { Double($0 * 60) }
        var steps = (minutes + messages.map { $0.time + 60.5 }).map { (time: $0, message: String?.none) }
        steps += messages.map { ($0.time, $0.fix.json(of: $0.name)) }
        for step in steps.sorted(by: { $0.time < $1.time }) {
            let now = FamilyWeek.start + step.time
            bench.clock.set(now)
            _ = try await bench.server.api.store.writer.perform { service throws(Problem) in try service.fireDeadlines(upTo: now)
            }
            guard let message = step.message else { continue }
            let answer = try await bench.ask("POST", "/owntracks", body: message)
            try #require(answer.status == 200, "\(answer.text)")
        }
    }

    private func verify(_ person: FamilyWeek.Person, _ changes: [Change], seed: UInt64) {
        var enters = 0
        var falseExits = 0
        for stay in person.stays {
            let here = changes.filter { $0.place == stay.place && $0.time <= stay.departure }
            // A position on the last meters may lie in the geofence.
            let entered = here.filter { $0.isEnter && $0.time >= stay.arrival - 120 }
            enters += entered.count
            falseExits += here.count { !$0.isEnter && $0.time >= stay.arrival }
            // A minute after the position arrived; the clock comes to that moment half a second later.
            let latest = stay.arrivalFix.time + person.lag + 60.5
            let what = "\(person.name) at \(stay.place) from \(FamilyWeek.start + stay.arrival), seed \(seed)"
            #expect(entered.first.map { $0.recordedAt <= latest } == true, "\(what): \(entered)")
            guard stay.place == .school else { continue }
            let left = changes.last { $0.place == .home && $0.recordedAt <= latest }
            #expect(left?.isEnter == false, "\(what): \(String(describing: left))")
        }
        let what = "\(person.name), seed \(seed): \(changes)"
        #expect(changes.count { $0.isEnter } == enters, "an enter without a stay: \(what)")
        // After a false exit, the device may enter again.
        let repeated = enters - person.stays.count
        #expect(falseExits <= 1 && (0...falseExits).contains(repeated), "\(falseExits), \(repeated): \(what)")
        // The last place is never left.
        #expect((0...1).contains(changes.count { !$0.isEnter } - (enters - 1)), "\(what)")
    }

    /// An enter or exit. Times are in seconds from the start of the week.
    private struct Change: CustomStringConvertible {
        let place: FamilyWeek.Place
        let isEnter: Bool
        let time: Double
        let recordedAt: Double

        init?(_ event: JSONValue, of name: String) {
            guard event["deviceId"] == .string("family/\(name)"), let type = event["type"]?.string,
                ["enter", "exit"].contains(type), let place = event["geofenceId"]?.string.flatMap(FamilyWeek.Place.init)
            else { return nil }
            func seconds(_ field: String) -> Double {
                event[field]?.string.flatMap { Instant($0) }.map { $0 - FamilyWeek.start } ?? .infinity
            }
            self.place = place
            isEnter = type == "enter"
            (time, recordedAt) = (seconds("occurredAt"), seconds("recordedAt"))
        }

        var description: String {
            "\(isEnter ? "enter" : "exit") \(place) \(FamilyWeek.start + time), +\(Int(recordedAt - time)) s"
        }
    }
}
