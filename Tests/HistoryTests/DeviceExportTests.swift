import Core
import Foundation
import Geodesy
import Ingest
import Model
import Places
import Presence
import Service
import ServiceTestSupport
import TestSupport
import Testing

@testable import History

@Suite("Exported positions")
struct DeviceExportTests {
    private let bench: Workbench
    private let again: Workbench

    init() throws {
        bench = try Workbench()
        again = try Workbench()
    }

    /// Positions with every field, with attributes, marked as invalid, late, without accuracy, and at the same time.
    private static let positions = """
        device,timestamp,latitude,longitude,accuracy,altitude,speed,course,battery,valid,hdop,note
        van 7,2026-05-01T10:00:00Z,52.51630001,13.37770002,8.25,34.5,12.125,90,0.8,,,"a ""b"", c"
        van 7,2026-05-01T10:00:10.123Z,-0.000001,-179.999999,,,,,,1,1.5,ü
        van 7,2026-05-01T10:00:20Z,52.5,13.4,3,,,,,0,,
        van 7,2026-05-01T10:00:30Z,52.6,13.5,,,,,,,,
        other,2026-05-01T10:00:30Z,1,2,3,,,,,,,
        van 7,2026-05-01T09:00:00Z,52.7,13.6,4,,,,,,,late

        """

    private func file(_ name: String, _ text: String) throws -> String {
        let path = bench.directory.path + "/" + name
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// The positions of a device, without whether they were late, which depends on the order of arrival.
    private func track(_ bench: Workbench, _ id: String = "van 7") throws -> [JSONValue] {
        try bench.service.track(of: id, since: nil, until: nil, after: nil, limit: 1000).items.map { point in
            .object((point.json.members ?? []).filter { $0.name != "late" })
        }
    }

    @Test("What 'device export' has written gives the same positions when it is fed")
    func roundTrip() throws {
        try bench.feed([try file("in.csv", Self.positions)])
        try bench.feed([try file("late.csv", "device,timestamp,latitude,longitude\nvan 7,2026-05-01T09:30:00Z,52.8,13.7\n")])
        let path = bench.directory.path + "/van.ndjson"
        try bench.service.exportDevice(id: "van 7", to: path)
        let report = try again.feed([path])
        #expect(report.refusals.isEmpty && report.problems.isEmpty && report.summary.counts.accepted == 6)
        let expected = try track(bench)
        #expect(try expected.count == 6 && track(again) == expected)
        #expect(try again.service.devices().map(\.id) == ["van 7"])
        #expect(try again.feed([path]).summary.counts.duplicates == 6)
        // The export of the copy has the same positions, too.
        let copy = bench.directory.path + "/copy.ndjson"
        try again.service.exportDevice(id: "van 7", to: copy)
        #expect(try bench.feed([copy]).summary.counts.accepted == 0)
    }

    @Test("What 'device export' has written gives the same events in an empty store, with the geofences made before or after")
    func events() throws {
        try bench.add([home])
        try bench.feed([try file("in.csv", Self.drive)])
        try bench.feed(
            [try file("late.csv", "device,timestamp,latitude,longitude\nvan,2026-05-01T10:05:00Z,52.5,13.4\n")])
        _ = try bench.service.replayLate(all: true) { _ in }
        let path = bench.directory.path + "/van.ndjson"
        try bench.service.exportDevice(id: "van", to: path)
        let expected = try story(bench)
        #expect(expected.count == 6, "\(expected)")

        try again.add([home])
        try again.feed([path])
        #expect(try story(again) == expected)

        let archive = try Workbench()
        try archive.feed([path])
        try archive.add([home])
        #expect(try story(archive).isEmpty)
        _ = try archive.service.correctPast(PastCorrection())
        #expect(try story(archive) == expected)
        #expect(try track(archive, "van") == track(bench, "van"))
    }

    @Test("The export names the tokens that are restricted to the device, including revoked ones")
    func tokens() throws {
        try bench.feed([try file("in.csv", Self.positions)])
        let service = bench.service
        _ = try service.createToken(name: "all devices", role: .ingest)
        _ = try service.createToken(name: "another", role: .ingest, scope: DeviceScope(devices: ["other"]))
        _ = try service.createToken(name: "own", role: .ingest, scope: DeviceScope(devices: ["van 7"]), lifetime: 60)
        _ = try service.createToken(name: "both", role: .reader, scope: DeviceScope(devices: ["other", "van 7"]))
        let revoked = try service.createToken(name: "revoked", role: .ingest, scope: DeviceScope(devices: ["van 7"]))
        try service.revokeToken(id: revoked.token.id)
        let path = bench.directory.path + "/van.ndjson"
        try service.exportDevice(id: "van 7", to: path)
        let found = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").compactMap { line in
            try JSONParser.parse(String(line))["token"]
        }
        let words = found.map { [$0["name"]?.string, $0["role"]?.string, $0["expiresAt"] == nil ? "" : "expires"] }
        #expect(Set(words) == [["own", "ingest", "expires"], ["both", "reader", ""], ["revoked", "ingest", ""]])
    }

    private let home = Geofence(
        id: "home", name: "Home", shape: .circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)))

    /// Positions every minute, of which each third ten are in a geofence.
    private static let drive =
        "device,timestamp,latitude,longitude\n"
        + (0..<60).filter { $0 != 5 }.map { minute in
            "van,\(Instant("2026-05-01T10:00:00Z")! + Double(minute) * 60),\(minute / 10 % 3 == 1 ? 52.5 : 52.6),13.4\n"
        }.joined()

    /// The events that are not retracted, in order of time.
    private func story(_ bench: Workbench) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var found: [(Instant, String)] = []
        try bench.service.forEachEvent(filter) { event in
            found.append(
                (event.occurredAt, "\(event.type) \(event.geofenceId ?? "-") \(event.occurredAt) \(event.confirmedAt)"))
        }
        return found.sorted { $0 < $1 }.map(\.1)
    }

    @Test("A track that was written as GPX gives the same positions when it is fed, apart from the battery and attributes")
    func gpx() throws {
        try bench.feed([try file("in.csv", Self.positions)])
        let points = try bench.service.track(of: "van 7", since: nil, until: nil, after: nil, limit: 1000).items
        let path = try file("van.gpx", GPXEncoder.track(name: "van 7", points.map(\.fix)))
        #expect(try again.feed([path], device: "van 7").refusals.isEmpty)
        let gone: Set = ["late", "valid", "battery", "attributes"]
        func fields(_ track: [JSONValue]) -> [JSONValue] {
            track.map { .object(($0.members ?? []).filter { !gone.contains($0.name) }) }
        }
        #expect(try fields(track(again)) == fields(track(bench)))
    }
}
