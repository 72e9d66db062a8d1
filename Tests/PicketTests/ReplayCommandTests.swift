import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Late fixes on the command line")
struct ReplayCommandTests {
    private static let header = "device,timestamp,latitude,longitude\n"

    private static func line(_ time: String, _ latitude: Double, day: Int = 2) -> String {
        "anna,2026-05-0\(day)T\(time):00Z,\(latitude),13.4\n"
    }

    private static let onTime = header + line("10:00", 52.6) + line("10:10", 52.5) + line("10:20", 52.6)
    private static let late = header + line("10:05", 52.5)

    private func shell() throws -> Shell {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        return shell
    }

    private func types(_ result: Program.Result) throws -> [String] {
        try result.lines.compactMap { try JSONParser.parse($0)["type"]?.string }
    }

    @Test("A feed evaluates late fixes in their place before its summary")
    func feed() throws {
        let shell = try shell()
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        let fed = try shell.picket.run(["feed", "-", "--policy", "exact", "--json"], input: Self.late)
        #expect(fed.status == 0)
        #expect(try types(fed) == ["retracted", "retracted", "enter", "exit"])
        let summary = try JSONParser.parse(fed.lines.last ?? "")["summary"]
        #expect(summary?["late"]?.double == 1 && summary?["replayed"]?.double == 1 && summary?["corrections"]?.double == 4)
        #expect(try types(shell.picket.run("events", "--json")) == ["enter", "exit"])
        #expect(try types(shell.picket.run("events", "--all", "--json")).count == 6)
        #expect(try types(shell.picket.run("events", "--type", "retracted", "--json")).count == 2)
        #expect(try shell.picket.run("visits").lines.count == 2)
        let text = try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.header + Self.line("10:07", 52.5))
        #expect(text.output.contains("1 device evaluated again because of late positions: nothing to correct."), "\(text.output)")
    }

    @Test("A replay shows the corrections, and writes them only when asked to")
    func replay() throws {
        let shell = try shell()
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        // As an earlier version might have decided.
        try Connection(path: shell.picket.data + "/picket.sqlite", access: .write)
            .execute("UPDATE event SET crossed_at = crossed_at + 1000 WHERE type = 'enter'")
        let shown = try shell.picket.run("replay", "--device", "anna")
        #expect(shown.status == 0)
        #expect(shown.lines.map { $0.prefix(2) } == ["- ", "+ ", "3 "] && shown.output.contains("1 would be new"))
        let json = try shell.picket.run("replay", "--json").lines.map { try JSONParser.parse($0) }
        #expect(json.dropLast().allSatisfy { $0["new"] != nil || $0["retract"] != nil })
        #expect(json.last?["summary"]?["applied"]?.bool == false)
        #expect(try types(shell.picket.run("events", "--json")) == ["enter", "exit"])
        let applied = try shell.picket.run("replay", "--apply")
        #expect(applied.status == 0 && applied.output.contains(" new."))
        #expect(try shell.picket.run("replay").output.contains("stay the same"))
        #expect(try shell.picket.run("check").status == 0)
    }

    @Test("A feed evaluates positions of last week in their place, as those of a minute ago")
    func archive() throws {
        let shell = try shell()
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.header + Self.line("10:00", 52.6, day: 9))
        let fed = try shell.picket.run(
            ["feed", "-", "--policy", "exact"], input: Self.onTime)
        #expect(
            fed.output.contains("1 device evaluated again because of late positions: 0 events retracted, 4 new."),
            "\(fed.output)")
        #expect(try shell.picket.run("visits").lines.count == 2)
        #expect(try shell.picket.run("check").output.contains("not evaluated") == false)
    }

    @Test("Late positions that cannot be evaluated are named by feed, status, visits, reports and problems")
    func positionsMissing() throws {
        let shell = try shell()
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        // As after the deletion of older positions.
        try Connection(path: shell.picket.data + "/picket.sqlite", access: .write).execute("UPDATE device SET gaps = gaps | 1")
        let fed = try shell.picket.run(["feed", "-", "--policy", "exact", "--json"], input: Self.late)
        #expect(try JSONParser.parse(fed.lines.last ?? "")["summary"]?["waiting"]?.double == 1)
        let again = try shell.picket.run(
            ["feed", "-", "--policy", "exact"], input: Self.header + Self.line("10:06", 52.5))
        #expect(
            again.output.contains("Late positions of 1 device could not be evaluated, because older positions"),
            "\(again.output)")
        let words = "late positions since 2026-05-02 10:05:00Z cannot be evaluated"
        #expect(try shell.picket.run("status").output.contains(words))
        #expect(try shell.picket.run("device", "show", "anna").output.contains(words))
        for command in [
            ["visits"], ["visits", "--totals"], ["report", "--by", "device", "--period", "month", "--since", "2026-05"],
        ] {
            #expect(
                try shell.picket.run(command).output.contains("Late positions of anna, the earliest from 2026-05-02"),
                "\(command)")
        }
        #expect(try shell.picket.run("problems").output.contains("cannot be evaluated, because older positions"))
    }

    @Test("A replay can assume another policy or other geofences, and refuses to write the result")
    func suppositions() throws {
        let shell = try shell()
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        let balanced = try shell.picket.run("replay", "--policy", "balanced")
        #expect(balanced.lines.filter { $0.hasPrefix("- ") }.count == 1, "the last fix alone is not enough to leave")
        let file = try shell.directory.write("id,name,latitude,longitude,radius\nnorth,North,52.6,13.4,100\n", to: "plan.csv")
        let planned = try shell.picket.run("replay", "--geofences", file)
        #expect(planned.lines.filter { $0.hasPrefix("+ ") && $0.contains("North") }.count == 3, "\(planned.output)")
        let twice = try shell.directory.write(
            "name,latitude,longitude,radius\nNorth,52.6,13.4,100\nNorth,52.6,13.4,100\n", to: "twice.csv")
        let once = try shell.picket.run("replay", "--geofences", twice)
        #expect(
            once.lines.filter { $0.hasPrefix("+ ") }.count == 3, "the same place twice is one, as in an import: \(once.output)")
        for (words, remedy) in [
            (["--policy", "exact"], "picket device edit"), (["--geofences", file], "picket geofence import"),
        ] {
            let refused = try shell.picket.run(["replay", "--apply"] + words)
            #expect(refused.status == 2 && refused.errors.contains(remedy))
        }
        let remote = try shell.picket.run("replay", "--server", "http://127.0.0.1:1")
        #expect(remote.status == 2 && remote.errors.contains("--apply"))
        #expect(try shell.picket.run("replay", "--device", "nobody").status == 2)
    }

    @Test("Current geofences apply to the past when asked for, here and through a service")
    func past() throws {
        let shell = try Shell()
        let picket = shell.picket
        try picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let shown = try picket.run("replay", "--geofence", "home")
        #expect(shown.status == 0 && shown.output.contains("anna at Home: 0 events would be retracted, 2 would be new"))
        #expect(try picket.run("events", "--json").lines.isEmpty)
        let applied = try picket.run("replay", "--all", "--apply", "--json").lines.map { try JSONParser.parse($0) }
        #expect(
            applied.first?["changes"]?.array?.first?["new"]?.double == 2 && applied.last?["summary"]?["applied"]?.bool == true)
        #expect(try types(picket.run("events", "--json")) == ["enter", "exit"])
        #expect(try picket.run("replay", "--geofence", "home", "--apply").output.contains("2 events stay the same"))
        #expect(try picket.run("check").status == 0)

        let served = try ServedShell()
        try served.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        try served.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let answer = try served.picket.run("replay", "--geofence", "home", "--apply")
        #expect(answer.status == 0 && answer.lines.filter { $0.hasPrefix("  + ") }.count == 2, "\(answer.output)")
        #expect(try types(served.picket.run("events", "--json")) == ["enter", "exit"])
    }

    @Test(
        "What cannot be evaluated with present geofences is refused, in both languages",
        arguments: [
            (["--geofence", "hom"], "Did you mean 'home'?", "home"),
            (["--geofence", "home", "--all"], "leave out one of the two", "ikisinden birini"),
            (["--deleted"], "--deleted needs geofences", "--deleted için coğrafi sınır"),
            (["--all", "--policy", "exact"], "--policy cannot be combined", "birlikte verilemez"),
            (["--all", "--since", "2031-01-01"], "no stored position", "kayıtlı konum yok"),
        ])
    func refusals(words: [String], english: String, turkish: String) throws {
        let shell = try shell()
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        for (language, expected) in [("en", english), ("tr", turkish)] {
            let refused = try shell.picket.run(["replay", "--language", language] + words)
            #expect(refused.status == 2 && refused.errors.contains(expected), "\(refused.errors)")
        }
    }

    @Test("A running service replays late fixes automatically, and followers get the corrections")
    func served() throws {
        let served = try ServedShell { picket in
            try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        }
        try served.picket.run(["feed", "-", "--policy", "exact"], input: Self.onTime)
        let follower = try served.picket.start(["events", "--follow", "--json"])
        defer { follower.kill() }
        for type in ["enter", "exit"] { #expect(follower.nextLine()?.contains("\"type\":\"\(type)\"") == true) }
        let fed = try served.picket.run(["feed", "-", "--policy", "exact", "--json"], input: Self.late)
        #expect(try JSONParser.parse(fed.lines.last ?? "")["summary"]?["replayed"]?.double == 0)
        for type in ["retracted", "retracted", "enter", "exit"] {
            #expect(follower.nextLine()?.contains("\"type\":\"\(type)\"") == true)
        }
        // Through the service, and by reading the store beside it.
        try served.picket.run(["feed", "-"], input: Self.header + Self.line("09:00", 52.5, day: 1))
        #expect(try served.picket.run("replay").output.contains("would be new"))
        let applied = try served.picket.run("replay", "--apply", "--json")
        #expect(applied.status == 0)
        #expect(try JSONParser.parse(applied.lines.last ?? "")["summary"]?["applied"]?.bool == true)
        #expect(
            try served.get("/v1/events?all=true")["events"]?.array?.count
                == types(served.picket.run("events", "--all", "--json")).count)
    }
}
