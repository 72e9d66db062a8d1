import Foundation
import Model
import SQLite
import TestSupport
import Testing

/// The program on a data directory of its own.
struct Shell {
    let directory: TemporaryDirectory
    let picket: Program

    init() throws {
        directory = try TemporaryDirectory()
        picket = Program(data: directory.path + "/data")
    }

    /// A file in the directory.
    func file(_ name: String, _ text: String) throws -> String { try directory.write(text, to: name) }
}

@Suite("Bad input")
struct BadInputTests {
    /// What is typed after a file was written, how it ends, and what is said.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var text = ""
        var arguments: [String]
        var status: Int32
        var says: [String]
        var testDescription: String { name }
    }

    private static let start = "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg>\n"
    private static let point = "<trkpt lat=\"52.5\" lon=\"13.4\"><time>2026-05-01T10:00:00Z</time></trkpt>\n"

    static let cases: [Case] = [
        Case(
            name: "truncated.gpx", text: start + point + "<trkpt lat=\"52.5\"", arguments: ["feed", "FILE"], status: 1,
            says: ["Unreadable input", "truncated.gpx", "line 3"]),
        Case(
            name: "root.gpx", text: "<?xml version=\"1.0\"?><kml><trkpt/></kml>", arguments: ["feed", "FILE"], status: 1,
            says: ["root.gpx", "kml", "gpx"]),
        Case(
            name: "prose.gpx", text: "Dear diary, today I went out.", arguments: ["feed", "FILE"], status: 1, says: ["prose.gpx"]),
        Case(name: "empty.gpx", text: "", arguments: ["feed", "FILE"], status: 1, says: ["Unknown format", "empty"]),
        Case(
            name: "timeless.gpx", text: start + "<trkpt lat=\"52.5\" lon=\"13.4\"/>\n</trkseg></trk></gpx>",
            arguments: ["feed", "FILE"], status: 1, says: ["line 2", "time", "--start"]),
        Case(
            name: "north.csv", text: "device,timestamp,latitude,longitude\nd,2026-05-01T10:00:00Z,91,13\n",
            arguments: ["feed", "FILE"], status: 1, says: ["line 2", "latitude '91'", "-90 to 90"]),
        Case(
            name: "nan.csv", text: "device,timestamp,latitude,longitude\nd,2026-05-01T10:00:00Z,NaN,13\n",
            arguments: ["feed", "FILE"], status: 1, says: ["line 2", "latitude 'NaN'"]),
        Case(
            name: "headless.csv", text: "a,b,c\n1,2,3\n", arguments: ["feed", "FILE"], status: 1, says: ["latitude", "--columns"]),
        Case(
            name: "no such file", arguments: ["feed", "/nonexistent/track.gpx"], status: 3,
            says: ["/nonexistent/track.gpx", "No such file"]),
        Case(
            name: "negative radius", arguments: ["geofence", "add", "--name", "x", "--circle", "52,13,-5"], status: 2,
            says: ["radius '-5'", "negative", "1 to 1000000"]),
        Case(
            name: "latitude of a fence", arguments: ["geofence", "add", "--name", "x", "--circle", "91,13,5"], status: 2,
            says: ["latitude '91.0'", "-90 to 90"]),
        Case(
            name: "not a number", arguments: ["geofence", "add", "--name", "x", "--circle", "nan,13,5"], status: 2,
            says: ["latitude"]),
        Case(
            name: "bowtie.geojson", text: #"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#,
            arguments: ["geofence", "add", "--name", "x", "--geometry", "FILE"], status: 2,
            says: ["crosses or touches itself near latitude 1.0, longitude 1.0"]),
        Case(
            name: "broken.geojson", text: "{\"type\":\n\"Polygon\",", arguments: ["geofence", "import", "FILE"], status: 1,
            says: ["broken.geojson"]),
        Case(
            name: "reserved property",
            arguments: ["geofence", "add", "--name", "x", "--circle", "52,13,50", "--property", "radius=9"], status: 2,
            says: ["property 'radius'", "another name"]),
        Case(
            name: "half of start and interval", arguments: ["feed", "-", "--start", "2026-05-01"], status: 2,
            says: ["go together"]),
        Case(
            name: "header.csv", text: "device,timestamp,latitude,longitude\n", arguments: ["feed", "FILE"], status: 1,
            says: ["positions"]),
        Case(
            name: "a taken id", arguments: ["geofence", "add", "--id", "home", "--circle", "52,13,5"], status: 2,
            says: ["'home'", "is there already", "geofence edit home"]),
        Case(
            name: "an unknown device", arguments: ["events", "--device", "anna-phon"], status: 2,
            says: ["'anna-phon'", "'anna-phone'"]),
        Case(name: "an unknown geofence", arguments: ["geofence", "show", "Hom"], status: 2, says: ["'Hom'", "'home'"]),
        Case(name: "an unknown command", arguments: ["evnets"], status: 2, says: ["'evnets'", "'events'"]),
        Case(name: "an unknown option", arguments: ["events", "--devise", "x"], status: 2, says: ["'--devise'", "'--device'"]),
        Case(name: "a missing value", arguments: ["events", "--device"], status: 2, says: ["--device ID"]),
        Case(
            name: "a time that is none", arguments: ["events", "--since", "yesterday"], status: 2,
            says: ["'yesterday'", "RFC 3339"]),
        Case(
            name: "a policy that is none", arguments: ["feed", "-", "--policy", "strict"], status: 2,
            says: ["exact, balanced, phone"]),
    ]

    @Test("Is named with place, reason and remedy", arguments: cases)
    func named(_ input: Case) throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try shell.picket.run("device", "add", "anna-phone")
        let file = try shell.file(input.name, input.text)
        let arguments = input.arguments.map { $0 == "FILE" ? file : $0 }
        let result = try shell.picket.run(arguments)
        #expect(result.status == input.status, "\(result.errors)")
        for words in input.says { #expect(result.errors.contains(words), "\(result.errors)") }
        #expect(!result.errors.contains("Fatal error") && !result.errors.contains("0x0"))

        // The same for machines: every failure is one document, every refusal one line.
        let json = try shell.picket.run(arguments + ["--json"])
        #expect(json.status == input.status)
        let lines = (json.errors + json.output).split(separator: "\n").map(String.init)
        for line in lines { #expect(throws: Never.self) { try JSONParser.parse(line) } }
        #expect(lines.contains { $0.contains("\"problem\"") || $0.contains("\"refused\":{") })
        // What was there is there.
        #expect(try shell.picket.run("geofence", "list", "--json").lines.count == 1)
    }

    @Test("Keeps what came before it, and what comes after")
    func rest() throws {
        let shell = try Shell()
        let file = try shell.file(
            "some.csv",
            """
            device,timestamp,latitude,longitude,accuracy
            d,2026-05-01T10:00:00Z,52.5,13.4,5
            d,2026-05-01T10:00:10Z,91,13.4,5
            d,yesterday,52.5,13.4,5
            d,2026-05-01T10:00:20Z,0,0,5
            d,2026-05-01T10:00:30Z,52.5,13.4,-1
            d,2026-05-01T10:00:40Z,52.5,13.4,5

            """)
        let result = try shell.picket.run("feed", file, "--json")
        #expect(result.status == 1)
        let refused = try result.lines.compactMap { try JSONParser.parse($0)["refused"] }
        #expect(refused.map { $0["line"]?.double } == [3, 4, 5, 6])
        #expect(refused.map { $0["field"]?.string } == ["latitude", "timestamp", "latitude", "accuracy"])
        #expect(refused.allSatisfy { $0["file"]?.string == file && $0["reason"]?.string?.isEmpty == false })
        let summary = try #require(try JSONParser.parse(result.lines.last ?? "")["summary"])
        #expect(summary["fixes"]?.double == 6 && summary["accepted"]?.double == 2 && summary["refused"]?.double == 4)
    }

    @Test("Of a store of a newer version, a damaged one, or one in use ends with status 3")
    func store() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--name", "Home", "--circle", "52.5,13.4,100")
        let pipe = Pipe()
        let process = Process()
        process.executableURL = URL(filePath: Program.path)
        process.arguments = ["--data", shell.picket.data, "feed", "-"]
        process.standardInput = pipe
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        pipe.fileHandleForWriting.write(
            Data("{\"device\":\"d\",\"timestamp\":\"2026-05-01T10:00:00Z\",\"latitude\":52.5,\"longitude\":13.4}\n".utf8))
        // Its first event is told when it holds the directory.
        #expect(output.fileHandleForReading.availableData.count > 0)
        let busy = try shell.picket.run("geofence", "add", "--name", "Work", "--circle", "52.6,13.4,100")
        #expect(busy.status == 3)
        #expect(busy.errors.contains("'picket feed' (process \(process.processIdentifier))"))
        #expect(try shell.picket.run("events").status == 0, "readers are let in")
        try pipe.fileHandleForWriting.close()
        process.waitUntilExit()
        #expect(try shell.picket.run("geofence", "add", "--name", "Work", "--circle", "52.6,13.4,100").status == 0)

        try Data("this is no database, whatever it says".utf8).write(to: URL(filePath: shell.picket.data + "/picket.sqlite"))
        let damaged = try shell.picket.run("status")
        #expect(damaged.status == 3)
        #expect(damaged.errors.contains("Store damaged"))
    }

    private static let odd: [String] = {
        guard SharedData.isThere(for: "odd recorded files"), let folder = SharedData.directory?.appending(path: "odd") else {
            return []
        }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }()

    @Test("Of real odd files gives the fixes that have a time and place, and names the rest", arguments: odd)
    func oddFiles(_ name: String) throws {
        let shell = try Shell()
        let result = try shell.picket.run("feed", SharedData.file("odd/\(name)").path, "--json")
        let row = try #require(try SharedData.manifest()["odd/\(name)"])
        let summary = try #require(try JSONParser.parse(result.lines.last ?? "")["summary"])
        let timed = Double(row["timed"] ?? "") ?? 0
        #expect(summary["accepted"]?.double == timed)
        #expect(result.status == 0 || result.status == 1)
        // Whatever did not come in was named.
        if timed == 0 {
            #expect(result.status == 1 && (result.errors + result.output).contains("reason") || result.errors.contains("message"))
        }
    }
}

