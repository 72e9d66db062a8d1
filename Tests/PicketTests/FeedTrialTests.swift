import Foundation
import Model
import TestSupport
import Testing

@Suite("Feed without storing")
struct FeedTrialTests {
    private static let track = """
        device,timestamp,latitude,longitude
        ben,2026-05-01T10:00:00Z,52.53,13.3777
        ben,2026-05-01T10:05:00Z,52.5163,13.3777

        """

    private static func events(_ result: Program.Result) throws -> [String] {
        try result.lines.map { try JSONParser.parse($0) }.compactMap { event in
            event["type"]?.string.map { "\($0) \(event["geofenceId"]?.string ?? "") \(event["occurredAt"]?.string ?? "")" }
        }
    }

    @Test(
        "A dry run reports the events that a feed makes, also of an empty store and of a service, and stores nothing",
        arguments: [false, true])
    func dryRun(isServed: Bool) throws {
        let directory = try TemporaryDirectory()
        let picket = Program(data: directory.path + "/data")
        let file = try directory.write(Self.track, to: "ben.csv")
        #expect(try Self.events(picket.run("feed", file, "--dry-run", "--json")).isEmpty)
        #expect(!FileManager.default.fileExists(atPath: picket.data + "/picket.sqlite"))
        try picket.run("geofence", "add", "--id", "home", "--circle", "52.5163,13.3777,100")
        let running = isServed ? try picket.start(["serve", "--json", "--listen", "127.0.0.1:0"]) : nil
        defer { running?.kill() }
        if let running { #expect(running.nextLine() != nil) }
        let tried = try picket.run("feed", file, "--dry-run", "--policy", "exact", "--json")
        let text = try picket.run("feed", file, "--dry-run", "--policy", #"{"confirmFixes":3}"#)
        #expect(text.status == 0 && text.lines.last == "Nothing was stored." && !text.output.contains("entered"))
        #expect(try picket.run("device", "list", "--json").lines.isEmpty)
        #expect(try picket.run("events", "--json").lines.isEmpty)
        let fed = try picket.run("feed", file, "--policy", "exact", "--json")
        let events = try Self.events(fed)
        #expect(try events == ["enter home 2026-05-01T10:05:00.000Z"] && Self.events(tried) == events)
    }
}
