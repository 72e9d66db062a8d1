import Foundation
import Model
import TestSupport
import Testing

/// The program with its own data directory.
struct Shell {
    let directory: TemporaryDirectory
    let picket: Program

    init() throws {
        directory = try TemporaryDirectory()
        picket = Program(data: directory.path + "/data")
    }

    /// Writes a file into the directory and returns its path.
    func file(_ name: String, _ text: String) throws -> String { try directory.write(text, to: name) }
}

@Suite("Bad input")
struct BadInputTests {
    /// A command line after a file was written, and the expected status and messages.
    struct Case: CustomTestStringConvertible, Sendable {
        var name: String
        var text = ""
        var arguments: [String]
        var status: Int32
        var messages: [String]
        var testDescription: String { name }
    }

    private static let start = "<?xml version=\"1.0\"?><gpx version=\"1.1\"><trk><trkseg>\n"
    private static let point = "<trkpt lat=\"52.5\" lon=\"13.4\"><time>2026-05-01T10:00:00Z</time></trkpt>\n"

    static let cases: [Case] = [
        Case(
            name: "truncated.gpx", text: start + point + "<trkpt lat=\"52.5\"", arguments: ["feed", "FILE"], status: 1,
            messages: ["Unreadable input", "truncated.gpx", "line 3"]),
        Case(
            name: "root.gpx", text: "<?xml version=\"1.0\"?><svg><trkpt/></svg>", arguments: ["feed", "FILE"], status: 1,
            messages: ["root.gpx", "<svg>", "<gpx>", "<kml>"]),
        Case(
            name: "trackless.kml", text: "<?xml version=\"1.0\"?><kml><trkpt/></kml>", arguments: ["feed", "FILE"], status: 1,
            messages: ["trackless.kml", "Track", "TimeStamp"]),
        Case(
            name: "foreign.json", text: #"[{"name":"x","level":1},{"name":"y"}]"#, arguments: ["feed", "FILE"], status: 1,
            messages: ["foreign.json", "no positions", "name, level", "Google Timeline"]),
        Case(
            name: "cut.csv.gz", text: "\u{1F}", arguments: ["feed", "FILE"], status: 1,
            messages: ["cut.csv.gz", "gzip", "cut off"]),
        Case(
            name: "prose.gpx", text: "Dear diary, today I went out.", arguments: ["feed", "FILE"], status: 1,
            messages: ["prose.gpx"]),
        Case(name: "empty.gpx", text: "", arguments: ["feed", "FILE"], status: 1, messages: ["Unknown format", "empty"]),
        Case(
            name: "timeless.gpx", text: start + "<trkpt lat=\"52.5\" lon=\"13.4\"/>\n</trkseg></trk></gpx>",
            arguments: ["feed", "FILE"], status: 1, messages: ["line 2", "time", "--start"]),
        Case(
            name: "north.csv", text: "device,timestamp,latitude,longitude\nd,2026-05-01T10:00:00Z,91,13\n",
            arguments: ["feed", "FILE"], status: 1, messages: ["line 2", "latitude '91'", "-90 to 90"]),
        Case(
            name: "nan.csv", text: "device,timestamp,latitude,longitude\nd,2026-05-01T10:00:00Z,NaN,13\n",
            arguments: ["feed", "FILE"], status: 1, messages: ["line 2", "latitude 'NaN'"]),
        Case(
            name: "headless.csv", text: "a,b,c\n1,2,3\n", arguments: ["feed", "FILE"], status: 1,
            messages: ["latitude", "--columns"]),
        Case(
            name: "no such file", arguments: ["feed", "/nonexistent/track.gpx"], status: 3,
            messages: ["/nonexistent/track.gpx", "No such file"]),
        Case(
            name: "negative radius", arguments: ["geofence", "add", "--name", "x", "--circle", "52,13,-5"], status: 2,
            messages: ["radius '-5'", "negative", "1 to 1,000,000"]),
        Case(
            name: "latitude of a fence", arguments: ["geofence", "add", "--name", "x", "--circle", "91,13,5"], status: 2,
            messages: ["latitude '91'", "-90 to 90"]),
        Case(
            name: "not a number", arguments: ["geofence", "add", "--name", "x", "--circle", "nan,13,5"], status: 2,
            messages: ["latitude"]),
        Case(
            name: "bowtie.geojson", text: #"{"type":"Polygon","coordinates":[[[0,0],[2,2],[2,0],[0,2],[0,0]]]}"#,
            arguments: ["geofence", "add", "--name", "x", "--geometry", "FILE"], status: 2,
            messages: ["crosses or touches itself near latitude 1.0, longitude 1.0"]),
        Case(
            name: "broken.geojson", text: "{\"type\":\n\"Polygon\",", arguments: ["geofence", "import", "FILE"], status: 1,
            messages: ["broken.geojson"]),
        Case(
            name: "reserved property",
            arguments: ["geofence", "add", "--name", "x", "--circle", "52,13,50", "--property", "radius=9"], status: 2,
            messages: ["property 'radius'", "another name"]),
        Case(
            name: "half of start and interval", arguments: ["feed", "-", "--start", "2026-05-01"], status: 2,
            messages: ["must be given together"]),
        Case(
            name: "header.csv", text: "device,timestamp,latitude,longitude\n", arguments: ["feed", "FILE"], status: 1,
            messages: ["positions"]),
        Case(
            name: "a taken id", arguments: ["geofence", "add", "--id", "home", "--circle", "52,13,5"], status: 2,
            messages: ["'home'", "already exists", "geofence edit home"]),
        Case(
            name: "an unknown device", arguments: ["events", "--device", "anna-phon"], status: 2,
            messages: ["'anna-phon'", "'anna-phone'"]),
        Case(name: "an unknown geofence", arguments: ["geofence", "show", "Hom"], status: 2, messages: ["'Hom'", "'home'"]),
        Case(name: "an unknown command", arguments: ["evnets"], status: 2, messages: ["'evnets'", "'picket events'"]),
        Case(
            name: "an unknown option", arguments: ["events", "--devise", "x"], status: 2, messages: ["'--devise'", "'--device'"]),
        Case(name: "a missing value", arguments: ["events", "--device"], status: 2, messages: ["--device ID"]),
        Case(
            name: "a time that is none", arguments: ["events", "--since", "next week"], status: 2,
            messages: ["--since 'next week'", "not a valid time", "7d", "2026-10-05", "RFC 3339"]),
        Case(
            name: "a policy that is none", arguments: ["feed", "-", "--policy", "strict"], status: 2,
            messages: ["exact, balanced or phone"]),
    ]

