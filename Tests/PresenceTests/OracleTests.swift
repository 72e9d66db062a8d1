import Foundation
import Geodesy
import Model
import Places
import Presence
import Service
import ServiceTestSupport
import TestSupport
import Testing

/// A CSV file with a header line, without quotes.
struct SimpleCSV {
    let rows: [[String: String]]

    init(_ file: URL) throws {
        let lines = try String(contentsOf: file, encoding: .utf8).split(whereSeparator: \.isNewline)
        let names = lines[0].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        rows = lines.dropFirst().map { line in
            Dictionary(
                uniqueKeysWithValues: zip(names, line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)))
        }
    }
}

/// A run of the independent implementation on a recorded track.
struct OracleRun: CustomTestStringConvertible, Sendable {
    let name: String
    let track: URL
    let fences: URL
    let fixes: Int
    let isInOrder: Bool

    var testDescription: String { name }

    static let all: [OracleRun] = {
        guard SharedData.isAvailable(for: "recorded tracks with an independent oracle"),
            let index = try? SimpleCSV(SharedData.file("oracle/index.csv"))
        else { return [] }
        // The clock of one recorder had been reset to 1901, and no position is older than GPS.
        return index.rows.filter { $0["name"] != "gpx__mojstrovka_1901" }.map { row in
            OracleRun(
                name: row["name"] ?? "", track: SharedData.file(row["track"] ?? ""), fences: SharedData.file(row["fences"] ?? ""),
                fixes: Int(row["fixes"] ?? "") ?? -1, isInOrder: row["monotonic"] == "True")
        }
    }()

    /// The circles of the independent implementation.
    func geofences() throws -> [Geofence] {
        func circle(_ id: String, _ latitude: Double, _ longitude: Double, _ radius: Double) -> Geofence {
            Geofence(
                id: id, name: id,
                shape: .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius)))
        }
        if fences.pathExtension == "csv" {
            return try SimpleCSV(fences).rows.map { row in
                circle(row["id"]!, Double(row["lat"]!)!, Double(row["lon"]!)!, Double(row["radius_m"]!)!)
            }
        }
        let json = try JSONParser.parse(String(contentsOf: fences, encoding: .utf8))
        return try (json["features"]?.array ?? []).map { try Geofence(feature: $0) }
    }

    /// The expected events, in the order of the file, or by time where that differs.
    func expected() throws -> [String] {
        let folder = isInOrder ? "expected" : "expected_timeorder"
        return try jsonLines(SharedData.file("oracle/\(folder)/\(name).jsonl")).map { line in
            let time = Instant(line["time"]!.string!)!
            return "\(line["track"]!.string!) \(line["fence"]!.string!) \(line["event"]!.string!) \(time) "
                + (line["initial"]?.bool == true ? "initial" : "moved")
        }.sorted()
    }
}

extension Event {
    /// Whether the event is of a type that the independent implementations know; silence is not.
    fileprivate var isOfGeofence: Bool { geofenceId != nil }
}

@Suite("Recorded tracks against the oracle")
struct OracleTests {
    @Test("Policy exact gives the events of an independent oracle", arguments: OracleRun.all)
    func circles(_ run: OracleRun) throws {
        let bench = try Workbench()
        try bench.add(run.geofences())
        let events: [Event]
        let accepted: Int
        if run.isInOrder {
            let reported = try bench.feed([run.track.path])
            events = reported.events
            accepted = reported.summary.counts.accepted + reported.summary.counts.duplicates
            #expect(reported.problems.isEmpty)
        } else {
            // The fixes of one request are first sorted by time.
            let result = try bench.service.accept(Workbench.request(run.track.path), policy: .exact)
            events = result.events
            accepted = result.counts.accepted + result.counts.duplicates
        }
        #expect(accepted == run.fixes)
        let found = events.filter(\.isOfGeofence).map {
            "\($0.deviceId) \($0.geofenceId!) \($0.type) \($0.occurredAt) \($0.cause)"
        }.sorted()
        #expect(found == (try run.expected()))
        #expect(try bench.events().map(\.json) == events.map(\.json))
    }

    @Test("A track that is fed twice changes nothing the second time", arguments: OracleRun.all.filter(\.isInOrder).prefix(12))
    func twice(_ run: OracleRun) throws {
        let bench = try Workbench()
        try bench.add(run.geofences())
        let first = try bench.feed([run.track.path])
        let totals = try bench.service.totals()
        let again = try bench.feed([run.track.path])
        #expect(again.events.isEmpty)
        #expect(again.summary.counts.accepted == 0)
        #expect(again.summary.counts.duplicates == first.summary.counts.accepted + first.summary.counts.duplicates)
        #expect(try bench.service.totals().fixes == totals.fixes)
        #expect(try bench.events().map(\.json) == first.events.map(\.json))
    }

