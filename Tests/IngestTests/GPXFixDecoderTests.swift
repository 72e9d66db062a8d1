import Geodesy
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("GPX decoder")
struct GPXFixDecoderTests {
    private func track(_ points: String, root: String = "gpx") -> String {
        "<?xml version=\"1.0\"?>\n<\(root) version=\"1.1\"><trk><trkseg>\n\(points)\n</trkseg></trk></\(root)>"
    }

    @Test("The fields of a point are decoded, and all others are kept as attributes")
    func fields() {
        let result = decode(
            track(
                """
                <trkpt lat="52.5" lon=" 13.4 "><ele>34.5</ele><time> 2026-05-01T10:00:00Z </time><hdop>1.5</hdop><sat>7</sat>
                <speed>2.5</speed><course>90</course><extensions><g:TrackPointExtension><g:hr>80</g:hr></g:TrackPointExtension>
                <e:gps speed="3"/></extensions><desc><![CDATA[a <b> & "c"]]></desc></trkpt>
                """), source: "dir/walk.gpx")
        #expect(result.problem == nil && result.refusals.isEmpty)
        #expect(result.format == .gpx)
        let fix = Fix(
            time: Instant("2026-05-01T10:00:00Z")!, coordinate: Coordinate(latitude: 52.5, longitude: 13.4), accuracy: 7.5,
            altitude: 34.5, speed: 2.5, course: 90)
        let attributes = #"{"sat":"7","hr":"80","gps.speed":"3","desc":"a <b> & \"c\""}"#
        #expect(result.rows == [.init(device: "walk", fix: fix, attributes: attributes, line: 3)])
    }

    @Test("Namespace prefixes of elements do not matter")
    func prefixes() {
        let text = """
            <x:gpx xmlns:x="http://www.topografix.com/GPX/1/1"><x:trk><x:trkseg><x:trkpt lat="1" lon="2"><x:time>2026-05-01T10:00:00Z</x:time>
            </x:trkpt></x:trkseg></x:trk></x:gpx>
            """
        #expect(decode(text).rows.count == 1)
    }

    @Test("An invalid dilution costs the accuracy, not the fix", arguments: ["bad", "-1", "", "nan"])
    func dilution(text: String) {
        let result = decode(
            track("<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time><hdop>\(text)</hdop></trkpt>"))
        #expect(result.fixes.map(\.accuracy) == [nil] && result.refusals.isEmpty)
    }

