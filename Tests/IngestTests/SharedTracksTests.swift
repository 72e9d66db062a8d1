import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

/// A row of a table in the shared test data.
struct Track: CustomTestStringConvertible, Sendable {
    var path: String
    var fixes: Int
    var devices = 0
    var untimed = 0
    var testDescription: String { path }

    static func rows(of table: String) -> [[String: String]] {
        guard let text = try? String(contentsOf: SharedData.file(table), encoding: .utf8) else { return [] }
        var lines = text.split(separator: "\n").map { TrackLine.fields(String($0)) }
        let header = lines.removeFirst()
        return lines.map { Dictionary(zip(header, $0), uniquingKeysWith: { first, _ in first }) }
    }

    /// All tracks that the oracle has read.
    static let all = rows(of: "oracle/index.csv").map {
        Track(path: $0["track"]!, fixes: Int($0["fixes"]!)!, devices: Int($0["tracks"]!)!, untimed: Int($0["skipped_no_time"]!)!)
    }.filter { !ofYear1901.contains($0.path) }

    /// Tracks of recorders whose clock had been reset. No position is older than GPS, so they have none.
    static let ofYear1901: Set = ["gpx/mojstrovka_1901.gpx", "odd/no_root_attributes.gpx", "odd/no_xml_declaration.gpx"]

    /// All tracks with a known number of points with times.
    static let known = rows(of: "manifest.csv").filter { row in
        let isTrack = ["GPX", "CSV", "NMEA", "OwnTracks"].contains { row["format"]!.hasPrefix($0) }
        return isTrack && row["timed"] != ""
    }.map { Track(path: $0["file"]!, fixes: ofYear1901.contains($0["file"]!) ? 0 : Int($0["timed"]!)!) }
}

/// Splits a line of CSV, independent of the code under test.
enum TrackLine {
    static func fields(_ line: String) -> [String] {
        var fields = [""]
        var isQuoted = false
        for character in line {
            if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                fields.append("")
            } else {
                fields[fields.count - 1].append(character)
            }
        }
        return fields
    }
}

@Suite("Recorded tracks", .enabled(if: SharedData.isAvailable(for: "decoding of recorded tracks")))
struct SharedTracksTests {
    @Test("A track gives as many fixes and devices as the reference counts", arguments: Track.all)
    func oracle(track: Track) throws {
        let result = decode(try contents(of: SharedData.file(track.path)), source: track.path, chunks: [65_536])
        #expect(result.problem == nil)
        #expect(result.rows.count == track.fixes)
        #expect(Set(result.rows.map(\.device)).count == track.devices)
        #expect(result.refusals.count { $0.field == "time" } == track.untimed)
    }

    @Test("A file gives as many fixes as it has points with times", arguments: Track.known)
    func manifest(track: Track) throws {
        let result = decode(try contents(of: SharedData.file(track.path)), source: track.path, chunks: [65_536])
        #expect(result.rows.count == track.fixes)
    }

    @Test(
        "The result does not depend on how the file is split",
        arguments: [
            "gpx/traunsee_oregon600_short.gpx", "gpx/savannah_apple_watch.gpx",
            "nmea/gpsd_triton400.nmea", "nmea/gpsd_nmea-fuzzy-cases.nmea", "nmea/gpsd_firefly-II.nmea",
            "nmea/gpsd_tn200-all.nmea",
            "csv/zurich_phone_accuracy.csv", "odd/opentracks_pause_resume.gpx", "odd/truncated.gpx",
            "odd/owntracks_ios_Location.gpx",
            "owntracks/traccar_owntracks_http_bodies.jsonl", "fences/limerick_stops_304.geojson",
            "odd/tsinghua_projected.geojson",
        ])
    func chunking(path: String) throws {
        expectSameForEveryChunking(try contents(of: SharedData.file(path)), source: path)
    }

    @Test(
        "RMC sentences give the times and coordinates of the reference rule",
        arguments: Track.all.filter { $0.path.hasPrefix("nmea/") })
    func nmea(track: Track) throws {
        let bytes = try contents(of: SharedData.file(track.path))
        let expected = bytes.split(separator: 0x0A).compactMap { RMCRule.fix(String(decoding: $0, as: UTF8.self)) }
        let fixes = decode(bytes, source: track.path).fixes
        #expect(fixes.map(\.time) == expected.map(\.time))
        #expect(fixes.map(\.coordinate) == expected.map(\.coordinate))
    }