extension SharedData {
    /// What is known of each recorded file, by its path.
    static func manifest() throws -> [String: [String: String]] {
        let lines = try String(contentsOf: file("manifest.csv"), encoding: .utf8).split(whereSeparator: \.isNewline)
        let names = lines[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        var rows: [String: [String: String]] = [:]
        for line in lines.dropFirst() {
            let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
            rows[cells[0]] = Dictionary(zip(names, cells)) { first, _ in first }
        }
        return rows
    }
}

@Suite("The command line")
struct CommandLineTests {
    @Test("Says of every command what it is, with examples that it understands")
    func help() throws {
        let shell = try Shell()
        let overview = try shell.picket.run("--help")
        let commands = overview.lines.filter { $0.hasPrefix("  ") }.map { line in
            line.dropFirst(2).prefix(20).split(separator: " ").joined(separator: " ")
        }
        #expect(commands.count > 15)
        for command in commands {
            let help = try shell.picket.run(command.split(separator: " ").map(String.init) + ["--help"])
            #expect(help.status == 0, "\(command)")
            #expect(help.output.contains("Usage: picket \(command)") && help.output.contains("Example"), "\(command)")
            #expect(help.output.contains("--json") && help.output.contains("--data DIR"), "\(command)")
            for example in help.lines.drop(while: { !$0.hasPrefix("Example") }).dropFirst() {
                // Asking for help beside it checks the words and runs nothing.
                let line = example.replacing("tail -f positions.ndjson | ", with: "").trimmingCharacters(in: .whitespaces)
                #expect(line.hasPrefix("picket "), "\(example)")
                let process = Process()
                process.executableURL = URL(filePath: "/bin/sh")
                process.arguments = ["-c", "exec '\(Program.path)' \(line.dropFirst("picket ".count)) --help > /dev/null"]
                try process.run()
                process.waitUntilExit()
                #expect(process.terminationStatus == 0, "\(example)")
            }
        }
    }

