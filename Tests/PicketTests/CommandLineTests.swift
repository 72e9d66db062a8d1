import Foundation
import Model
import SQLite
import TestSupport
import Testing

@Suite("Command line")
struct CommandLineTests {
    @Test("The help describes every command, and its examples are valid")
    func help() throws {
        let commands = try CommandHelp.all()
        #expect(commands.count > 15)
        for help in commands {
            let command = help.command.joined(separator: " ")
            #expect(help.status == 0, "\(command)")
            #expect(help.output.contains("Usage: picket \(command)") && help.output.contains("Example"), "\(command)")
            #expect(help.output.contains("--json") && help.output.contains("--data DIR"), "\(command)")
            for example in help.lines.drop(while: { !$0.hasPrefix("Example") }).dropFirst() {
                // With --help added, the words are checked and nothing is run.
                let line = example.replacing("tail -f positions.ndjson | ", with: "").trimmingCharacters(in: .whitespaces)
                #expect(line.hasPrefix("picket "), "\(example)")
                // Arguments after '--' do not belong to the command itself.
                let words = (line.contains(" -- ") ? line : line + " -- ").replacing(" -- ", with: " --help -- ")
                let process = try TestProcess(
                    "/bin/sh", ["-c", "exec '\(Program.path)' \(words.dropFirst("picket ".count))"], output: .null)
                #expect(process.terminationStatus == 0, "\(example)")
            }
        }
    }

    @Test("Help has topics, and an option without a command is wrong usage")
    func topics() throws {
        let picket = Program(data: try TemporaryDirectory().path)
        #expect(try picket.run("help", "geofence", "add").output == picket.run("geofence", "add", "--help").output)
        #expect(try picket.run("help", "geofence").output == picket.run("geofence").output)
        #expect(try picket.run("help").output == picket.run("--help").output)
        for (words, reason) in [
            (["help", "geofnce"], "did you mean 'picket geofence'"), (["help", "geofence", "ad"], "did you mean"),
            (["--foo"], "'picket' has no option '--foo'"), (["--json"], "A command is missing after the options"),
        ] {
            let answer = try picket.run(words)
            #expect(answer.status == 2 && answer.output.isEmpty && answer.errors.contains(reason), "\(words): \(answer.errors)")
        }
    }

