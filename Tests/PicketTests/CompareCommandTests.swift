import Foundation
import FoundationXML
import Model
import TestSupport
import Testing
import ToolSupport

@testable import picket

@Suite("picket compare")
struct CompareCommandTests {
    private static let start = Instant("2026-05-04T06:00:00Z")!

    /// A drive past two geofences that are 2 km apart, with a position every 10 s.
    private static let track: String = {
        var lines = ["timestamp,latitude,longitude,accuracy"]
        for number in 0..<60 { lines.append("\(start + Double(number) * 10),\(52.5 + Double(number) * 0.001),13.4,5") }
        return lines.joined(separator: "\n") + "\n"
    }()

    private static let geofences = """
        {"type":"FeatureCollection","features":[
        {"type":"Feature","properties":{"id":"home","name":"Home & <garden>","radius":200},
        "geometry":{"type":"Point","coordinates":[13.4,52.51]}},
        {"type":"Feature","properties":{"id":"work","name":"Work","radius":200},
        "geometry":{"type":"Point","coordinates":[13.4,52.54]}}]}
        """

    private static func regions(_ seconds: Double, _ list: (id: String, latitude: Double)...) -> String {
        let regions = list.map { #"{"identifier":"\#($0.id)","latitude":\#($0.latitude),"longitude":13.4,"radius":200}"# }
        return #"{"at":"\#(start + seconds)","type":"regions","regions":[\#(regions.joined(separator: ","))]}"#
    }

    private static func line(_ type: String, _ id: String, _ seconds: Double) -> String {
        #"{"at":"\#(start + seconds)","type":"\#(type)","identifier":"\#(id)"}"#
    }

    /// The log of an app to which everything is reported: enters at 80 s and 380 s, exits 100 m past the boundary.
    private static func complete(_ prefix: String = "picket/") -> [String] {
        [
            regions(0, (prefix + "home", 52.51), (prefix + "work", 52.54)), line("enter", prefix + "home", 105),
            line("exit", prefix + "home", 155), line("enter", prefix + "work", 405), line("exit", prefix + "work", 460),
        ]
    }

    private static func run(_ log: [String], _ arguments: String..., snapshot: String? = nil) throws -> InProcessCommand.Result {
        let directory = try TemporaryDirectory()
        func write(_ text: String, _ name: String) throws -> String {
            let path = directory.path + "/" + name
            try text.write(toFile: path, atomically: true, encoding: .utf8)
            return path
        }
        var all = [
            "--track", try write(track, "track.csv"), "--geofences", try write(geofences, "places.geojson"), "--log",
            try write(log.joined(separator: "\n"), "app.ndjson"),
        ]
        if let snapshot { all += ["--snapshot", try write(snapshot, "snapshot.json")] }
        return try InProcessCommand().run(CompareCommand.command, all + arguments)
    }

    @Test("An app to which everything is reported is clean, regardless of the prefix of its identifiers")
    func clean() throws {
        for (prefix, options) in [("picket/", []), ("com.example.", ["--prefix", "com.example."]), ("", ["--prefix", ""])] {
            let result = try Self.run(Self.complete(prefix), options)
            #expect(result.status == .done, "\(result)")
            #expect(
                result.output.contains { $0.hasPrefix("4 reported") && $0.hasSuffix("0 missed, 0 false.") }, "\(result.output)")
        }
    }

    private static func run(_ log: [String], _ arguments: [String]) throws -> InProcessCommand.Result {
        switch arguments.count {
        case 2: try run(log, arguments[0], arguments[1])
        default: try run(log)
        }
    }

    @Test("What was missed or false is named with its reason, in every language")
    func faults() throws {
        var log = Self.complete()
        log[0] = Self.regions(0, ("picket/home", 52.51))
        log.removeSubrange(3...)
        let result = try Self.run(log)
        #expect(result.status == .needsAttention)
        #expect(
            result.output.contains {
                $0.contains("missed enter  Work  not registered: its region is not in the list of 2026-05-04 06:00:00Z")
            },
            "\(result.output)")
        let turkish = try Self.run(log, "--language", "tr")
        #expect(turkish.output.contains { $0.contains("kaçan giriş  Work  kayıtlı değil: bölgesi") }, "\(turkish.output)")
    }

    @Test("A line that cannot be used is named with file, line, field and remedy, and the rest counts")
    func refused() throws {
        let result = try Self.run(Self.complete() + [#"{"at":"2026-05-04T06:00:00Z","type":"arrive"}"#])
        #expect(result.status == .needsAttention)
        #expect(result.output.contains { $0.hasPrefix("4 reported") })
    }

    @Test("A snapshot of another app is refused with its identifiers, and one of the app explains a miss")
    func snapshot() throws {
        let log = [Self.line("enter", "picket/home", 105), Self.line("exit", "picket/home", 155)]
        func body(_ id: String) -> String {
            #"{"authorizationStatus":"always","regions":[{"identifier":"\#(id)","latitude":52.51,"longitude":13.4,"radius":200}]}"#
        }
        let own = try Self.run(log, snapshot: body("picket/home"))
        #expect(own.output.contains { $0.contains("Work  not registered: its region is not in the snapshot") }, "\(own.output)")
        let other = try Self.run(log, snapshot: body("com.other.sdk/1"))
        #expect(other.status == .needsAttention)
        #expect(!other.output.contains { $0.contains("snapshot") }, "\(other.output)")
    }

    @Test("The reports for machines and browsers are well-formed, self-contained, and say the same")
    func documents() throws {
        let directory = try TemporaryDirectory()
        let (junit, html) = (directory.path + "/out.xml", directory.path + "/out.html")
        var log = Self.complete()
        log.remove(at: 1)
        log.append(Self.line("enter", "picket/</script>&\\u0001", 300))
        let result = try Self.run(log, "--junit", junit, "--html", html, "--json")
        let json = try JSONParser.parse(try #require(result.output.first))
        #expect(json["missed"]?.double == 1 && json["false"]?.double == 1 && json["told"]?.double == 3, "\(json)")
        let xml = try XMLDocument(contentsOf: URL(filePath: junit))
        #expect(try xml.nodes(forXPath: "//testcase").count == 5)
        #expect(try xml.nodes(forXPath: "//testcase/failure").count == 2)
        #expect(try xml.nodes(forXPath: "/testsuites/testsuite[@tests='5' and @failures='2']").count == 1)
        let page = try String(contentsOfFile: html, encoding: .utf8)
        #expect(page.contains("Home &amp; &lt;garden&gt;") && page.contains("&lt;/script&gt;&amp;"))
        #expect(!page.contains("<script") && !page.contains("http://") && !page.contains("https://") && !page.contains("url("))
        #expect(page.contains("prefers-color-scheme: dark") && page.contains("width=device-width"))
    }

    @Test("Wrong usage names the option")
    func usage() throws {
        #expect(throws: Problem.self) {
            let result = try InProcessCommand().run(CompareCommand.command, "--track", "x")
            if let problem = result.problem { throw problem }
        }
        let skew = try Self.run(Self.complete(), "--clock-skew", "soon")
        guard case .validationFailed(field: "--clock-skew", _, _, _)? = skew.problem else {
            Issue.record("\(skew)")
            return
        }
    }
}