    private static let polygonRuns = [
        ("csv_ais_northsea_20221101__x__ne_countries_110m", "csv/ais_northsea_20221101.csv"),
        ("csv_hurdat2_storms__x__ne_countries_110m", "csv/hurdat2_storms.csv"),
        ("gpx_garmin_activity_sanjose__x__california_counties", "gpx/garmin_activity_sanjose.gpx"),
        ("gpx_sf_run_strava__x__sf_planning_neighborhoods", "gpx/sf_run_strava.gpx"),
        ("nmea_reno_tahoe_drive_2005__x__california_counties", "nmea/reno_tahoe_drive_2005.nmea"),
    ]

    @Test(
        "For polygons, the events agree with ray casting, apart from one meter around the edges",
        .enabled(if: SharedData.isAvailable(for: "recorded tracks among real polygons")), arguments: polygonRuns)
    func polygons(_ name: String, _ track: String) throws {
        let bench = try Workbench()
        let fences = name.components(separatedBy: "__x__")[1]
        let json = try JSONParser.parse(String(contentsOf: SharedData.file("fences/\(fences).geojson"), encoding: .utf8))
        // The independent implementation identifies polygons by number. Some outlines intersect themselves, and are repaired.
        let features = (json["features"]?.array ?? []).enumerated().map { number, feature in
            JSONValue.object((feature.members ?? []).filter { $0.name != "id" } + [.init("id", .string(String(number)))])
        }
        let collection = JSONValue.object([.init("type", "FeatureCollection"), .init("features", .array(features))])
        let file = try bench.directory.write(collection.description, to: "fences.geojson")
        let imported = try GeofenceFile.importing(file, into: bench.service, .init(repairs: true))
        #expect(imported.count == features.count)
        let reported = try bench.feed([SharedData.file(track).path])
        let found = Set(
            reported.events.filter(\.isOfGeofence).map { "\($0.deviceId) \($0.geofenceId!) \($0.type) \($0.occurredAt)" })
        var lenient: Set<String> = []
        var compared = 0
        for line in try jsonLines(SharedData.file("oracle/expected_poly/\(name).jsonl")) {
            let fence = line["feature_index"]!.description
            let event = "\(line["track"]!.string!) \(fence) \(line["event"]!.string!) \(Instant(line["time"]!.string!)!)"
            lenient.insert(event)
            // The independent implementation compares straight edges with geodesic ones. Where they differ, Picket follows GeoJSON and uses
            // straight edges.
            guard line["margin_m"]!.double! >= 1 else { continue }
            compared += 1
            #expect(found.contains(event), "missing: \(event)")
        }
        #expect(compared > 0)
        let surplus = found.subtracting(lenient)
        #expect(surplus.count <= lenient.count / 50, "not the oracle's: \(surplus.sorted().prefix(5))")
    }
}

@Suite("Sample tracks")
struct SampleDataTests {
    private static let folder = SharedData.checkout.appending(path: "data")
    private static let tracks: [String] =
        ((try? FileManager.default.contentsOfDirectory(atPath: folder.appending(path: "tracks").path)) ?? []).sorted()

    @Test("There are at least 30 sample tracks")
    func number() { #expect(Self.tracks.count >= 30) }

    @Test("Policy exact gives the events that the independent check expects", arguments: tracks)
    func expected(_ track: String) throws {
        let bench = try Workbench()
        let json = try JSONParser.parse(String(contentsOf: Self.folder.appending(path: "geofences.geojson"), encoding: .utf8))
        try bench.add((json["features"]?.array ?? []).map { try Geofence(feature: $0) })
        let devices = try JSONParser.parse(String(contentsOf: Self.folder.appending(path: "devices.json"), encoding: .utf8))
        for device in devices.array ?? [] {
            try bench.service.save(
                Device(id: device["id"]!.string!, groups: (device["groups"]?.array ?? []).compactMap(\.string)))
        }
        let request = try Workbench.request(Self.folder.appending(path: "tracks/\(track)").path)
        let result = try bench.service.accept(request, policy: .exact)
        let found = result.events.filter(\.isOfGeofence).map {
            "\($0.deviceId) \($0.geofenceId!) \($0.type) \($0.occurredAt) \($0.cause)"
        }
        let stem = (track as NSString).deletingPathExtension
        let lines = try jsonLines(Self.folder.appending(path: "expected/\(stem).jsonl"))
        let expected = lines.map {
            "\($0["deviceId"]!.string!) \($0["geofenceId"]!.string!) \($0["type"]!.string!) \($0["occurredAt"]!.string!) \($0["cause"]!.string!)"
        }
        #expect(found.sorted() == expected.sorted())
        #expect(!expected.isEmpty)
    }
}
