import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("KML decoder of positions")
struct KMLFixDecoderTests {
    private func document(_ placemarks: String) -> String {
        "<?xml version=\"1.0\"?>\n<kml xmlns:gx=\"http://www.google.com/kml/ext/2.2\"><Document>\n\(placemarks)\n</Document></kml>"
    }

    private func track(_ elements: String) -> String { document("<Placemark><gx:Track>\n\(elements)\n</gx:Track></Placemark>") }

    @Test("A track has a time for each place, with the data of its arrays")
    func tracks() {
        let result = decode(
            track(
                """
                <when>2026-05-01T10:00:00Z</when><when>2026-05-01T12:00:10+02:00</when>
                <gx:coord>13.4 52.5 34.5</gx:coord>
                <gx:coord> 13.5 52.6 </gx:coord>
                <ExtendedData><SchemaData schemaUrl="#s"><gx:SimpleArrayData name="accuracy"><gx:value>26.0</gx:value><gx:value>8</gx:value>
                </gx:SimpleArrayData><gx:SimpleArrayData name="bearing"><gx:value>187.0</gx:value><gx:value/></gx:SimpleArrayData>
                <gx:SimpleArrayData name="speed_kmh"><gx:value/><gx:value>36</gx:value></gx:SimpleArrayData>
                <gx:SimpleArrayData name="hr"><gx:value>80</gx:value></gx:SimpleArrayData></SchemaData></ExtendedData>
                """), source: "dir/walk.kml")
        #expect(result.problem == nil && result.refusals.isEmpty && result.format == .kml)
        let (first, second) = (Instant("2026-05-01T10:00:00Z")!, Instant("2026-05-01T10:00:10Z")!)
        #expect(
            result.rows == [
                .init(
                    device: "walk",
                    fix: Fix(
                        time: first, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 26, altitude: 34.5,
                        course: 187),
                    attributes: #"{"hr":"80"}"#, line: 5),
                .init(
                    device: "walk",
                    fix: Fix(time: second, coordinate: Coordinate(latitude: 52.6, longitude: 13.5), accuracy: 8, speed: 10),
                    attributes: nil, line: 6),
            ])
        expectSameForEveryChunking(Array(track("<when>2026-05-01T10:00:00Z</when><gx:coord>1 2</gx:coord>").utf8), source: "x")
    }

    @Test("Times and places of KML 2.3 may alternate, in several tracks")
    func severalTracks() {
        let one =
            "<Track><when>2026-05-01T10:00:00Z</when><coord>1 2</coord><when>2026-05-01T10:00:01Z</when><coord>3 4</coord></Track>"
        let result = decode(
            document("<Folder><Placemark><name>n</name><MultiTrack>\(one)\(one)</MultiTrack></Placemark></Folder>"))
        #expect(result.fixes.map(\.coordinate.longitude) == [1, 3, 1, 3] && result.refusals.isEmpty)
    }

    @Test("A point with a time stamp is a position, with the fields of its data")
    func points() {
        let result = decode(
            document(
                """
                <Placemark><TimeStamp><when>2026-05-01T10:00:00Z</when></TimeStamp><ExtendedData><Data name="device"><value>van</value></Data>
                <Data name="accuracy"><value>5</value></Data><Data name="fuel"><value>71</value></Data></ExtendedData>
                <Point><coordinates>13.4,52.5,34</coordinates></Point></Placemark>
                <Placemark><name>Start</name><Point><coordinates>13.4,52.5</coordinates></Point></Placemark>
                """))
        #expect(result.refusals.isEmpty && result.rows.map(\.device) == ["van"] && result.rows.map(\.line) == [5])
        #expect(result.fixes.first?.accuracy == 5 && result.fixes.first?.altitude == 34)
        #expect(result.rows.first?.attributes == #"{"fuel":"71"}"#)
    }

    @Test(
        "A position that cannot be used is refused with line, element, value and reason, and the others are decoded",
        arguments: [
            ("<when>yesterday</when>\n<coord>1 2</coord>", "when", "yesterday", 6, "not a valid time"),
            ("<when>2026-05-01T10:00:01Z</when>\n<coord>1,2</coord>", "coord", "1,2", 7, "not a number"),
            ("<when>2026-05-01T10:00:01Z</when>\n<coord>1 200</coord>", "coord", "1 200", 7, "out of range"),
            ("<when/>\n<coord>1 2</coord>", "when", "", 6, "--start and --interval"),
        ] as [(String, String, String, Int, String)])
    func refusals(elements: String, field: String, value: String, line: Int, reason: String) throws {
        let good = "<when>2026-05-01T10:00:00Z</when>\n<coord>1 2</coord>"
        let result = decode(track("\(good)\n\(elements)\n\(good)"), source: "x.kml")
        #expect(result.rows.map(\.line) == [5, 9])
        let refusal = try #require(result.refusals.first)
        #expect(result.refusals.count == 1 && refusal.file == "x.kml" && refusal.line == line)
        #expect(refusal.field == field && refusal.value == value)
        #expect(refusal.reason.description.contains(reason) && refusal.reason.description.contains("expected"))
    }

