import Foundation
import TestSupport
import Testing

@Suite("Time zones of commands")
struct TimeZoneCommandTests {
    private let directory: TemporaryDirectory
    private var picket: Program

    init() throws {
        directory = try TemporaryDirectory()
        picket = Program(data: directory.path + "/data")
        try picket.run("geofence", "add", "--id", "home", "--name", "Home", "--circle", "52.5,13.4,100")
        // The clocks of Berlin are set back on 25 October 2026, at 3 o'clock.
        let rows = [("00:10", 52.5), ("00:20", 52.6), ("01:10", 52.5), ("01:20", 52.6)].map {
            "anna,2026-10-25T\($0.0):00Z,\($0.1),13.4\n"
        }
        let file = try directory.write("device,timestamp,latitude,longitude\n" + rows.joined(), to: "positions.csv")
        #expect(try picket.run("feed", file, "--policy", "exact", "--quiet").status == 0)
    }

    @Test("An hour that is repeated is distinguished by its distance from UTC")
    func repeatedHour() throws {
        let lines = try picket.run("events", "--timezone", "Europe/Berlin").lines
        #expect(
            lines.map { $0.prefix(26) } == [
                "2026-10-25 02:10:00 +02:00", "2026-10-25 02:20:00 +02:00", "2026-10-25 02:10:00 +01:00",
                "2026-10-25 02:20:00 +01:00",
            ])
    }

    @Test("Both hours are between a repeated time as --since and as --until")
    func repeatedPeriod() throws {
        func count(_ since: String, _ until: String) throws -> Int {
            try picket.run("events", "--timezone", "Europe/Berlin", "--since", since, "--until", until, "--json").lines.count
        }
        #expect(try count("2026-10-25 02:10", "2026-10-25 02:20") == 3)
        #expect(try count("2026-10-25 02:10", "2026-10-25 02:21") == 4)
        #expect(try count("2026-10-25", "2026-10-25") == 4)
        #expect(try count("2026-10", "2026-10") == 4)
        #expect(try count("2026-10-25T00:20:00Z", "2026-10-25T01:20:00Z") == 2)
    }

    @Test("Every source of the zone is obeyed in text, and JSON stays in UTC")
    func sources() throws {
        var picket = picket
        func first(_ arguments: String...) throws -> String { try picket.run(arguments).lines.first ?? "" }
        #expect(try first("events").hasPrefix("2026-10-25 00:10:00Z  anna"))
        picket.environment["TZ"] = "America/New_York"
        #expect(try first("events").hasPrefix("2026-10-24 20:10:00 -04:00  anna"))
        try "timezone = Asia/Tokyo\n".write(toFile: picket.data + "/picket.conf", atomically: true, encoding: .utf8)
        #expect(try first("events").hasPrefix("2026-10-25 09:10:00 +09:00  anna"))
        picket.environment["PICKET_TIMEZONE"] = "Asia/Kathmandu"
        #expect(try first("events").hasPrefix("2026-10-25 05:55:00 +05:45  anna"))
        #expect(try first("events", "--timezone", "UTC").hasPrefix("2026-10-25 00:10:00Z  anna"))
        #expect(try first("--timezone", "UTC", "events").hasPrefix("2026-10-25 00:10:00Z  anna"))
        #expect(try first("events", "--json").contains(#""occurredAt":"2026-10-25T00:10:00.000Z""#))
        #expect(try first("status").contains("last position 2026-10-25 07:05:00 +05:45"))
        #expect(try picket.run("visits").lines[1].contains("2026-10-25 05:55:00 +05:45  2026-10-25 06:05:00 +05:45"))
        let explained = try picket.run("explain", "--device", "anna", "--geofence", "home", "--at", "2026-10-25 06:55")
        #expect(explained.lines.first?.contains("anna entered Home at 2026-10-25 06:55:00 +05:45") == true, "\(explained)")
        let json = try first("explain", "--device", "anna", "--geofence", "home", "--at", "2026-10-25 06:55", "--json")
        #expect(json.contains("entered Home at 2026-10-25 01:10:00Z"), "\(json)")
    }

    @Test("A zone that does not exist is refused, with the name of the option")
    func unknown() throws {
        let english = try picket.run("events", "--timezone", "Europe/Atlantis")
        #expect(english.status == 2 && english.errors.contains("--timezone 'Europe/Atlantis'"), "\(english.errors)")
        let turkish = try picket.run("events", "--timezone", "EST", "--language", "tr")
        #expect(turkish.status == 2 && turkish.errors.contains("--timezone 'EST'"), "\(turkish.errors)")
        #expect(english.errors.contains("Europe/Berlin") && turkish.errors.contains("Europe/Berlin"))
    }
}
