import Geodesy
import Model
import Testing

@testable import Ingest

@Suite("NMEA 0183 decoder")
struct NMEAFixDecoderTests {
    /// A sentence with its checksum.
    private static func sentence(_ body: String) -> String {
        let sum = String(body.utf8.reduce(0, ^), radix: 16, uppercase: true)
        return "$\(body)*\(sum.count == 1 ? "0" : "")\(sum)"
    }
    private static func rmc(_ time: String, _ date: String = "010526", status: String = "A") -> String {
        sentence("GNRMC,\(time),\(status),5230.0000,N,01324.0000,E,10.0,90.5,\(date),,,A")
    }
    private static func gga(_ time: String, quality: Int = 1) -> String {
        sentence("GPGGA,\(time),5230.0000,N,01324.0000,E,\(quality),08,1.5,34.5,M,40.0,M,,")
    }

    private func decode(_ lines: [String]) -> Decoded {
        IngestTests.decode(lines.joined(separator: "\r\n") + "\r\n", source: "log/boat.nmea")
    }

    @Test("An RMC and a GGA sentence of the same time give one fix, in either order")
    func merging() {
        let expected = Fix(
            time: Instant("2026-05-01T10:00:00.500Z")!, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 7.5,
            altitude: 34.5, speed: 10 * 1852 / 3600, course: 90.5)
        for lines in [[Self.rmc("100000.5"), Self.gga("100000.50")], [Self.gga("100000.500"), Self.rmc("100000.5")]] {
            let result = decode(lines)
            #expect(result.format == .nmea && result.refusals.isEmpty)
            #expect(result.fixes == [expected])
            #expect(result.rows.map(\.device) == ["boat"])
        }
    }

    @Test("A GGA sentence of another time adds nothing")
    func otherTime() {
        let result = decode([Self.gga("095959"), Self.rmc("100000"), Self.gga("100001"), Self.rmc("100002"), Self.gga("100002")])
        #expect(result.fixes.map(\.altitude) == [nil, 34.5])
        #expect(result.rows.map(\.line) == [2, 4])
    }

    @Test(
        "Two-digit years up to 79 are in this century",
        arguments: [
            ("010579", 2079), ("010580", 1980), ("010599", 1999),
            ("010500", 2000), ("0105-1", 1999),
        ])
    func years(date: String, year: Int) {
        #expect(decode([Self.rmc("100000", date)]).fixes.map(\.time) == [Instant("\(year)-05-01T10:00:00Z")!])
    }

    @Test(
        "A damaged sentence is refused with its line",
        arguments: [
            ("$GPRMC,100000,A,5230.0000,N,01324.0000,E,10.0,90.5,010526,,,A*00", "its checksum 00 does not match"),
            ("$GPRMC,100000,A,5230.0000,N,01324.0000,E,10.0,90.5,010526,,,A", "no checksum"),
            ("$GPRMC,100000,A,5230.0000,N,01324.0000,E,10.0,90.5,010526,,,A*", "its checksum is empty"),
            (sentence("GPRMC,100000,A,5230.0000"), "it has 3 fields"),
            (sentence("GPRMC,100000,A,,N,01324.0000,E,10.0,90.5,010526,,,A"), "not an angle"),
            (sentence("GPRMC,100000,A,5230.0000,X,01324.0000,E,10.0,90.5,010526,,,A"), "not an angle"),
            (sentence("GPRMC,100000,A,9930.0000,N,01324.0000,E,10.0,90.5,010526,,,A"), "out of range"),
            (sentence("GPRMC,250000,A,5230.0000,N,01324.0000,E,10.0,90.5,010526,,,A"), "not a valid time"),
            (sentence("GPRMC,99999999999999999999999999,A,5230.0000,N,01324.0000,E,10.0,90.5,010526,,,A"), "not a valid time"),
            (sentence("GPRMC,1000-1,A,5230.0000,N,01324.0000,E,10.0,90.5,010526,,,A"), "not a valid time"),
            (sentence("GPRMC,100000,A,5230.0000,N,99999999999999999999.0,E,10.0,90.5,010526,,,A"), "not an angle"),
            (sentence("GPRMC,100000,A,5230.0000,N,01324.0000,E,10.0,90.5,310226,,,A"), "not a valid time"),
            (sentence("GPRMC,100000,A,5230.0000,N,01324.0000,E,10.0,90.5,,,,A"), "not a valid time"),
            (sentence("GPRMC,100000,A,0000.0000,N,00000.0000,E,10.0,90.5,010526,,,A"), "exactly 0"),
        ])
    func damaged(line: String, reason: String) {
        let result = decode([Self.rmc("095959"), line, Self.rmc("100001")])
        #expect(result.rows.map(\.line) == [1, 3])
        #expect(result.refusals.map(\.line) == [2])
        #expect(result.refusals.first?.reason.description.contains(reason) == true)
    }

    @Test("Void sentences are reported once, with their number")
    func void() {
        let result = decode([
            Self.gga("095959", quality: 0), Self.rmc("100000", status: "V"), Self.rmc("100001"), Self.rmc("100002", status: "V"),
        ])
        #expect(result.rows.count == 1 && result.refusals.count == 1)
        #expect(
            result.refusals.first?.reason.description.hasPrefix("3 sentences from here on are void") == true
                && result.refusals.first?.line == 1)
    }

    @Test("A file without RMC sentences has no date, and is reported once")
    func dateless() {
        let result = decode([Self.gga("100000"), Self.gga("100001")])
        #expect(result.rows.isEmpty && result.refusals.map(\.field) == ["GGA"])
    }

    @Test("Other sentences, comments and words of the logger are skipped")
    func others() {
        let result = decode([
            "# a comment, with $GPRMC in it", "*** started 10:00 ***", "$GPGSV,1,1,00*00", "!AIVDM,1,1,,A,x,0*00",
            "10:00:00 " + Self.rmc("100000"), "",
        ])
        #expect(result.rows.map(\.line) == [5] && result.refusals.isEmpty)
    }

    @Test("Lines without their beginning are reported once")
    func foreign() {
        let result = decode([Self.rmc("100000"), "PRMC,100000,A,5230", "0000,N,01324"])
        #expect(result.rows.count == 1 && result.refusals.map(\.line) == [2])
        #expect(result.refusals.first?.reason.description.hasPrefix("2 lines") == true)
    }

    @Test("Southern and western angles are negative")
    func hemispheres() {
        let line = Self.sentence("GPRMC,100000,A,3330.3000,S,07040.6000,W,,,010526,,,A")
        #expect(
            decode([line]).fixes.map(\.coordinate) == [Coordinate(latitude: -33.505, longitude: -(70 + (7040.6 - 7000) / 60))])
    }
}