    @Test("A time without a place, and a place without a time, are refused")
    func unpaired() {
        let time = decode(track("<when>2026-05-01T10:00:00Z</when>\n<coord>1 2</coord>\n<when>2026-05-01T10:00:01Z</when>"))
        #expect(time.rows.count == 1 && time.refusals.map(\.field) == ["coord"] && time.refusals.map(\.line) == [6])
        let place = decode(track("<when>2026-05-01T10:00:00Z</when>\n<coord>1 2</coord>\n<coord>3 4</coord>"))
        #expect(place.rows.count == 1 && place.refusals.map(\.field) == ["when"] && place.refusals.map(\.line) == [6])
    }

    @Test("A place that is empty is a pause, which is passed over and reported once for the file")
    func pauses() {
        let pause = "<when>2026-05-01T10:00:01Z</when>\n<gx:coord/><when>2026-05-01T10:00:02Z</when>\n<gx:coord> </gx:coord>"
        let good = "<when>2026-05-01T10:00:03Z</when><gx:coord>1 2</gx:coord>"
        var batch = FixBatch()
        var decoder = FixDecoder(source: "x.kml")
        let text = track(pause + good + pause)
        #expect(throws: Never.self) {
            try Array(text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
            try decoder.finish(into: &batch)
        }
        #expect(batch.rows.map(\.fix.time.seconds) == [1_777_629_603] && batch.refusals.isEmpty && batch.remarks == [.pauses(4)])
        let nothing = decode(track(pause))
        #expect(nothing.rows.isEmpty && nothing.refusals.map(\.reason) == [.expecting(.noKMLPositions(0), .kmlTrack)])
    }

    @Test("A line has no times, but the options may give them")
    func lines() {
        let text = document("<Placemark>\n<LineString><coordinates>1,2,3\n4,5,6 north</coordinates></LineString></Placemark>")
        let refused = decode(text)
        #expect(refused.rows.isEmpty && refused.refusals.map(\.line) == [4] && refused.refusals.map(\.field) == ["LineString"])
        #expect(refused.refusals.first?.reason == .expecting(.lineWithoutTimes(3), .timeForEach))
        var options = DecodingOptions()
        options.start = Instant("2026-05-01T10:00:00Z")
        options.interval = 5
        let timed = decode(text, options: options)
        #expect(timed.fixes.map(\.time.seconds) == [1_777_629_600, 1_777_629_605] && timed.fixes.map(\.altitude) == [3, 6])
        #expect(timed.refusals.map(\.value) == ["north"])
    }

    @Test("A file without positions is reported with what it has")
    func nothing() {
        let point = "<Placemark><Point><coordinates>1,2</coordinates></Point></Placemark>"
        for (text, reason) in [
            ("", Phrase.noKMLPositions(0)), (point + point, .noKMLPositions(2)),
            ("<NetworkLink><Link><href>http://example.org/</href></Link></NetworkLink>", .linksOnly),
        ] {
            let result = decode(document(text), source: "x")
            #expect(result.problem == nil && result.rows.isEmpty)
            #expect(result.refusals.map(\.reason) == [.expecting(reason, .kmlTrack)])
        }
        #expect(decode("<kml><Document>", source: "x").problem == .decodingFailed(source: "x", line: 1, reason: .xmlCutOff))
    }

    @Test("A Placemark is limited to 16 MB, and its refusals to a hundred and their number")
    func limits() throws {
        let text = track(String(repeating: "<when>\(String(repeating: "x", count: 10_000))</when>", count: 1700))
        #expect(
            decode(Array(text.utf8), source: "x", chunks: [1 << 18]).problem
                == .tooLarge(what: .line("x", 3), limit: .mebibytes(16)))
        let bad = decode(track(String(repeating: "<when>x</when><coord>1 2</coord>\n", count: 500)), source: "x")
        #expect(bad.refusals.count == 101)
        #expect(bad.refusals.last?.reason == .expecting(.morePositionsRefused(400, 100), .positionsWithTimes))
    }
}
