import Foundation
import Model
import TestSupport
import Testing

@Suite("Order of positions")
struct FeedOrderTests {
    /// Positions of some devices that enter and leave geofences, as if they came from several sources: neighbors are shuffled, and some
    /// early ones come last. They are of the last hours, so that no device becomes silent.
    private static func positions(_ count: Int, seed: UInt64) -> String {
        var random = SeededRandom(seed: seed)
        let start = Instant(
            milliseconds: Int64(Date().timeIntervalSince1970) * 1000 - Int64(count + 600) * 1000)
        var lines: [String] = []
        var held: [String] = []
        for number in 0..<count {
            var line = "{\"device\":\"d\(number % 5)\",\"timestamp\":\"\(start + Double(number))\""
            line +=
                ",\"latitude\":\(52.5 + random.normal() * 0.002),\"longitude\":\(13.4 + random.normal() * 0.002),\"accuracy\":5"
            if number == 100 { line += ",\"alarm\":\"sos\"" }
            line += "}"
            if number < count / 2, number % 97 == 50 { held.append(line) } else { lines.append(line) }
        }
        var shuffled: [String] = []
        for from in stride(from: 0, to: lines.count, by: 400) {
            var part = Array(lines[from..<min(from + 400, lines.count)])
            if from + 800 > lines.count {
                part += held
                held = []
            }
            shuffled += part.shuffled(using: &random)
        }
        return shuffled.joined(separator: "\n") + "\n"
    }

    private static func prepare(_ picket: Program) throws {
        for (id, place) in [("home", "52.5,13.4,150"), ("away", "52.5,13.402,150")] {
            try picket.run("geofence", "add", "--id", id, "--circle", place)
        }
    }

    /// Events without the members that depend on when they were recorded.
    private static func lasting(_ events: [JSONValue]) throws -> [String] {
        try events.map { event in
            JSONValue.object(
                try #require(event.members).filter { !["recordedAt", "sequence"].contains($0.name) }
            ).description
        }
    }

    /// The counts and events of a feed before its replays.
    private static func report(of result: Program.Result) throws -> (counts: [Double?], events: [String]) {
        let lines = try result.lines.map { try JSONParser.parse($0) }
        let summary = try #require(lines.last?["summary"])
        let events = lines.filter {
            $0["type"] != nil && $0["type"] != "retracted" && $0["cause"] != "corrected"
        }
        return (
            ["accepted", "late", "duplicates", "refused"].map { summary[$0]?.double }, try lasting(events)
        )
    }

    @Test("The order in a file does not matter, with or without a service, and neither does it over HTTP")
    func request() throws {
        let seed: UInt64 = 5
        let own = try Shell()
        try Self.prepare(own.picket)
        let served = try (0..<2).map { _ in try ServedShell(prepare: Self.prepare) }
        let text = Self.positions(3000, seed: seed)
        let file = try own.file("shuffled.ndjson", text)
        let alone = try Self.report(of: own.picket.run("feed", file, "--policy", "exact", "--json"))
        let through = try Self.report(of: served[0].picket.run("feed", file, "--policy", "exact", "--json"))
        let answer = try served[1].post("/v1/positions?policy=exact", text)
        #expect(alone.counts == [3000, 0, 0, 0] && alone.events.count > 100)
        #expect(alone.events.contains { $0.contains("\"sos\"") })
        #expect(through.counts == alone.counts)
        #expect(through.events == alone.events, "seed \(seed)")
        #expect(["accepted", "late", "duplicates"].map { answer[$0]?.double } == [3000, 0, 0])
        #expect(try Self.lasting(answer["events"]?.array ?? []) == alone.events, "seed \(seed)")
        let stored = try ([own.picket] + served.map(\.picket)).map {
            try $0.run("events", "--all", "--json").lines.map(JSONParser.parse)
        }
        #expect(
            try Self.lasting(stored[0]) == Self.lasting(stored[1])
                && Self.lasting(stored[0]) == Self.lasting(stored[2]))
    }

    @Test("The order does not matter in a file of several chunks with late positions")
    func chunks() throws {
        let seed: UInt64 = 6
        let own = try Shell()
        try Self.prepare(own.picket)
        let served = try ServedShell(prepare: Self.prepare)
        let file = try own.file("shuffled.ndjson", Self.positions(14_000, seed: seed))
        let alone = try Self.report(of: own.picket.run("feed", file, "--policy", "exact", "--json"))
        let through = try Self.report(of: served.picket.run("feed", file, "--policy", "exact", "--json"))
        #expect(alone.counts[0] == 14_000 && alone.counts[1]! > 50)
        #expect(through.counts == alone.counts, "seed \(seed)")
        #expect(through.events == alone.events, "seed \(seed)")
        // The next feed performs replays that the service has not done yet.
        served.kill()
        let last = try own.file("last.ndjson", Self.positions(1, seed: seed))
        for picket in [own.picket, served.picket] { try picket.run("feed", last, "--json") }
        let stand = try [own.picket, served.picket].map {
            try $0.run("events", "--json").lines.map(JSONParser.parse)
        }
        #expect(try Self.lasting(stand[0]).sorted() == Self.lasting(stand[1]).sorted(), "seed \(seed)")
        #expect(try own.picket.run("check").status == 0)
        #expect(try served.picket.run("check").status == 0)
    }
}
