import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Hostile input")
struct HostileInputTests {
    private static func many(_ text: String, _ count: Int) -> String { String(repeating: text, count: count) }

    private static let manyElements: String = "<kml><Placemark>\(many("<a/>", 100_000))</Placemark></kml>"
    private static let manyArrays: String = {
        let array = many("<SimpleArrayData name='a'><value>1</value></SimpleArrayData>", 6000)
        let track = "\(many("<coord/>", 20_000))<ExtendedData>\(array)</ExtendedData>"
        return "<kml><Placemark><Track>\(track)</Track></Placemark></kml>"
    }()
    private static let manyPoints: String = {
        let data = "<ExtendedData>\(many("<Data name='a'><value>1</value></Data>", 6000))</ExtendedData>"
        return "<kml><Placemark>\(many("<Point/>", 20_000))<TimeStamp><when/></TimeStamp>\(data)</Placemark></kml>"
    }()
    private static let manyAreas: String = many("CIRCLE (1 2, 3)", 20_000)
    private static let manyParentheses: String = "POLYGON \(many("(", 300_000))"

    /// Inputs of about 300 kB. Without limits, each of the first six would take minutes.
    private static let shapes: [(name: String, text: String)] = [
        ("brackets that have one name", "{\"features\"\(many("[]", 150_000))"),
        ("one array many times", "{\"features\":[]\(many(",\"features\":[]", 20_000))}"),
        (
            "parts and properties",
            "{\"type\":\"Feature\",\"properties\":{\"times\":[[]]\(many(",\"a\":1", 25_000))},"
                + "\"geometry\":{\"type\":\"MultiLineString\",\"coordinates\":[[]\(many(",[]", 50_000))]}}"
        ),
        ("elements in elements", "<gpx>\(many("<a>", 100_000))"),
        ("a long comment", "<gpx><!--\(many("a", 300_000))"),
        ("locations and members", "{\"id\":1\(many(",\"a\":1", 25_000)),\"location\":[{}\(many(",{}", 50_000))]}"),
        ("arrays in arrays", many("[", 300_000)), ("commas", "timestamp,latitude,longitude\(many(",", 300_000))\n1,2,3\n"),
        ("quotation marks", "timestamp,latitude,longitude\n\(many("1,\"\n", 75_000))"), ("fields", many("a=1&", 75_000)),
        ("elements in a Placemark", manyElements), ("arrays and places", manyArrays), ("points and data", manyPoints),
        ("areas", manyAreas), ("parentheses", manyParentheses),
        ("digits", "[{\"device\":\"a\",\"timestamp\":1e9,\"longitude\":2,\"latitude\":0.\(many("0", 300_000))1}]"),
        (
            "marks on one letter",
            "[{\"device\":\"e\(many("\u{301}", 100_000))\",\"timestamp\":1e9,\"latitude\":1,\"longitude\":2}]"
        ),
    ]

    @Test("No hostile input takes long, however it is split", arguments: shapes.indices)
    func time(index: Int) {
        let (name, text) = Self.shapes[index]
        let start = processorTime()
        let bytes = Array(text.utf8)
        let result = decode(bytes, source: "x", chunks: [4096])
        #expect(decode(bytes, source: "x") == result)
        bytes.withUnsafeBufferPointer {
            _ = try? GeofenceDecoder.decode($0, source: "x")
            var batch = FixBatch()
            _ = OsmAnd.decode(query: [], body: $0, contentType: nil, now: Instant(milliseconds: 0), into: &batch)
            _ = OwnTracks.decode($0, into: &batch)
            #expect(batch.refusals.count <= OsmAnd.maxPositions + OwnTracks.maxMessages)
        }
        #expect(processorTime() - start < .seconds(30), "\(name)")
    }

    @Test("A device name of one letter with a hundred thousand combining marks is refused")
    func longName() {
        let result = decode(Self.shapes.last!.text, source: "x")
        #expect(result.rows.isEmpty && result.refusals.map(\.field) == ["device"])
    }

    @Test("The nesting of a track's elements is limited")
    func depth() {
        let deep = XMLPushParser.maxDepth
        let problem = decode("<gpx>\(Self.many("<a>", deep))", source: "x").problem
        #expect(
            problem
                == .decodingFailed(source: "x", line: 1, reason: .xmlTooDeep(128)))
        let right = "<gpx>\(Self.many("<a>", deep - 1))\(Self.many("</a>", deep - 1))</gpx>"
        #expect(decode(right, source: "x").problem == nil)
    }

    @Test("A tag or comment of XML is limited to 1 MB", arguments: ["<gpx><!--", "<gpx a='", "<gpx", "<?", "<!DOCTYPE g [<!--"])
    func token(start: String) {
        let result = decode(start + Self.many("a", 2 * XMLPushParser.maxTagBytes), source: "x", chunks: [65_536])
        #expect(result.problem == .decodingFailed(source: "x", line: 1, reason: .longTag(1)))
    }

    @Test("A track point is limited in size, even without any text")
    func point() {
        let text = "<gpx><trk><trkseg><trkpt lat='1' lon='2'>\(Self.many("<a b='c'/>", 200_000))</trkpt></trkseg></trk></gpx>"
        #expect(decode(text, source: "x", chunks: [65_536]).problem?.code == "tooLarge")
        let names = Self.many("<\(Self.many("n", 1000))>x</\(Self.many("n", 1000))>", 1100)
        #expect(decode("<gpx><trkpt lat='1' lon='2'>\(names)</trkpt></gpx>", source: "x").problem?.code == "tooLarge")
    }

    @Test("The length and the number of column names are limited")
    func columns() {
        for header in [Self.many("x", FixColumns.maxNameBytes + 1), Self.many(",", CSVHeader.maxColumns)] {
            let problem = decode("timestamp,latitude,longitude,\(header)\n1777600001,2,3,4\n", source: "x").problem
            guard case .decodingFailed("x", 1, let reason)? = problem else {
                Issue.record("\(String(describing: problem))")
                continue
            }
            #expect(reason == .expecting(.headerTooLarge(1000, 128), .columnNames))
        }
        #expect(decode("timestamp,latitude,longitude,\(Self.many("x", 128))\n1777600001,2,3,4\n", source: "x").rows.count == 1)
    }

    @Test("A feature with many errors reports the first hundred, and the number of the others")
    func refusals() throws {
        let text =
            "{\"type\":\"Feature\",\"properties\":{\"coordTimes\":[1777600001]},\"geometry\":{\"type\":\"LineString\",\"coordinates\":"
            + "[[1,2]\(Self.many(",7", 500))]}}"
        let result = decode("{\"type\":\"FeatureCollection\",\"features\":[\(text),\(text)]}", source: "x")
        #expect(result.rows.count == 2 && result.refusals.count == 202)
        let last = try #require(result.refusals.last)
        #expect(last.field == "features[1]" && last.reason.description.contains("400 more of its positions"))
    }

    @Test("A position is limited to 1 MB, in an array as on a line")
    func position() {
        let member = "\"a\":\"\(Self.many("x", LineSplitter.maxBytes))\""
        let text = "[{\"device\":\"a\",\"timestamp\":1e9,\"latitude\":1,\"longitude\":2,\(member)}]"
        #expect(
            decode(text, source: "x", chunks: [65_536]).problem
                == .tooLarge(what: .line(.verbatim("x"), 1), limit: .mebibytes(1)))
    }

    @Test("An infinite accuracy becomes unknown")
    func infinite() {
        let text = "<gpx><trkpt lat='1' lon='2'><time>2026-05-01T10:00:00Z</time><hdop>1e308</hdop></trkpt></gpx>"
        #expect(decode(text, source: "x").fixes.map(\.accuracy) == [nil])
    }

    @Test("A request with too many positions or messages is refused as a whole")
    func requests() {
        var batch = FixBatch()
        let text = "[{}\(Self.many(",{}", OsmAnd.maxPositions))]"
        let (osmAnd, ownTracks) = Array(text.utf8).withUnsafeBufferPointer { bytes in
            (
                OsmAnd.decode(query: [], body: bytes, contentType: nil, now: .earliest, into: &batch),
                OwnTracks.decode(bytes, into: &batch)
            )
        }
        #expect(osmAnd == .unreadable(reason: .expecting(.elements(10_001), .positionsAtMost(10_000))))
        #expect(ownTracks == .unreadable(reason: .expecting(.elements(10_001), .messagesAtMost(10_000))))
        #expect(batch.rows.isEmpty && batch.refusals.isEmpty)
    }
}
