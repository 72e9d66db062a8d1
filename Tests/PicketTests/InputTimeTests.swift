import Foundation
import Model
import TestSupport
import Testing

@Suite("Times of input on the command line")
struct InputTimeTests {
    private static let local =
        "device,time,lat,lon\nbus,2026-05-04 08:00,48.2,16.37\nvan,2026-05-04 08:00,48.2,16.37\nvan,2026-05-04T07:00Z,48.2,16.37\n"

    @Test("Local times are read in the zone of the option, otherwise of the device, otherwise as UTC, with and without a service")
    func zones() throws {
        func check(_ shell: Shell) throws {
            let picket = shell.picket
            let file = try shell.file("local.csv", Self.local)
            let added = try picket.run("device", "add", "van", "--input-timezone", "Asia/Tokyo")
            #expect(added.status == 0)
            let text = try picket.run("feed", file, "--quiet").output
            #expect(
                text.contains(
                    "1 time had no time zone and was read as UTC. 1 time had no time zone and was read as Asia/Tokyo. "),
                "\(text)")
            let events = try picket.run("device", "export", "van", "-").output
            #expect(events.contains("2026-05-03T23:00:00.000Z") && events.contains("2026-05-04T07:00:00.000Z"))
            #expect(try picket.run("device", "export", "bus", "-").output.contains("2026-05-04T08:00:00.000Z"))
            let json = try picket.run("feed", file, "--device", "tram", "--input-timezone", "Europe/Vienna", "--json")
            let summary = try JSONParser.parse(json.lines.last ?? "")["summary"]
            #expect(summary?["timesWithoutZone"] == [["timeZone": "Europe/Vienna", "count": JSONValue(2)]])
            #expect(try picket.run("device", "export", "tram", "-").output.contains("2026-05-04T06:00:00.000Z"))
            #expect(try picket.run("device", "show", "van").output.contains("times without a time zone are read as Asia/Tokyo"))
            #expect(try picket.run("device", "edit", "van", "--input-timezone", "none").status == 0)
            #expect(try JSONParser.parse(picket.run("device", "show", "van", "--json").lines[0])["inputTimeZone"] == nil)
            let unknown = try picket.run("device", "edit", "van", "--input-timezone", "Wien")
            #expect(unknown.status == 2 && unknown.errors.contains("--input-timezone 'Wien'"), "\(unknown.errors)")
        }
        try check(Shell())
        try check(ServedShell().shell)
    }

    @Test("The summary does not mention zones when each time has one")
    func zoned() throws {
        let shell = try Shell()
        let file = try shell.file("zoned.csv", "device,time,lat,lon\nbus,2026-05-04T08:00Z,48.2,16.37\n")
        #expect(!(try shell.picket.run("feed", file).output.contains("zone")))
        let json = try shell.picket.run("feed", file, "--json")
        #expect(try JSONParser.parse(json.lines.last ?? "")["summary"]?["timesWithoutZone"] == nil)
        let unknown = try shell.picket.run("feed", file, "--input-timezone", "Mars/Base")
        #expect(unknown.status == 2 && unknown.errors.contains("--input-timezone 'Mars/Base'"))
    }

    @Test("A date with day and month as numbers needs their order")
    func dateOrder() throws {
        let shell = try Shell()
        let file = try shell.file("dates.csv", "device,time,lat,lon\nbus,06/01/2026 10:00Z,48.2,16.37\nbus,45809.5,48.2,16.37\n")
        let refused = try shell.picket.run("feed", file)
        #expect(
            refused.status == 1 && refused.errors.contains("time '06/01/2026 10:00Z'")
                && refused.errors.contains("--date-order dmy"))
        #expect(refused.errors.contains("time '45809.5'") && refused.errors.contains("day number for 2025-06-01 12:00:00"))
        let fed = try shell.picket.run("feed", file, "--date-order", "mdy")
        #expect(fed.output.contains("1 accepted, 1 refused"))
        #expect(try shell.picket.run("device", "export", "bus", "-").output.contains("2026-06-01T10:00:00.000Z"))
    }
}