    @Test("Bad input is named with place, reason and remedy", arguments: cases)
    func named(_ input: Case) throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        try shell.picket.run("device", "add", "anna-phone")
        let file = try shell.file(input.name, input.text)
        let arguments = input.arguments.map { $0 == "FILE" ? file : $0 }
        let result = try shell.picket.run(arguments)
        #expect(result.status == input.status, "\(result.errors)")
        for words in input.messages { #expect(result.errors.contains(words), "\(result.errors)") }
        #expect(!result.errors.contains("Fatal error") && !result.errors.contains("0x0"))

        // With --json, every failure is one document, and every refusal one line.
        let json = try shell.picket.run(arguments + ["--json"])
        #expect(json.status == input.status)
        let lines = (json.errors + json.output).split(separator: "\n").map(String.init)
        for line in lines { #expect(throws: Never.self) { try JSONParser.parse(line) } }
        #expect(lines.contains { $0.contains("\"problem\"") || $0.contains("\"refused\":{") })
        // What was stored before is still there.
        #expect(try shell.picket.run("geofence", "list", "--json").lines.count == 1)
    }

    @Test("Positions before and after bad input are accepted")
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

    @Test("The pauses of a track are one note, and the exit status is 0")
    func pauses() throws {
        let shell = try Shell()
        let pause = "<Trackpoint><Time>2026-05-01T10:00:05Z</Time></Trackpoint>"
        let position = "<Position><LatitudeDegrees>52.5</LatitudeDegrees><LongitudeDegrees>13.4</LongitudeDegrees></Position>"
        let points = "<Trackpoint><Time>2026-05-01T10:00:00Z</Time>\(position)</Trackpoint>\(pause)\(pause)"
        let file = try shell.file("ride.tcx", "<TrainingCenterDatabase><Track>\(points)</Track></TrainingCenterDatabase>")
        let result = try shell.picket.run("feed", file)
        #expect(result.status == 0 && result.output.contains("1 accepted"), "\(result.output)\(result.errors)")
        #expect(result.errors.contains("Note: \(file): 2 points have no position"), "\(result.errors)")
        let json = try shell.picket.run("feed", file, "--json")
        let remarks = try json.lines.compactMap { try JSONParser.parse($0)["remark"] }
        #expect(json.status == 0 && remarks.map { $0["file"]?.string } == [file], "\(json.output)")
        let turkish = try shell.picket.run("feed", file, "--language", "tr")
        #expect(turkish.errors.contains("Not: \(file): 2 noktanın"), "\(turkish.errors)")
    }

    @Test("A store that is newer, damaged or in use ends the command with status 3")
    func store() throws {
        let shell = try Shell()
        try shell.picket.run("geofence", "add", "--name", "Home", "--circle", "52.5,13.4,100")
        let (pipe, output) = (Pipe(), Pipe())
        let process = try TestProcess(
            Program.path, ["--data", shell.picket.data, "feed", "-"], input: .pipe(pipe), output: .pipe(output))
        pipe.fileHandleForWriting.write(
            Data("{\"device\":\"d\",\"timestamp\":\"2026-05-01T10:00:00Z\",\"latitude\":52.5,\"longitude\":13.4}\n".utf8))
        // The first event is printed when the process holds the lock of the directory.
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
        guard SharedData.isAvailable(for: "odd recorded files"), let folder = SharedData.directory?.appending(path: "odd") else {
            return []
        }
        return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted()
    }()

    @Test("Real odd files give the fixes with time and place, and the others are named", arguments: odd)
    func oddFiles(_ name: String) throws {
        let shell = try Shell()
        let result = try shell.picket.run("feed", SharedData.file("odd/\(name)").path, "--json")
        let row = try #require(try SharedData.manifest()["odd/\(name)"])
        let summary = try #require(try JSONParser.parse(result.lines.last ?? "")["summary"])
        // No position is older than GPS: the clocks of these recorders had been reset.
        let isOfYear1901 = ["no_root_attributes.gpx", "no_xml_declaration.gpx"].contains(name)
        let timed = isOfYear1901 ? 0 : Double(row["timed"] ?? "") ?? 0
        #expect(summary["accepted"]?.double == timed)
        #expect(result.status == 0 || result.status == 1)
        // Everything that was not accepted was reported.
        if timed == 0 {
            #expect(result.status == 1 && (result.errors + result.output).contains("reason") || result.errors.contains("message"))
        }
    }
}

extension SharedData {
    /// The properties of each recorded file, by its path.
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
