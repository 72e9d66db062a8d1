import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("TCX decoder")
struct TCXFixDecoderTests {
    private static func point(_ second: Int, _ position: String) -> String {
        "<Trackpoint><Time>2026-05-01T10:00:0\(second).000Z</Time>\(position)<AltitudeMeters>34.5</AltitudeMeters>\n"
            + "<DistanceMeters>7</DistanceMeters><HeartRateBpm xsi:type=\"x\"><Value>61</Value></HeartRateBpm><Extensions>"
            + "<ns3:TPX xmlns:ns3=\"y\"><ns3:Speed>2.5</ns3:Speed><ns3:RunCadence>80</ns3:RunCadence></ns3:TPX></Extensions></Trackpoint>\n"
    }
    private static let berlin =
        "<Position><LatitudeDegrees> 52.5163</LatitudeDegrees><LongitudeDegrees>13.3777 </LongitudeDegrees></Position>"

    private func document(_ points: String, in element: String = "Activity") -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <TrainingCenterDatabase xmlns:xsi="z"><\(element) Sport="Biking"><Id>2026-05-01T10:00:00Z</Id><Lap StartTime="2026-05-01T10:00:00Z">
        <Track>
        \(points)</Track></Lap></\(element)></TrainingCenterDatabase>
        """
    }

    private func batch(_ text: String, device: String? = nil) throws -> FixBatch {
        var batch = FixBatch()
        var decoder = FixDecoder(source: "dir/ride.tcx", options: DecodingOptions(device: device))
        try Array(text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
        try decoder.finish(into: &batch)
        return batch
    }

    @Test("The points of an activity are positions of a device that is named after the file")
    func activity() throws {
        let text = document(Self.point(1, Self.berlin) + Self.point(2, Self.berlin.replacing("52", with: "-52")))
        let result = decode(text, source: "dir/ride.tcx")
        #expect(result.format == .tcx && result.refusals.isEmpty && result.problem == nil)
        #expect(result.rows.map(\.device) == ["ride", "ride"] && result.rows.map(\.line) == [4, 6])
        #expect(
            result.fixes.first
                == Fix(
                    time: Instant("2026-05-01T10:00:01Z")!, coordinate: Coordinate(latitude: 52.5163, longitude: 13.3777),
                    altitude: 34.5, speed: 2.5))
        #expect(result.fixes.last?.coordinate.latitude == -52.5163)
        #expect(result.rows.first?.attributes == #"{"DistanceMeters":"7","HeartRateBpm":"61","RunCadence":"80"}"#)
        expectSameForEveryChunking(Array(text.utf8), source: "x.tcx")
    }

    @Test("Points without a position are passed over, and reported once for the file")
    func pauses() throws {
        let batch = try batch(document(Self.point(1, "") + Self.point(2, Self.berlin) + Self.point(3, "") + Self.point(4, "")))
        #expect(batch.rows.count == 1 && batch.refusals.isEmpty && batch.remarks == [.pauses(3)])
        let good = try self.batch(document(Self.point(2, Self.berlin)))
        #expect(good.remarks.isEmpty)
    }

    @Test("A file without positions is reported with what it has")
    func nothing() throws {
        for (text, reason) in [
            (document(""), Phrase.noTCXPositions(0, 0)), (document(Self.point(1, "")), .noTCXPositions(1, 0)),
            (document(Self.point(1, Self.berlin) + Self.point(2, Self.berlin), in: "Course"), .noTCXPositions(0, 2)),
        ] {
            let batch = try batch(text)
            #expect(batch.rows.isEmpty && batch.remarks.isEmpty)
            #expect(batch.refusals.map(\.reason) == [.expecting(reason, .tcxTrack)])
        }
    }

    @Test("Points after a course are read")
    func afterCourse() throws {
        let course = "<Courses><Course><Track>\(Self.point(1, Self.berlin))</Track></Course></Courses>"
        let text = document(Self.point(2, Self.berlin)).replacing("<Activity", with: course + "<Activity")
        #expect(try batch(text).rows.map(\.fix.time.description) == ["2026-05-01T10:00:02.000Z"])
    }

    @Test(
        "A point that cannot be used is refused with line, element, value and reason",
        arguments: [
            ("52.5163", "91", "LatitudeDegrees", "91", "out of range"),
            ("13.3777", "east", "LongitudeDegrees", "east", "not a number"),
            ("2026", "x", "Time", "x-05-01T10:00:02.000Z", "not a valid time"),
            ("<LatitudeDegrees> 52.5163</LatitudeDegrees>", "", "LatitudeDegrees", "", "missing"),
            ("<Time>2026-05-01T10:00:02.000Z</Time>", "", "Time", "", "missing"),
        ])
    func refusals(old: String, new: String, field: String, value: String, reason: String) throws {
        let bad = Self.point(2, Self.berlin).replacing(old, with: new)
        let batch = try batch(document(Self.point(1, Self.berlin) + bad))
        let refusal = try #require(batch.refusals.first)
        #expect(batch.rows.count == 1 && batch.refusals.count == 1)
        #expect(
            refusal.line == 6 && refusal.field == field && refusal.value == value && refusal.reason.description.contains(reason))
    }

    @Test("A file that is cut off gives its positions, and is a problem", arguments: [1, 30, 200])
    func cutOff(rest: Int) {
        let result = decode(Array(document(Self.point(1, Self.berlin)).utf8.dropLast(rest)), source: "x")
        #expect(result.rows.count == (rest < 200 ? 1 : 0) && result.problem?.code == "decodingFailed")
    }

    @Test("A point is limited to 1 MB")
    func large() {
        let text = document(Self.point(1, "<Notes>\(String(repeating: "x", count: 1 << 20))</Notes>"))
        #expect(decode(text, source: "x").problem == .tooLarge(what: .line("x", 4), limit: .mebibytes(1)))
    }

    @Test("A track of GPX gives the same positions as TCX", .enabled(if: SharedData.isAvailable(for: "tracks as TCX")))
    func tracks() throws {
        let gpx = decode(try contents(of: SharedData.file("gpx/sf_run_strava.gpx")), source: "x")
        let points = gpx.fixes.map {
            "<Trackpoint><Time>\($0.time)</Time><Position><LatitudeDegrees>\($0.coordinate.latitude)</LatitudeDegrees><LongitudeDegrees>"
                + "\($0.coordinate.longitude)</LongitudeDegrees></Position></Trackpoint>"
        }
        let tcx = decode(document(points.joined()), source: "x")
        #expect(tcx.rows.count > 100 && tcx.fixes.map(\.coordinate) == gpx.fixes.map(\.coordinate))
        #expect(tcx.fixes.map(\.time) == gpx.fixes.map(\.time) && tcx.rows.map(\.device) == gpx.rows.map(\.device))
    }
}