    @Test(
        "Invalid points are refused by name",
        arguments: [
            ("odd/opentracks_pause_resume.gpx", ["lat", "lat"], ["100", "200"]),
            ("odd/latlon_missing.gpx", ["lat"], [""]),
            ("odd/owntracks_ios_Location.gpx", ["trkpt"], [""]),
            ("odd/bom_noencoding.gpx", ["trkpt"], [""]),
            ("odd/empty_trkseg.gpx", ["trkpt"], [""]),
            ("odd/dilution_errors.gpx", ["time"], [""]),
            ("odd/small_floats.gpx", ["time", "time", "time"], ["", "", ""]),
        ])
    func odd(path: String, fields: [String], values: [String]) throws {
        let result = decode(try contents(of: SharedData.file(path)), source: path)
        #expect(result.problem == nil)
        #expect(result.refusals.map(\.field) == fields && result.refusals.map(\.value) == values)
        #expect(result.refusals.allSatisfy { $0.file == path })
    }

    @Test("A file that is cut off is reported with the line")
    func truncated() throws {
        let result = decode(try contents(of: SharedData.file("odd/truncated.gpx")), source: "truncated.gpx")
        #expect(
            result.problem
                == .decodingFailed(
                    source: "truncated.gpx", line: 58, reason: .xmlCutOff))
    }

    @Test("A GeoJSON file in projected meters is refused with its reference system")
    func projected() throws {
        let result = decode(try contents(of: SharedData.file("odd/tsinghua_projected.geojson")), source: "x.geojson")
        #expect(
            result.problem
                == .decodingFailed(
                    source: "x.geojson", line: 3, reason: .expecting(.otherReferenceSystem("urn:ogc:def:crs:EPSG::32649"), .wgs84)
                ))
    }

    @Test("An OwnTracks recording gives the same fixes as the track that it was made from")
    func recording() throws {
        let track = decode(try contents(of: SharedData.file("gpx/bike_routeA_MotoG3.gpx")), source: "bike.gpx")
        let recording = decode(try contents(of: SharedData.file("derived/bike_routeA_MotoG3.rec")), source: "bike.rec")
        #expect(recording.format == .ownTracksRec && recording.refusals.isEmpty)
        #expect(recording.fixes.map(\.coordinate) == track.fixes.map(\.coordinate))
        #expect(recording.fixes.map(\.time) == track.fixes.map(\.time))
        #expect(Set(recording.rows.map(\.device)) == ["motog3/phone"])
        #expect(track.fixes.first?.accuracy == 15 && recording.fixes.first?.accuracy == 15)
    }

    @Test("Messages of the OwnTracks app, one a line, are decoded")
    func ownTracksMessages() throws {
        let result = decode(try contents(of: SharedData.file("owntracks/traccar_owntracks_http_bodies.jsonl")), source: "x")
        #expect(result.format == .ndjson && result.refusals.isEmpty)
        #expect(
            result.rows.map(\.device)
                == [nil, nil, nil, nil, "ckrey/22A67880-15C3-41A6-9157-25545C7993AC", "qtripp/865284041968706"])
        #expect(result.fixes[2].speed == 61 / 3.6 && result.fixes[2].course == 271 && result.fixes[2].battery == 0.67)
    }

    @Test("Accuracy, speed and course of Apple devices are decoded")
    func apple() throws {
        let fix = decode(try contents(of: SharedData.file("gpx/savannah_apple_watch.gpx")), source: "x.gpx").rows[0]
        #expect(fix.fix.accuracy == 1.801682 && fix.fix.speed == 1.310662 && fix.fix.course == 101.747269)
        #expect(fix.attributes == #"{"vAcc":"1.189247"}"#)
    }
}

/// The oracle's rule for RMC: status A and a correct checksum.
private enum RMCRule {
    static func fix(_ line: String) -> Fix? {
        guard !line.hasPrefix("#"), let dollar = line.firstIndex(of: "$") else { return nil }
        let parts = line[line.index(after: dollar)...].split(separator: "*", omittingEmptySubsequences: false)
        guard parts.count == 2, let written = UInt8(parts[1].trimmingCharacters(in: .whitespacesAndNewlines), radix: 16),
            parts[0].utf8.reduce(0, ^) == written
        else { return nil }
        let fields = parts[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        guard fields.count >= 10, fields[0].hasSuffix("RMC"), fields[2] == "A" else { return nil }
        func degrees(_ text: String, _ side: String) -> Double {
            let value = Double(text)!
            let whole = Double(Int(value / 100))
            let angle = whole + (value - 100 * whole) / 60
            return side == "S" || side == "W" ? -angle : angle
        }
        let date = Array(fields[9])
        let short = Int(String(date[4...5]))!
        let time = Array(fields[1])
        let moment =
            "\(short >= 80 ? 1900 + short : 2000 + short)-\(String(date[2...3]))-\(String(date[0...1]))T"
            + "\(String(time[0...1])):\(String(time[2...3])):\(String(time[4...]))Z"
        return Fix(
            time: Instant(moment)!,
            coordinate: .init(latitude: degrees(fields[3], fields[4]), longitude: degrees(fields[5], fields[6])))
    }
}
