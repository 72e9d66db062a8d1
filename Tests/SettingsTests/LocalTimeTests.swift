import Foundation
import Model
import TestSupport
import Testing

@testable import Settings

@Suite("Local times")
struct LocalTimeTests {
    /// Zones with changes of an hour, half an hour and two hours, at night and at midnight, and one that left out a day.
    static let zones = [
        "Europe/Berlin", "Europe/Dublin", "America/New_York", "America/St_Johns", "America/Sao_Paulo", "America/Havana",
        "Australia/Lord_Howe", "Antarctica/Troll", "Africa/Casablanca", "Asia/Beirut", "Asia/Kathmandu", "Asia/Tehran",
        "Pacific/Apia",
    ]

    /// Prints for each local time the Unix seconds of its first and its last moment. A local time that does not exist is the moment at which
    /// the clock passes it.
    private static let oracle = """
        import sys
        from datetime import datetime, timedelta, timezone
        from zoneinfo import ZoneInfo
        utc = timezone.utc
        for line in open(sys.argv[1]):
            name, text = line.split()
            zone, wall = ZoneInfo(name), datetime.fromisoformat(text)
            moments = [wall.replace(tzinfo=zone, fold=fold).astimezone(utc) for fold in (0, 1)]
            clock = lambda moment: moment.astimezone(zone).replace(tzinfo=None)
            found = sorted(moment for moment in moments if clock(moment) == wall)
            if not found:
                low, high = min(moments) - timedelta(days=1), max(moments) + timedelta(days=1)
                while high - low > timedelta(seconds=1):
                    middle = low + (high - low) // 2
                    middle -= timedelta(microseconds=middle.microsecond)
                    low, high = (middle, high) if clock(middle) < wall else (low, middle)
                found = [high]
            print(int(found[0].timestamp()), int(found[-1].timestamp()))
        """

    /// The half hours of all days of a zone from 2010 to 2024 on which clocks change, and times chosen at random.
    private static func times(_ name: String, _ zone: LocalTimeZone, _ random: inout SplitMix64) -> [String] {
        var times: [String] = []
        let first = LocalDate("2010-01-01")!
        for day in 0..<5479 {
            let date = first + Int64(day)
            guard zone.start(of: date + 2) - zone.start(of: date + -1) != 3 * 86_400 else { continue }
            times += (0..<48).map { "\(date)T\($0 < 20 ? "0" : "")\($0 / 2):\($0 % 2 == 0 ? "00" : "30")" }
        }
        for _ in 0..<200 {
            let minutes = Int64.random(in: 0..<(5479 * 1440), using: &random)
            times.append(String(Instant(milliseconds: (first.day * 1440 + minutes) * 60_000).description.prefix(16)))
        }
        return times
    }

    @Test(
        "A local time that occurs once, twice or not at all is what Python's zoneinfo makes of it",
        .enabled("python3 is not installed") { Tool("python3") != nil })
    func oracle() throws {
        var random = SplitMix64(state: 20_261_005)
        var questions: [(zone: String, text: String)] = []
        var answers: [(start: Instant, end: Instant)] = []
        var (repeated, missing) = (0, 0)
        for name in Self.zones {
            let zone = try LocalTimeZone(named: name)
            let reader = TimeReader(now: Instant(milliseconds: 0), zone: zone)
            for text in Self.times(name, zone, &random) {
                questions.append((name, text))
                let moments = try reader.moments(text, field: "at")
                answers.append(moments)
                if moments.start != moments.end { repeated += 1 }
                if zone.local(moments.start) != Instant(text) { missing += 1 }
                // A day begins at its first midnight.
                guard text.hasSuffix("T00:00") else { continue }
                #expect(try reader.moments(String(text.prefix(10)), field: "at").start == moments.start, "\(name) \(text)")
            }
        }
        #expect(repeated > 200 && missing > 200, "the times contain both kinds of changes")
        let directory = try TemporaryDirectory()
        let file = try directory.write(questions.map { "\($0.zone) \($0.text)\n" }.joined(), to: "times")
        let result = try #require(Tool("python3")).run(["-c", Self.oracle, file])
        #expect(result.status == 0, "\(result.output.suffix(1000))")
        let lines = result.output.split(separator: "\n")
        try #require(lines.count == questions.count)
        for ((question, answer), line) in zip(zip(questions, answers), lines) {
            let expected = line.split(separator: " ").compactMap { Int64($0) }
            #expect(
                [answer.start, answer.end].map { $0.milliseconds / 1000 } == expected, "\(question.zone) \(question.text)")
        }
    }

    @Test(
        "The time zone comes from the option, else the environment, else the file, else TZ, else the machine",
        arguments: [
            (["option", "variable", "file", "TZ"], "Asia/Tokyo"), (["variable", "file", "TZ"], "Asia/Kolkata"),
            (["file", "TZ"], "Europe/Paris"), (["TZ"], "America/Lima"),
        ])
    func order(_ sources: [String], _ name: String) throws {
        let directory = try TemporaryDirectory()
        if sources.contains("file") { try directory.write("timezone = Europe/Paris\n", to: "picket.conf") }
        let settings = try Settings(
            flags: sources.contains("option") ? ["timezone": "Asia/Tokyo"] : [:],
            environment: (sources.contains("variable") ? ["PICKET_TIMEZONE": "Asia/Kolkata"] : [:])
                .merging(sources.contains("TZ") ? ["TZ": ":America/Lima"] : [:]) { $1 },
            dataDirectory: directory.path, systemFile: "/nonexistent")
        #expect(settings.timeZone.name == name)
        #expect(settings.values.first { $0.setting.name == .timezone }?.text == name)
    }

    @Test("A time zone that does not exist is refused with its source; that of TZ is left to the C library")
    func unknown() throws {
        func settings(_ environment: [String: String]) throws(Problem) -> Settings {
            try Settings(flags: [:], environment: environment, dataDirectory: "/nonexistent", systemFile: "/nonexistent")
        }
        for name in ["Europe/Atlantis", "EST", "+02:00"] {
            let problem = #expect(throws: Problem.self) { try settings(["PICKET_TIMEZONE": name]) }
            guard case .validationFailed("PICKET_TIMEZONE", name, .noSuchTimeZone, _)? = problem else {
                Issue.record("\(name): \(String(describing: problem))")
                continue
            }
        }
        #expect(try settings(["TZ": ""]).timeZone.isUTC)
        #expect(try settings(["TZ": "UTC"]).timeZone.isUTC)
        #expect(try settings(["TZ": "Etc/UTC"]).timeZone.isUTC)
        #expect(try settings(["TZ": "CET-1CEST,M3.5.0,M10.5.0/3"]).timeZone.name == "CET-1CEST,M3.5.0,M10.5.0/3")
    }
}