    @Test(
        "An invalid point is refused with line, name, value and reason",
        arguments: [
            ("<trkpt lat=\"100\" lon=\"0\"><time>2026-05-01T10:00:00Z</time></trkpt>", "lat", "100", "out of range"),
            ("<trkpt lon=\"0\"><time>2026-05-01T10:00:00Z</time></trkpt>", "lat", "", "missing"),
            ("<trkpt lat=\"1\" lon=\"east\"><time>2026-05-01T10:00:00Z</time></trkpt>", "lon", "east", "not a number"),
            ("<trkpt lat=\"1\" lon=\"2\"><time>yesterday</time></trkpt>", "time", "yesterday", "not a valid time"),
            ("<trkpt lat=\"1\" lon=\"2\"></trkpt>", "time", "", "--start and --interval"),
            ("<trkpt lat=\"0\" lon=\"0\"><time>2026-05-01T10:00:00Z</time></trkpt>", "lat", "0", "exactly 0"),
        ])
    func refusals(point: String, field: String, value: String, reason: String) throws {
        let good = "<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt>"
        let result = decode(track("\(good)\n\(point)\n\(good)"))
        #expect(result.rows.map(\.line) == [3, 5])
        let refusal = try #require(result.refusals.first)
        #expect(
            refusal.line == 4 && refusal.field == field && refusal.value == value && refusal.reason.description.contains(reason))
    }

    @Test("Points without times get the times of the options")
    func synthesizedTimes() {
        var options = DecodingOptions()
        options.start = Instant("2026-05-01T10:00:00Z")
        options.interval = 5
        let point = "<trkpt lat=\"1\" lon=\"2\"/>"
        let result = decode(track(point + point + point), options: options)
        #expect(result.fixes.map { $0.time - options.start! } == [0, 5, 10])
    }

    @Test("A truncated file gives the fixes before its end")
    func truncated() {
        let good = "<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt>\n"
        let text = "<gpx><trk><trkseg>\n\(good)\(good)<trkpt lat=\"1\" lo"
        for chunks in [nil, [1], [50]] {
            let result = decode(text, chunks: chunks)
            #expect(result.rows.count == 2)
            #expect(
                result.problem
                    == .decodingFailed(
                        source: "track.csv", line: 4, reason: .xmlCutOff))
        }
    }

    @Test("XML that is not well-formed is reported with its line, after the fixes before it")
    func notWellFormed() {
        let good = "<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt>\n"
        let result = decode("<gpx><trk><trkseg>\n\(good)</trk></gpx>")
        #expect(result.rows.count == 1)
        guard case .decodingFailed(_, 3, let reason)? = result.problem else {
            Issue.record("\(String(describing: result.problem))")
            return
        }
        #expect(reason.description.contains("not well-formed"))
    }

    @Test("After a problem, the decoder ignores further input and reports the problem once")
    func afterProblem() throws {
        var decoder = FixDecoder(source: "x")
        var batch = FixBatch()
        let good = "<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt>"
        func feed(_ text: String) throws {
            try Array(text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
        }
        #expect(throws: Problem.self) { try feed("<gpx><trk>\(good)</gpx>") }
        try feed(good)
        try decoder.finish(into: &batch)
        #expect(batch.rows.count == 1 && batch.refusals.isEmpty)
    }

    @Test("A file with another root element is refused by the name of that element")
    func otherRoot() {
        let result = decode("<?xml version=\"1.0\"?><osm><node/></osm>")
        guard case .unsupportedFormat(_, let found, let supported)? = result.problem else {
            Issue.record("\(String(describing: result.problem))")
            return
        }
        #expect(found == .rootElement("osm") && supported == FixFormat.supported)
    }

    @Test("A file with waypoints alone is reported as such")
    func waypoints() {
        let result = decode(
            "<gpx><wpt lat=\"1\" lon=\"2\"/><wpt lat=\"1\" lon=\"2\"/><rte><rtept lat=\"1\" lon=\"2\"/></rte></gpx>")
        #expect(result.problem == nil && result.rows.isEmpty)
        #expect(result.refusals.map(\.field) == ["trkpt"])
        #expect(result.refusals.first?.reason.description.contains("2 waypoints and 1 point of a route") == true)
    }

    @Test("Entities that expand without bound are refused")
    func entityBomb() {
        var text = "<?xml version=\"1.0\"?>\n<!DOCTYPE gpx [\n<!ENTITY a \"aaaaaaaaaa\">\n"
        for (name, before) in zip("bcdefghij", "abcdefghi") {
            text += "<!ENTITY \(name) \"" + String(repeating: "&\(before);", count: 10) + "\">\n"
        }
        text += "]><gpx><trk><name>&j;</name></trk></gpx>"
        for chunks in [nil, [1]] {
            let result = decode(text, chunks: chunks)
            guard case .decodingFailed(_, 3, let reason)? = result.problem else {
                Issue.record("\(String(describing: result.problem))")
                return
            }
            #expect(reason == .xmlEntities)
        }
    }

    @Test("A point without an end is a problem, and its memory is limited")
    func endlessPoint() {
        let text = track("<trkpt lat=\"1\" lon=\"2\"><desc>" + String(repeating: "x", count: 3 << 20))
        #expect(decode(text).problem?.code == "tooLarge")
    }

    @Test("UTF-16 is decoded")
    func utf16() {
        let text = track("<trkpt lat=\"1\" lon=\"2\"><time>2026-05-01T10:00:00Z</time></trkpt>")
        let bytes: [UInt8] = [0xFF, 0xFE] + text.utf16.flatMap { [UInt8($0 & 0xFF), UInt8($0 >> 8)] }
        #expect(decode(bytes, source: "x.gpx").rows.count == 1)
    }

    @Test(
        "Content after the track gives the same problem however the input is split",
        arguments: ["aaaa#a", "7e\u{0}", "\n a&", "<", "x"])
    func junk(text: String) {
        expectSameForEveryChunking(Array("<gpx></gpx>\(text)".utf8))
    }
}