    @Test("Tells enter and exit of a track, once")
    func mainJob() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        let fence = try JSONParser.parse(try shell.picket.run("geofence", "list", "--json").lines[0])
        #expect(
            fence.members?.map(\.name) == [
                "id", "name", "latitude", "longitude", "radius", "isActive", "priority", "triggers", "devices", "groups",
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
                "fixes", "accepted", "duplicates", "late", "refused", "events", "seconds", "fixesPerSecond",
            ])
        let again = try shell.picket.run("feed", track, "--policy", "exact", "--json")
        #expect(try JSONParser.parse(again.lines[0])["summary"]?["duplicates"]?.double == 3)
        #expect(try shell.picket.run("events", "--json").lines == first.lines.dropLast())
        let visit = try JSONParser.parse(try shell.picket.run("visits", "--json").lines[0])
        #expect(
            visit.members?.map(\.name) == [
                "deviceId", "geofenceId", "geofenceName", "enteredAt", "exitedAt", "duration", "enterCause", "exitCause", "open",
            ])
        for (filter, count) in [
            (["--device", "anna"], 2), (["--geofence", "home"], 2), (["--type", "enter"], 1),
            (["--since", "2026-05-01T10:20:00Z"], 1),
            (["--until", "2026-05-01T10:20:00Z"], 1), (["--limit", "1"], 1), (["--since", "2026-05-02"], 0),
        ] {
            #expect(try shell.picket.run(["events", "--json"] + filter).lines.count == count, "\(filter)")
        }
    }

    @Test("Feeds a whole directory and standard input, and tells each kind of file by its content")
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

    @Test("Follows events as they come")
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

    @Test("Loses nothing and doubles nothing when it is killed while it feeds", arguments: [1, 40, 200])
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
        var told: [JSONValue] = []
        while told.count < lines, let line = running.nextLine() { told.append(try JSONParser.parse(line)) }
        running.kill()
        let kept = Set(try shell.picket.run("events", "--json").lines.map { try JSONParser.parse($0)["id"] })
        for event in told { #expect(kept.contains(event["id"]), "an event that was told is lost") }
        try shell.picket.run("feed", tracks, "--policy", "exact")
        let events = try shell.picket.run("events", "--json").lines.map { try JSONParser.parse($0) }
        #expect(events.map { $0["id"] } == expected)
        #expect(events.map { $0["sequence"]?.double } == (1...events.count).map(Double.init))
    }

    @Test("Says of devices without a registry that they are not managed, and counts them nowhere")
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

    @Test("Lets a region drift, go deaf or die on a phone, and names and repairs each")
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

    @Test("Speaks Turkish when asked to", arguments: [["--language", "tr"], []])
    func turkish(_ option: [String]) throws {
        let shell = try Shell()
        var picket = shell.picket
        if option.isEmpty { picket.environment = ["LC_ALL": "", "LC_MESSAGES": "", "LANG": "tr_TR.UTF-8"] }
        let result = try picket.run(["geofence", "show", "nowhere", "--json"] + option)
        let problem = try JSONParser.parse(String(result.errors.split(separator: "\n")[0]))["problem"]
        #expect(problem?["code"]?.string == "notFound")
        #expect(problem?["recoveryAction"]?["label"]?.string == Language.turkish.words.label(.editInput))
    }

    @Test("Says that the phones' file is of a newer version, and that nothing is known then")
    func newerRegistry() throws {
        let shell = try Shell()
        try shell.picket.run("device", "add", "phone", "--platform", "android")
        try shell.picket.run("geofence", "add", "--name", "Home", "--circle", "52.5,13.4,150")
        try shell.picket.run("health")
        let connection = try Connection(path: shell.picket.data + "/os-registry.sqlite", access: .write)
        try connection.execute("PRAGMA user_version = 99")
        let health = try shell.picket.run("health")
        #expect(health.status == 1 && health.output.contains("phone (Android): Unknown"))
        #expect(health.errors.contains("newer Picket"))
        let fix = try shell.picket.run("fix-registration")
        #expect(fix.status != 0 && fix.errors.contains("newer Picket"), "\(fix.output)\(fix.errors)")
        #expect(try shell.picket.run("status").status == 0)
    }

    @Test("Leaves a store alone that no demo made")
    func demoElsewhere() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "mine", "--name", "Mine", "--circle", "1,1,10")
        let demo = try shell.picket.run("demo")
        #expect(demo.status == 2 && demo.errors.contains("no demo made"))
        #expect(try shell.picket.run("geofence", "show", "mine").status == 0)
        #expect(try shell.picket.run("demo", "--sample", "/nonexistent").status == 3)
    }

    @Test("Follows events from before there is a store")
    func early() throws {
        let shell = try Shell()
        let follower = try shell.picket.start(["events", "--follow", "--json"])
        defer { follower.kill() }
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try shell.picket.run(["feed", "-"], input: "device,time,lat,lon\na,2026-05-01T10:00:00Z,52.5,13.4\n")
        #expect(follower.nextLine()?.contains("\"initial\"") == true)
    }

    @Test("Names what it may not read, and reads the rest")
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

    @Test("Starts with an empty directory as one would hope")
    func empty() throws {
        let shell = try Shell()
        for (arguments, words) in [
            (["status"], "0 devices"), (["events"], "No events yet"), (["visits"], "No visits yet"),
            (["geofence", "list"], "No geofences"), (["device", "list"], "No devices"),
            (["geofence", "overlaps"], "No two geofences"),
        ] {
            let result = try shell.picket.run(arguments)
            #expect(result.status == 0 && result.output.contains(words), "\(arguments): \(result.output)\(result.errors)")
        }
        #expect(!FileManager.default.fileExists(atPath: shell.picket.data), "reading makes nothing")
    }

    @Test("Shows the demo: geofences, transitions, visits, and what to try next")
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
            // All but the line that tells the speed.
            text.split(separator: "\n").filter { !$0.contains("fixes/s") }
        }
        #expect(story(again.output) == story(demo.output), "it starts anew each time")
        let json = try shell.picket.run("demo", "--json")
        for line in json.lines { #expect(throws: Never.self) { try JSONParser.parse(line) } }
    }
}
