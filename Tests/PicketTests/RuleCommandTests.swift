import Foundation
import Model
import TestSupport
import Testing

@Suite("Rule commands", .timeLimit(.minutes(60)))
struct RuleCommandTests {
    /// Creates a geofence and two devices.
    private static func prepare(_ picket: Program) throws {
        try picket.run("geofence", "add", "--id", "school", "--name", "School", "--circle", "52.5,13.4,100")
        try picket.run("device", "add", "mia", "--groups", "kids")
    }

    private static let add = [
        "rule", "add", "--device", "mia", "--geofence", "school", "--enters-by", "08:15", "--from", "06:00", "--days", "mon-fri",
        "--timezone", "Europe/Berlin", "--except", "2026-12-24..2027-01-06", "--except", "2027-02-15",
    ]

    /// The output of all commands on a rule from its creation to its removal.
    private func live(_ picket: Program) throws -> [String] {
        var said: [String] = []
        func run(_ words: String...) throws {
            let result = try picket.run(words)
            said.append("\(result.status) \(result.output)\(result.errors)")
        }
        let added = try picket.run(Self.add)
        #expect(
            added.status == 0 && added.output.hasPrefix("Added rule mia-school-enters-by: mia at school: enters by 08:15"),
            "\(added)")
        try run(
            "rule", "add", "--group", "kids", "--geofence", "school", "--stays-at-most", "90m", "--timezone", "UTC", "--id",
            "long")
        said[0] = said[0].components(separatedBy: "\n")[0]
        try run("rule", "list")
        try run("rule", "edit", "long", "--stays-until", "13:00", "--from", "08:00", "--inactive")
        try run("rule", "edit", "long", "--device", "mia", "--active")
        try run("rule", "edit", "mia-school-enters-by", "--except", "none", "--grace", "10m")
        try run("rule", "edit", "mia-school-enters-by")
        try run("rule", "show", "none")
        try run("device", "remove", "mia", "--yes")
        try run("rule", "list")
        try run("rule", "remove", "long", "--json")
        let json = try picket.run("rule", "list", "--json").lines.map { try JSONParser.parse($0) }
        #expect(json.map { $0["grace"]?.double } == [600] && json[0]["except"] == nil && json[0]["waitsFor"] == "noDevice")
        return said.map { $0.replacing(/since     .*/, with: "since     …") }
    }

    @Test("Rules are created, listed, changed and removed, with and without a running service")
    func life() throws {
        let shell = try Shell()
        try Self.prepare(shell.picket)
        let alone = try live(shell.picket)
        #expect(
            alone == [
                "0 Added rule long: group kids at school: stays at most 1 h 30 min, mon-sun, UTC.",
                """
                0 ID                    DEVICES     GEOFENCE  EXPECTED                      DAYS                   TIME ZONE      STATE
                long                  group kids  school    stays at most 1 h 30 min      mon-sun                UTC            on
                mia-school-enters-by  mia         school    enters by 08:15 (from 06:00)  mon-fri, 2 exceptions  Europe/Berlin  on

                """,
                """
                0 long: group kids at school: stays until 13:00 (from 08:00), mon-sun, UTC
                  since     …
                  state     off

                """,
                """
                0 long: mia at school: stays until 13:00 (from 08:00), mon-sun, UTC
                  since     …
                  state     on

                """,
                """
                0 mia-school-enters-by: mia at school: enters by 08:15 (from 06:00), mon-fri, Europe/Berlin
                  evaluated 10 min later
                  since     …
                  state     on

                """,
                "2 Invalid command: No changes are given. See 'picket rule edit --help'.\n",
                "2 No such rule: There is no rule 'none'. 'picket rule list' lists the existing ones.\n",
                "0 Removed device mia with 0 positions. Its 0 events and 0 visits are kept.\n",
                """
                0 ID                    DEVICES  GEOFENCE  EXPECTED                        DAYS     TIME ZONE      STATE
                long                  mia      school    stays until 13:00 (from 08:00)  mon-sun  UTC            waits: device removed
                mia-school-enters-by  mia      school    enters by 08:15 (from 06:00)    mon-fri  Europe/Berlin  waits: device removed

                """,
                "0 {\"removed\":\"long\"}\n",
            ])
        let served = try ServedShell(prepare: Self.prepare)
        #expect(try live(served.picket) == alone)
    }

    @Test(
        "Bad input is named, with what is expected",
        arguments: [
            (["--enters-by", "8.15"], ["--enters-by '8.15'", "not a time of day", "HH:MM"]),
            (["--enters-by", "24:30"], ["--enters-by", "HH:MM"]),
            (["--enters-by", "08:15", "--from", "24:00"], ["from '24:00'", "00:00 to 23:59"]),
            (["--enters-by", "08:15", "--days", "weekdays"], ["--days 'weekdays'", "mon-fri"]),
            (["--enters-by", "08:15", "--timezone", "Berlin"], ["--timezone 'Berlin'", "Europe/Berlin"]),
            (["--enters-by", "08:15", "--except", "24.12.2026"], ["--except '24.12.2026'", "2026-12-24..2027-01-06"]),
            (["--enters-by", "08:15", "--grace", "soon"], ["--grace 'soon'", "a duration"]),
            (["--enters-by", "08:15", "--stays-at-most", "2h"], ["cannot be combined"]),
            (["--stays-at-most", "10s"], ["--stays-at-most '10s'", "1m"]),
            (["--enters-by", "08:15", "--min-duration", "10"], ["--min-duration '10'", "a duration"]),
            (["--stays-at-most", "2h", "--from", "08:00"], ["from", "has no such field"]),
            (["--enters-by", "08:15", "--since", "2199-01-01"], ["since", "out of range"]),
            (["--since", "2026-01-01"], ["--enters-by, --stays-at-most or --stays-until"]),
            (["--enters-by", "08:15", "--group", "kids"], ["group 'kids'", "not both"]),
        ])
    func badInput(words: [String], says: [String]) throws {
        let shell = try Shell()
        try Self.prepare(shell.picket)
        let result = try shell.picket.run(["rule", "add", "--device", "mia", "--geofence", "school"] + words)
        #expect(result.status == 2, "\(result)")
        for text in says { #expect(result.errors.contains(text), "\(result.errors)") }
        #expect(try shell.picket.run("rule", "list").output.contains("No rules"))
    }
}
