import Foundation
import Model
import Presence
import Service
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Devices that files name")
struct FileNamingTests {
    private static func track(_ latitude: Double, _ times: String..., name: String? = nil) -> String {
        let points = times.map { "<trkpt lat=\"\(latitude)\" lon=\"13.4\"><time>2026-05-0\($0):00Z</time></trkpt>" }
        return "<trk>\(name.map { "<name>\($0)</name>" } ?? "")<trkseg>\(points.joined())</trkseg></trk>"
    }

    private static func write(_ text: String, _ path: String, in bench: Workbench) throws -> String {
        let file = URL(filePath: bench.directory.path + "/tracks/" + path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data("<gpx>\(text)</gpx>".utf8).write(to: file)
        return file.path
    }

    /// The devices that files name, each with the number of its files and the first of them.
    private static func named(_ report: Workbench.FeedReport) -> [String] {
        report.summary.namedDevices.map { "\($0.id) \($0.files) \($0.firstFile)" }
    }

    @Test("Two people's files of the same day are two devices, even when one file is fed alone before")
    func people() throws {
        let bench = try Workbench()
        let alone = try Self.write(Self.track(52.5, "1T10:00", "1T10:10"), "anna/20260501.gpx", in: bench)
        _ = try Self.write(Self.track(48.2, "1T10:00", "1T10:10"), "ben/20260501.gpx", in: bench)
        _ = try Self.write(Self.track(48.2, "2T10:00", "2T10:10"), "ben/20260502.gpx", in: bench)
        let first = try bench.feed([alone])
        #expect(Self.named(first) == ["anna 1 \(alone)"])
        let folder = bench.directory.path + "/tracks"
        let report = try bench.feed([folder])
        #expect(report.refusals.isEmpty && report.summary.counts.duplicates == 2)
        #expect(Self.named(report) == ["anna 1 \(alone)", "ben 2 \(folder)/ben/20260501.gpx"])
        #expect(try bench.ids() == ["anna", "ben"])
        #expect(report.summary.json["summary"]?["devices"]?.array?.map { $0["device"]?.string } == ["anna", "ben"])
    }

    @Test("Folders of the same name are refused, and --device feeds them")
    func folders() throws {
        let bench = try Workbench()
        let one = try Self.write(Self.track(52.5, "1T10:00"), "a/gps/1.gpx", in: bench)
        let two = try Self.write(Self.track(48.2, "1T10:00"), "b/gps/1.gpx", in: bench)
        let report = try bench.feed([one, two])
        #expect(try bench.ids().isEmpty && report.summary.namedDevices.isEmpty)
        #expect(report.refusals.map(\.file) == [one, two] && report.refusals.allSatisfy { $0.field == "device" })
        #expect(
            report.refusals.allSatisfy {
                $0.reason.description.contains("same name") && $0.reason.description.contains("--device")
            })
        #expect(try bench.feed([one], device: "anna").summary.counts.accepted == 1)
        #expect(try bench.ids() == ["anna"])
    }

    @Test("Two people's tracks in one file are two devices by their names")
    func tracks() throws {
        let bench = try Workbench()
        let file = try Self.write(
            Self.track(52.5, "1T10:00", "1T11:00", name: "anna") + Self.track(48.2, "1T10:05", "1T11:05", name: "ben"), "two.gpx",
            in: bench)
        let report = try bench.feed([file])
        #expect(report.refusals.isEmpty && report.summary.counts.accepted == 4)
        #expect(try bench.ids() == ["anna", "ben"])
        #expect(report.summary.namedDevices.map(\.id) == ["anna", "ben"])
        // One person's runs stay one device.
        let runs = try Self.write(
            Self.track(52.5, "2T07:00", "2T08:00", name: "Morning run")
                + Self.track(52.5, "2T18:00", "2T19:00", name: "Evening run"),
            "cleo.gpx", in: bench)
        #expect(try bench.feed([runs]).summary.namedDevices.map(\.id) == ["cleo"])
    }

    @Test("Tracks that overlap and have no names, or equal ones, are not merged: all are refused, and --device feeds them")
    func contradictory() throws {
        let bench = try Workbench()
        for name in [nil, "run"] {
            let file = try Self.write(
                Self.track(52.5, "1T10:00", "1T11:00", name: name)
                    + Self.track(48.2, "1T09:00", "1T10:10", "1T11:05", name: name),
                "two.gpx", in: bench)
            let report = try bench.feed([file])
            #expect(report.summary.counts.accepted == 0 && report.refusals.count == 1)
            #expect(report.refusals.first?.reason.description.contains("track 2 overlaps in time with track 1") == true)
            #expect(report.refusals.first?.reason.description.contains("--device") == true)
            #expect(try bench.ids().isEmpty)
        }
        #expect(try bench.feed([bench.directory.path + "/tracks/two.gpx"], device: "x").summary.counts.accepted == 5)
        #expect(try bench.ids() == ["x"])
    }
}

extension Workbench {
    fileprivate func ids() throws -> [String] {
        try service.deviceStatuses(deviceId: nil, geofenceId: nil, counting: false).map(\.device.id).sorted()
    }
}
