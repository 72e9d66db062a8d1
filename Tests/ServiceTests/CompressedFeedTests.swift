import Foundation
import Model
import ServiceTestSupport
import TestSupport
import Testing

@testable import Presence
@testable import Service

@Suite("Feeding compressed files and exports")
struct CompressedFeedTests {
    private let bench: Workbench

    init() throws { bench = try Workbench.withHome() }

    /// A file with positions of one device every second, inside the geofence for ten seconds of every minute.
    private func positions(_ count: Int) -> String {
        let start = Instant("2026-05-01T10:00:00Z")!.seconds
        return "timestamp,latitude,longitude\n"
            + (0..<count).map { "\(Int(start) + $0),\($0 % 60 < 10 ? "52.5163" : "52.6"),13.3777\n" }.joined()
    }

    private func gzip(_ text: String, _ name: String) throws -> String? {
        guard let tool = Tool("gzip") else {
            Tool.skipped("feeding of compressed files", without: "gzip")
            return nil
        }
        let plain = try bench.directory.write(text, to: name)
        #expect(try tool.run(["-k", "-f", plain]).status == 0)
        return plain + ".gz"
    }

    @Test("The tracks of a compressed GPX file are of the same devices as those of the file itself")
    func tracks() throws {
        let tracks = [("anna", 10), ("ben", 48)].map { name, latitude in
            let points = [0, 3600].map { seconds in
                "<trkpt lat=\"\(latitude)\" lon=\"13.4\"><time>\(1_777_629_600 + seconds)</time></trkpt>"
            }
            return "<trk><name>\(name)</name><trkseg>\(points.joined())</trkseg></trk>"
        }
        guard let packed = try gzip("<gpx>\(tracks.joined())</gpx>", "two.gpx") else { return }
        let report = try bench.feed([packed])
        #expect(report.refusals.isEmpty && report.summary.namedDevices.map(\.id) == ["anna", "ben"])
    }

    @Test("A compressed file gives the same events as the file itself, and its device has the name of the file")
    func same() throws {
        guard let packed = try gzip(positions(30_000), "van.csv") else { return }
        let first = try bench.feed([packed])
        #expect(first.summary.counts.accepted == 30_000 && first.events.count == 1000 && first.problems.isEmpty)
        #expect(Set(first.events.map(\.deviceId)) == ["van"])
        let again = try bench.feed([String(packed.dropLast(3))])
        #expect(again.summary.counts.duplicates == 30_000 && again.events.isEmpty)
    }

    @Test("A compressed file that is cut off gives its positions, and is a problem", arguments: [1, 5000])
    func cutOff(rest: Int) throws {
        guard let packed = try gzip(positions(30_000), "van.csv") else { return }
        let url = URL(filePath: packed)
        try Data(contentsOf: url).dropLast(rest).write(to: url)
        let report = try bench.feed([packed])
        #expect(report.problems == [.decodingFailed(source: .verbatim(packed), line: nil, reason: .gzipCutOff)])
        #expect(report.summary.counts.accepted >= 20_000 && report.summary.counts.refused == 0)
    }

    @Test("Positions of several phones in an export become several devices, or one with a remark")
    func phones() throws {
        let text =
            #"{"locations":[{"timestampMs":"1777629600000","latitudeE7":525163000,"longitudeE7":133777000,"deviceTag":1},"#
            + #"{"timestampMs":"1777629601000","latitudeE7":525163000,"longitudeE7":133777000,"deviceTag":-2}]}"#
        let path = try bench.directory.write(text, to: "Records.json")
        // Such files have the same name in every export, so the folder names the devices.
        let folder = URL(filePath: path).deletingLastPathComponent().lastPathComponent
        let apart = try bench.feed([path])
        #expect(Set(apart.events.map(\.deviceId)) == ["\(folder)-1", "\(folder)--2"] && apart.remarks.isEmpty)
        let together = try bench.feed([path], device: "ana")
        #expect(Set(together.events.map(\.deviceId)) == ["ana"] && together.remarks == [.severalPhones(["-2", "1"], "ana")])
    }

    @Test("The stays of a Google Timeline give visits")
    func timeline() throws {
        let text = """
            {"semanticSegments":[
            {"startTime":"2026-05-01T08:00:00.000+02:00","endTime":"2026-05-01T09:00:00.000+02:00","visit":{"topCandidate":{"placeLocation":
            {"latLng":"52.6163000°, 13.3777000°"}}}},
            {"startTime":"2026-05-01T10:00:00.000+02:00","endTime":"2026-05-01T12:00:00.000+02:00","timelinePath":[
            {"point":"52.5300°, 13.3777°","time":"2026-05-01T10:01:00.000+02:00"},{"point":"52.5163°, 13.3777°","time":"2026-05-01T10:30:00.000+02:00"}]},
            {"startTime":"2026-05-01T10:40:00.000+02:00","endTime":"2026-05-01T12:00:00.000+02:00","visit":{"topCandidate":{"placeLocation":
            {"latLng":"52.5164000°, 13.3777000°"}}}},
            {"startTime":"2026-05-01T12:00:00.000+02:00","endTime":"2026-05-01T12:30:00.000+02:00","activity":{"start":
            {"latLng":"52.5300°, 13.3777°"},"end":{"latLng":"52.6163°, 13.3777°"}}}],"rawSignals":[],"userLocationProfile":{}}
            """
        let report = try bench.feed([bench.directory.write(text, to: "ana.json")])
        #expect(report.refusals.isEmpty && report.problems.isEmpty)
        #expect(
            report.events.map { "\($0.type) \($0.deviceId) \($0.occurredAt)" } == [
                "enter ana 2026-05-01T08:30:00.000Z", "exit ana 2026-05-01T10:00:00.000Z",
            ])
    }
}