    @Test(
        "A query of a directory without a store fails, and says how to make one",
        arguments: ["status", "events", "geofence list"])
    func noStore(_ command: String) throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path + "/typo")
        let answer = try picket.run(command.split(separator: " ").map(String.init))
        #expect(answer.status == 3 && answer.output.isEmpty)
        #expect(answer.errors.contains("\(directory.path)/typo: it has no store.") && answer.errors.contains("picket serve"))
        #expect(access(picket.data, F_OK) != 0)
    }

    @Test("The explain command says why an event happened or did not")
    func explain() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let track = try shell.file(
            "walk.csv",
            """
            device,timestamp,latitude,longitude,accuracy
            anna,2026-05-01T10:00:00Z,52.51,13.4,5
            anna,2026-05-01T10:00:10Z,52.5,13.4,5
            anna,2026-05-01T10:00:20Z,52.5,13.4,300
            anna,2026-05-01T10:00:30Z,52.51,13.4,5

            """)
        try shell.picket.run("feed", track)
        let sentences = try shell.picket.run("explain", "--device", "anna", "--geofence", "home")
        #expect(sentences.status == 0, "\(sentences.errors)")
        #expect(
            sentences.lines[0]
                == "At 2026-05-01 10:00:30Z anna was not in Home: an enter was pending until 10:00:30Z, and then a position contradicted it."
        )
        #expect(
            sentences.lines.contains {
                $0.hasPrefix("2026-05-01 10:00:10Z") && $0.contains("100 m in") && $0.contains("outside → entering")
            })
        #expect(sentences.lines.last?.hasPrefix("Policy: accuracyCap 50 m, ") == true)
        let json = try shell.picket.run(
            "explain", "--device", "anna", "--geofence", "home", "--at", "2026-05-01T10:00:10Z", "--around", "1", "--json")
        let explanation = try JSONParser.parse(json.output)
        #expect(
            explanation.members?.map(\.name) == [
                "deviceId", "geofenceId", "geofenceName", "at", "answer", "steps", "events", "policy", "remedies",
            ])
        #expect(
            explanation["remedies"]?.array?.first?["command"]?.string?.hasPrefix("picket geofence edit home --policy") == true)
        let step = explanation["steps"]?.array?[1]
        #expect(
            step?.members?.map(\.name) == [
                "timestamp", "latitude", "longitude", "accuracy", "distance", "counted", "margin", "reading", "before", "after",
                "rule", "because",
            ])
        #expect(step?["distance"]?.double == -100 && step?["rule"]?.string == "pending")
        for wrong in [["--device", "anna"], ["--geofence", "home"], ["--device", "ana", "--geofence", "home"]] {
            #expect(try shell.picket.run(["explain"] + wrong).status == 2, "\(wrong)")
        }
    }

    @Test("Feeding a track reports its enters and exits, once")
    func mainJob() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let fence = try JSONParser.parse(try shell.picket.run("geofence", "list", "--json").lines[0])
        #expect(
            fence.members?.map(\.name) == [
                "id", "name", "latitude", "longitude", "radius", "isActive", "priority", "triggers", "devices", "groups",
                "labels",
                "properties",
            ])
        let track = try shell.file(
            "walk.csv",
            """
            device,timestamp,latitude,longitude
            anna,2026-05-01T10:00:00Z,52.51,13.4
            anna,2026-05-01T10:10:00Z,52.5,13.4
            anna,2026-05-01T10:20:00Z,52.51,13.4

            """)
        let first = try shell.picket.run("feed", track, "--policy", "exact", "--json")
        #expect(first.status == 0)
        let lines = try first.lines.map { try JSONParser.parse($0) }
        #expect(lines.compactMap { $0["type"]?.string } == ["enter", "exit"])
        let exit = lines[1]
        #expect(
            exit.members?.map(\.name) == [
                "type", "id", "sequence", "deviceId", "geofenceId", "geofenceName", "occurredAt", "recordedAt", "confirmedAt",
                "crossedAt",
                "cause", "inferred", "fix", "enteredAt", "duration",
            ])
        #expect(exit["duration"]?.double == 600)
        #expect(
            lines[2]["summary"]?.members?.map(\.name) == [
                "fixes", "accepted", "duplicates", "late", "waiting", "replayed", "corrections", "refused", "events", "seconds",
                "fixesPerSecond",
            ])
        let again = try shell.picket.run("feed", track, "--policy", "exact", "--json")
        #expect(try JSONParser.parse(again.lines[0])["summary"]?["duplicates"]?.double == 3)
        #expect(try shell.picket.run("events", "--json").lines == first.lines.dropLast())
        for command in ["events", "visits"] {
            let refused = try shell.picket.run(command, "--since", "2026-05-02", "--until", "2026-05-01")
            #expect(refused.status == 2 && refused.output.isEmpty && refused.errors.contains("--since"), "\(refused.errors)")
        }
        #expect(try shell.picket.run("visits", "--totals", "--limit", "1").status == 2)
        let visit = try JSONParser.parse(try shell.picket.run("visits", "--json").lines[0])
        #expect(
            visit.members?.map(\.name) == [
                "deviceId", "geofenceId", "geofenceName", "enteredAt", "exitedAt", "duration", "lastSeenAt", "seenSeconds",
                "enterCause", "exitCause", "open",
            ])
        for (filter, count) in [
            (["--device", "anna"], 2), (["--geofence", "home"], 2), (["--type", "enter"], 1),
            (["--since", "2026-05-01T10:20:00Z"], 1),
            (["--until", "2026-05-01T10:20:00Z"], 1), (["--limit", "1"], 1), (["--since", "2026-05-02"], 0),
        ] {
            #expect(try shell.picket.run(["events", "--json"] + filter).lines.count == count, "\(filter)")
        }
    }

    @Test("The feed command reads a directory and standard input, and recognizes each format by content")
    func kinds() throws {
        let shell = try Shell()
        let kinds = [
            (
                "a.txt",
                "<gpx version=\"1.1\"><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>"
            ),
            ("b.txt", "id;time;lat;lon\nb;2026-05-01T10:00:00Z;1;2\n"),
            ("c.txt", "{\"device\":\"c\",\"timestamp\":1777629600,\"latitude\":1,\"longitude\":2}\n"),
            ("d.txt", "[{\"device\":\"d\",\"timestamp\":1777629600000,\"latitude\":1,\"longitude\":2}]"),
            ("e.txt", "$GPRMC,100000.00,A,0100.0000,N,00200.0000,E,0.0,0.0,010526,,,A*5C\r\n"),
            (
                "f.txt",
                "{\"type\":\"Feature\",\"geometry\":{\"type\":\"Point\",\"coordinates\":[2,1]},\"properties\":{\"time\":\"2026-05-01T10:00:00Z\",\"device\":\"f\"}}"
            ),
            (
                "g.txt",
                "2026-05-01T10:00:00Z\t*                 \t{\"_type\":\"location\",\"tst\":1777629600,\"lat\":1,\"lon\":2,\"tid\":\"g\"}\n"
            ),
        ]
        for (name, text) in kinds { _ = try shell.file(name, text) }
        let result = try shell.picket.run("feed", shell.directory.path, "--json")
        let summary = try #require(try JSONParser.parse(result.lines.last ?? "")["summary"])
        #expect(summary["accepted"]?.double == Double(kinds.count), "\(result.output)\(result.errors)")
        #expect(try shell.picket.run("device", "list", "--json").lines.count == kinds.count)
        let piped = try shell.picket.run(["feed", "-", "--device", "pipe"], input: "time,lat,lon\n2026-05-01T10:00:00Z,1,2\n")
        #expect(piped.status == 0)
        #expect(try shell.picket.run("device", "show", "pipe").status == 0)
    }

    @Test("The silence and the return of a device are reported, in words and in JSON")
    func silence() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "van-7", "--silent-after", "3600")
        let track = "time,lat,lon\n2026-05-01T10:00:00Z,1,2\n2026-05-01T12:30:00Z,1,2\n"
        let fed = try shell.picket.run(["feed", "-", "--device", "van-7"], input: track)
        #expect(
            fed.lines.dropLast() == [
                "2026-05-01 11:00:00Z  van-7           is silent  since 2026-05-01 10:00:00Z",
                "2026-05-01 12:30:00Z  van-7           is reporting again    (after 2 h 30 min)",
            ])
        let silent = try JSONParser.parse(try shell.picket.run("events", "--type", "silent", "--json").lines[0])
        #expect(
            silent.members?.map(\.name) == [
                "type", "id", "sequence", "deviceId", "occurredAt", "recordedAt", "confirmedAt", "cause", "inferred", "fix",
                "lastSeen", "duration", "lastHeard",
            ])
        #expect(silent["lastHeard"]?.string == "2026-05-01T10:00:00.000Z" && silent["duration"]?.double == 3600)
    }

    @Test("Auto-repair is switched on and off for a device with a registry")
    func autoRepair() throws {
        let shell = try Shell()
        let made = try shell.picket.run("device", "add", "phone", "--platform", "ios", "--auto-repair", "on", "--json")
        #expect(try JSONParser.parse(made.output)["autoRepair"]?.bool == true)
        #expect(try shell.picket.run("device", "show", "phone").output.contains("repaired automatically"))
        try shell.picket.run("device", "add", "mine", "--platform", "ios", "--registry", "app")
        let kept = try shell.picket.run("device", "edit", "mine", "--platform", "android", "--json")
        #expect(try JSONParser.parse(kept.output)["registry"]?.string == "app", "a real phone does not become a simulated one")
        let edited = try shell.picket.run("device", "edit", "phone", "--auto-repair", "off", "--json")
        #expect(try JSONParser.parse(edited.output)["autoRepair"]?.bool == false)
        let refused = try shell.picket.run("device", "add", "tracker", "--auto-repair", "on")
        #expect(refused.status == 2 && refused.errors.contains("--auto-repair 'on'") && refused.errors.contains("no registry"))
        let incomplete = try shell.picket.run("device", "add", "tracker", "--registry", "app")
        #expect(incomplete.status == 2 && incomplete.errors.contains("--platform"), "\(incomplete.errors)")
        let bare = try shell.picket.run("device", "edit", "mine", "--keep-positions", "7200", "--yes")
        #expect(bare.status == 2 && bare.errors.contains("--keep-positions '7200'"), "\(bare.errors)")
    }

    @Test("Many devices are edited at once, here and through a service", arguments: [false, true])
    func bulkEdit(isServed: Bool) throws {
        let shell = try Shell()
        for (id, groups) in [("anna", "family"), ("ben", "family,team"), ("van", "team")] {
            try shell.picket.run("device", "add", id, "--groups", groups)
        }
        let service = isServed ? try RunningService(data: shell.picket.data) : nil
        defer { withExtendedLifetime(service) {} }
        func run(_ words: String...) throws -> Program.Result { try shell.picket.run(["device", "edit"] + words) }
        func silentAfter() throws -> [Double?] {
            try shell.picket.run("device", "list", "--json").lines.map { try JSONParser.parse($0)["silentAfter"]?.double }
        }
        let dry = try run("--group", "family", "--silent-after", "2h", "--dry-run")
        #expect(
            dry.status == 0 && dry.output == "anna: silentAfter 7200\nben: silentAfter 7200\nWould change 2 devices.\n", "\(dry)")
        #expect(try silentAfter() == [21_600, 21_600, 21_600])
        #expect(try run("--group", "family", "--silent-after", "2h").output.hasSuffix("Changed 2 devices.\n"))
        #expect(
            try run("anna", "van", "--silent-after", "2h").output == "anna: unchanged\nvan: silentAfter 7200\nChanged 1 device.\n"
        )
        #expect(try silentAfter() == [7200, 7200, 7200])
        let refused = try run("anna", "bem", "--silent-after", "1h")
        #expect(refused.status == 2 && refused.output.contains("bem: refused") && refused.output.contains("Nothing was changed"))
        let json = try run("--all", "--name", "Someone", "--json")
        let outcomes = try JSONParser.parse(json.output)["devices"]?.array?.map { $0["outcome"]?.string }
        #expect(outcomes == ["changed", "changed", "changed"])
        for (words, reason) in [
            (["--silent-after", "2h"], "IDs, --group or --all"), (["anna", "--all", "--name", "x"], "cannot be combined"),
            (["--all", "--group", "team", "--name", "x"], "cannot be combined"), (["--all"], "No changes are given"),
            (["--all", "--owntracks-key", "k"], "the ID of one device"), (["--all", "--platform", "ios"], "be given together"),
            (["--group", "tem", "--name", "x"], "Did you mean 'team'?"), (["--all", "--silent-after", "x"], "--silent-after"),
        ] {
            let result = try shell.picket.run(["device", "edit"] + words)
            #expect(result.status == 2 && result.errors.contains(reason), "\(words): \(result.errors)")
        }
    }

    @Test("A group has values for its devices, and a device shows where each value comes from")
    func groupDefaults() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "anna", "--groups", "family")
        try shell.picket.run("device", "add", "ben", "--groups", "family", "--silent-after", "30m")
        let edited = try shell.picket.run(
            "group", "edit", "family", "--silent-after", "2h", "--policy", "balanced", "--keep-positions", "90d", "--quiet-hours",
            "22:00-06:00")
        #expect(edited.status == 0 && edited.output.contains("Changed 2 devices."), "\(edited)")
        let group = try shell.picket.run("group", "show", "family")
        #expect(group.output.contains("quiet hours 22:00-06:00") && group.output.contains("policy balanced"), "\(group)")
        let anna = try shell.picket.run("device", "show", "anna").output
        for line in ["silent after 2 h, from the group 'family'", "quiet hours 22:00-06:00, from the group 'family'"] {
            #expect(anna.contains(line), "\(anna)")
        }
        let show = try shell.picket.run("device", "show", "ben").output
        #expect(show.contains("silent after 30 min, its own") && show.contains("policy balanced, from the group"), "\(show)")
        let dry = try shell.picket.run("group", "edit", "family", "--quiet-hours", "none", "--dry-run")
        #expect(dry.output.contains("Would change 2 devices.") && !dry.output.contains("quiet hours"), "\(dry)")
        #expect(try shell.picket.run("group", "show", "family").output.contains("quiet hours 22:00-06:00"))
        try shell.picket.run("device", "edit", "ben", "--silent-after", "none", "--quiet-hours", "never")
        let ben = try shell.picket.run("device", "show", "ben").output
        #expect(ben.contains("silent after 2 h, from the group 'family'") && ben.contains("no quiet hours, its own"), "\(ben)")
        try shell.picket.run("group", "edit", "family", "--silent-after", "none")
        #expect(try shell.picket.run("device", "show", "anna").output.contains("silent after 6 h, by default"))
        let check = try shell.picket.run("check")
        #expect(check.status == 0 && check.output.contains("No flaws found."))
        for (words, reason) in [
            (["family"], "No changes are given"), (["", "--silent-after", "1h"], "group"),
            (["family", "--silent-after", "soon"], "--silent-after"),
            (["family", "--quiet-hours", "25:00-07:00"], "--quiet-hours"),
            (["family", "--keep-positions", "3m"], "--keep-positions"),
        ] {
            let refused = try shell.picket.run(["group", "edit"] + words)
            #expect(refused.status == 2 && refused.errors.contains(reason), "\(words): \(refused.errors)")
        }
    }

    @Test("The settings of the service apply to devices without other values")
    func settingDefaults() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "anna")
        try "silent-after = 45m\nquiet-hours = 22:00-06:00\npolicy = phone\nkeep-positions = 90d\n".write(
            toFile: shell.picket.data + "/picket.conf", atomically: true, encoding: .utf8)
        let service = try RunningService(data: shell.picket.data)
        defer { withExtendedLifetime(service) {} }
        let anna = try shell.picket.run("device", "show", "anna").output
        for line in ["policy phone", "silent after 45 min", "positions are kept for 90 d", "quiet hours 22:00-06:00"] {
            #expect(anna.contains("  \(line), from the settings\n"), "\(anna)")
        }
    }

    @Test("Events are followed as they come")
    func follow() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let line = { (minute: Int, latitude: String) in "a,2026-05-01T10:0\(minute):00Z,\(latitude),13.4\n" }
        let header = "device,timestamp,latitude,longitude\n"
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: header + line(0, "52.5"))
        let follower = try shell.picket.start(["events", "--follow", "--json"])
        defer { follower.kill() }
        #expect(follower.nextLine()?.contains("\"initial\"") == true)
        try shell.picket.run(["feed", "-", "--policy", "exact"], input: header + line(1, "52.6") + line(2, "52.5"))
        #expect(follower.nextLine()?.contains("\"exit\"") == true)
        #expect(follower.nextLine()?.contains("\"enter\"") == true)
    }

    @Test("A feed that is killed and repeated loses and duplicates nothing", arguments: [1, 40, 200])
    func killed(after lines: Int) throws {
        let tracks = SharedData.checkout.appending(path: "data/tracks").path
        let fences = SharedData.checkout.appending(path: "data/geofences.geojson").path
        let whole = try Shell()
        try whole.picket.run("geofence", "import", fences)
        try whole.picket.run("feed", tracks, "--policy", "exact")
        let expected = try whole.picket.run("events", "--json").lines.map { try JSONParser.parse($0)["id"] }

        let shell = try Shell()
        try shell.picket.run("geofence", "import", fences)
        let running = try shell.picket.start(["feed", tracks, "--policy", "exact", "--json"])
        var printed: [JSONValue] = []
        while printed.count < lines, let line = running.nextLine() { printed.append(try JSONParser.parse(line)) }
        running.kill()
        let kept = Set(try shell.picket.run("events", "--json").lines.map { try JSONParser.parse($0)["id"] })
        for event in printed { #expect(kept.contains(event["id"]), "an event that was printed is lost") }
        try shell.picket.run("feed", tracks, "--policy", "exact")
        #expect(try shell.picket.run("events", "--json").lines.map { try JSONParser.parse($0)["id"] } == expected)
        let events = try shell.picket.run("events", "--all", "--json").lines.map { try JSONParser.parse($0) }
        let sequences: [Double?] = (1...events.count).map { Double($0) }
        #expect(events.map { $0["sequence"]?.double } == sequences)
    }

    @Test("A device without a registry is reported as not managed, and not counted")
    func unmanaged() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "tracker")
        let all = try shell.picket.run("health")
        #expect(all.status == 0 && all.output.contains("1 device is not managed"))
        let one = try shell.picket.run("health", "--device", "tracker", "--json")
        #expect(one.status == 0)
        let json = try JSONParser.parse(one.lines.first ?? "")
        #expect(json["statusSummary"]?.string == "Not managed" && json["isHealthy"] == .null)
        #expect(try shell.picket.run("registry", "reboot", "--device", "tracker").status == 2)
        #expect(try shell.picket.run("fix-registration", "--device", "tracker").status == 0)
    }

    @Test("A region made to drift, go deaf or die is reported and repaired")
    func misfortunes() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,150")
        try shell.picket.run("fix-registration")
        for (fault, finding) in [(["drift", "home", "80"], "drifted"), (["deafen", "home"], "deaf")] {
            #expect(try shell.picket.run(["registry", "fail"] + fault).status == 0)
            let health = try shell.picket.run("health", "--json")
            let json = try JSONParser.parse(health.lines[0])
            #expect(health.status == 1 && json["statusSummary"]?.string == "1 region(s) wrong in iOS")
            #expect(json["findings"]?.array?.first?["finding"]?.string == finding)
            #expect(try shell.picket.run("fix-registration").status == 0)
            #expect(try shell.picket.run("health").status == 0)
        }
        for wrong in [["refuse", "1001"], ["zombify", "nowhere"], ["drift", "home", "far"], ["melt"]] {
            #expect(try shell.picket.run(["registry", "fail"] + wrong).status == 2, "\(wrong)")
        }
        #expect(try shell.picket.run("registry", "set", "battery", "on").status == 2)
        #expect(try shell.picket.run("registry", "add-foreign", "picket/home", "52,13,100").status == 2)
        let explained = try JSONParser.parse(try shell.picket.run("health", "--explain", "--json").lines[0])
        #expect(explained["standings"]?.array?.first?["standing"]?.string?.hasPrefix("registered: ") == true)
    }

    @Test("The language option and the environment select Turkish", arguments: [["--language", "tr"], []])
    func turkish(_ option: [String]) throws {
        let shell = try Shell()
        var picket = shell.picket
        try picket.createStore()
        if option.isEmpty { picket.environment = ["LC_ALL": "", "LC_MESSAGES": "", "LANG": "tr_TR.UTF-8"] }
        let result = try picket.run(["geofence", "show", "nowhere", "--json"] + option)
        let problem = try JSONParser.parse(String(result.errors.split(separator: "\n")[0]))["problem"]
        #expect(problem?["code"]?.string == "notFound")
        #expect(problem?["recoveryAction"]?["label"]?.string == Problem.RecoveryAction.editInput.label.text(in: .turkish))
    }

    @Test("Prints health, repairs and explanations in Turkish, with the same codes for machines")
    func turkishHealth() throws {
        let shell = try Shell()
        func turkish(_ words: String...) throws -> Program.Result { try shell.picket.run(words + ["--language", "tr"]) }
        try shell.picket.createStore()
        #expect(try turkish("health").output.contains("Yönetilen cihaz yok."))
        #expect(try turkish("fix-registration", "--history").output == "Henüz onarım yok.\n")
        try shell.picket.run("device", "add", "phone", "--platform", "ios")
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,150")
        let health = try turkish("health")
        #expect(health.status == 1 && health.output.contains("1 coğrafi sınır iOS tarafında kayıtlı değil"), "\(health.output)")
        #expect(health.output.contains("eksik") && health.output.contains("iOS tarafında kayıtlı değil  → Kayıtları Onar"))
        let json = try JSONParser.parse(try turkish("health", "--json").lines[0])
        #expect(json["findings"]?.array?.first?["finding"]?.string == "missing")
        #expect(json["statusSummary"]?.string == "1 coğrafi sınır iOS tarafında kayıtlı değil")
        let repair = try turkish("fix-registration")
        #expect(
            repair.output.contains("kaydet") && repair.output.contains("kayıtlı olmalı, ama değil  yapıldı"), "\(repair.output)")
        #expect(repair.output.contains("2 işlem yapıldı.") && repair.output.contains("Sağlıklı"))
        #expect(try turkish("health", "--history").output.contains("Sağlıklı"))
        #expect(try turkish("fix-registration", "--history").output.contains("→ Sağlıklı, 2 işlem"))
        let explained = try turkish("explain", "--device", "phone", "--geofence", "home")
        #expect(explained.output.hasPrefix("Hiçbir şey bilinmiyor: phone için kayıtlı konum yok."), "\(explained.output)")
        #expect(explained.output.contains("İlke: ") && explained.output.contains("(genel)"))
    }

    @Test("A file of phones from a newer version is reported, and health is unknown")
    func newerRegistry() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "phone", "--platform", "android")
        try shell.picket.run("geofence", "add", "--name", "Home", "--circle", "52.5,13.4,150")
        try shell.picket.run("health")
        let connection = try Connection(path: shell.picket.data + "/os-registry.sqlite", access: .write)
        try connection.execute("PRAGMA user_version = 99")
        let health = try shell.picket.run("health")
        #expect(health.status == 1 && health.output.contains("phone (Android) (simulated): Unknown"))
        #expect(health.errors.contains("newer Picket"))
        let fix = try shell.picket.run("fix-registration")
        #expect(fix.status != 0 && fix.errors.contains("newer Picket"), "\(fix.output)\(fix.errors)")
        #expect(try shell.picket.run("status").status == 0)
    }

    @Test("The demo refuses a store that no demo made")
    func demoElsewhere() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "mine", "--name", "Mine", "--circle", "1,1,10")
        let demo = try shell.picket.run("demo")
        #expect(demo.status == 2 && demo.errors.contains("'picket demo' did not create"))
        #expect(try shell.picket.run("geofence", "show", "mine").status == 0)
        #expect(try shell.picket.run("demo", "--sample", "/nonexistent").status == 3)
    }

    @Test("Events of an empty store can be followed")
    func early() throws {
        let shell = try Shell()
        try shell.picket.createStore()
        let follower = try shell.picket.start(["events", "--follow", "--json"])
        defer { follower.kill() }
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try shell.picket.run(["feed", "-"], input: "device,time,lat,lon\na,2026-05-01T10:00:00Z,52.5,13.4\n")
        #expect(follower.nextLine()?.contains("\"initial\"") == true)
    }

    @Test("An unreadable file is named, and the others are read")
    func unreadable() throws {
        let shell = try Shell()
        let folder = shell.directory.path + "/tracks"
        try FileManager.default.createDirectory(atPath: folder + "/empty", withIntermediateDirectories: true)
        #expect(mkfifo(folder + "/pipe", 0o600) == 0)
        try Data("device,time,lat,lon\na,2026-05-01T10:00:00Z,52.5,13.4\n".utf8).write(to: URL(filePath: folder + "/t.csv"))
        let result = try shell.picket.run("feed", folder, "--json")
        #expect(result.status == 1)
        #expect(result.lines.contains { $0.contains("/empty") } && result.lines.contains { $0.contains("/pipe") })
        #expect(result.lines.last?.contains("\"accepted\":1") == true)
        let file = try Program(data: try shell.file("plain", "a file")).run("status")
        #expect(file.status == 3 && file.errors.contains("Not a directory"))
    }

    @Test("With an empty store, commands succeed and say what is missing")
    func empty() throws {
        let shell = try Shell()
        try shell.picket.createStore()
        for (arguments, words) in [
            (["status"], "0 devices"), (["events"], "No events yet"), (["visits"], "No visits yet"),
            (["geofence", "list"], "No geofences"), (["device", "list"], "No devices"),
            (["geofence", "overlaps"], "No two geofences"),
        ] {
            let result = try shell.picket.run(arguments)
            #expect(result.status == 0 && result.output.contains(words), "\(arguments): \(result.output)\(result.errors)")
        }
    }

    @Test("The demo runs from the program alone, in an empty directory")
    func demoAlone() throws {
        let directory = try TemporaryDirectory()
        let program = directory.path + "/picket"
        // The program looks for files beside the place that it really is in, so a symbolic link would find the checkout.
        try FileManager.default.copyItem(atPath: Program.path, toPath: program)
        let pipe = Pipe()
        let process = try TestProcess(
            program, ["--data", directory.path + "/data", "demo", "--json"], directory: directory.path, output: .pipe(pipe))
        let lines = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self).split(separator: "\n")
        #expect(process.terminationStatus == 0)
        let summary = try JSONParser.parse(String(lines.last ?? ""))["summary"]
        #expect(summary?["accepted"]?.double ?? 0 > 1000 && lines.count > 50, "\(lines.count)")
        let tracks = try FileManager.default.contentsOfDirectory(atPath: directory.path + "/data/sample/tracks")
        #expect(tracks.contains("family-day.csv"))
    }

    @Test("The demo shows geofences, transitions, visits and next steps")
    func demo() throws {
        let shell = try Shell()
        let demo = try shell.picket.run("demo")
        #expect(demo.status == 0, "\(demo.errors)")
        for words in [
            "315 geofences", "entered   Mia’s school", "left      Mia’s school", "Who is where now", "What to try next",
        ] {
            #expect(demo.output.contains(words), "\(words)")
        }
        let again = try shell.picket.run("demo")
        #expect(again.status == 0)
        func story(_ text: String) -> [Substring] {
            // The text without the line that contains the speed.
            text.split(separator: "\n").filter { !$0.contains("positions/s") }
        }
        #expect(story(again.output) == story(demo.output), "it starts again each time")
        let json = try shell.picket.run("demo", "--json")
        for line in json.lines { #expect(throws: Never.self) { try JSONParser.parse(line) } }
    }
}

@Suite("Group options")
struct GroupCommandTests {
    @Test("A group filters the lists of devices and geofences, and the status")
    func filters() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "anna", "--groups", "family")
        try shell.picket.run("device", "add", "van")
        try shell.picket.run(
            "geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100", "--groups", "family")
        try shell.picket.run("geofence", "add", "--id", "work", "--name", "Work", "--circle", "52.6,13.4,100")
        #expect(
            try shell.picket.run("group", "list", "--json").output == "{\"group\":\"family\",\"devices\":1,\"geofences\":1}\n")
        #expect(try shell.picket.run("group", "list").output.contains("family"))
        for command in [["device", "list"], ["geofence", "list"], ["status"]] {
            #expect(try shell.picket.run(command + ["--group", "family", "--json"]).lines.count == 1, "\(command)")
            #expect(try shell.picket.run(command + ["--group", "famly"]).errors.contains("Did you mean 'family'"), "\(command)")
        }
    }
}
