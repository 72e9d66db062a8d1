import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Request bodies")
struct RequestBodyTests {
    private static let van =
        #"{"device":"van-7","timestamp":"2026-05-01T10:00:00Z","latitude":52.52,"longitude":13.40,"accuracy":8,"id":"p-1"}"#
    private static let bad = #"{"device":"van-7","timestamp":1e9,"latitude":91,"longitude":13.40}"#

    // MARK: With a content type

    @Test(
        "A content type names a format when it is unambiguous",
        arguments: [
            ("application/x-ndjson", FixFormat.ndjson), ("Application/X-NDJSON; charset=utf-8", .ndjson),
            ("application/jsonl", .ndjson),
            ("application/gpx+xml", .gpx), ("application/vnd.google-earth.kml+xml", .kml),
            ("application/vnd.google-earth.kmz", .kmz),
            (" text/csv ;header=present", .csv), ("application/geo+json", .geoJSON),
            ("application/nmea", .nmea), ("application/json", nil), ("text/plain", nil), ("", nil), (";", nil),
            ("application/x-www-form-urlencoded", nil),
        ])
    func contentTypes(header: String, expected: FixFormat?) {
        #expect(FixFormat(contentType: header) == expected)
    }

    /// An input of each format.
    private static let inputs: [(FixFormat, String)] = [
        (.json, "[\(van),\n\(bad),\(van)]"), (.json, van), (.ndjson, "\(van)\n\n\(bad)\n\(van)"),
        (.csv, "device,timestamp,latitude,longitude\na,1777629600,1,2\na,1777629601,91,2\n"),
        (
            .gpx,
            #"<gpx version="1.1"><trk><trkseg><trkpt lat="1" lon="2"><time>2026-05-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>"#
        ),
        (.kml, "<kml><Placemark><Track><when>2026-05-01T10:00:00Z</when><coord>1 2</coord></Track></Placemark></kml>"),
        (.nmea, "$GPRMC,132820.60,A,4134.49821229,N,09345.03351845,W,3.252,92.308,180320,11.5985,E,D*1A\r\n"),
        (.geoJSON, #"{"type":"Feature","geometry":{"type":"Point","coordinates":[5,6]},"properties":{"time":1e9,"device":"a"}}"#),
        (.ownTracksRec, "2026-05-01T10:00:00Z\t*\t{\"_type\":\"location\",\"tst\":1e9,\"lat\":1,\"lon\":2,\"tid\":\"a\"}\n"),
    ]

    @Test("A format that is given is decoded like a recognized one, however the input is split", arguments: inputs.indices)
    func given(index: Int) {
        let (format, text) = Self.inputs[index]
        let expected = decode(text, source: "x")
        #expect(expected.format == format && !expected.rows.isEmpty)
        for start in ["", "\u{FEFF}"] {
            let input = Array((start + text).utf8)
            for chunks in [nil, [1], [2], [3, 1], [7]] {
                #expect(decode(input, source: "x", format: format, chunks: chunks) == expected)
            }
        }
    }

    @Test(
        "Bytes that only begin like a byte order mark are kept",
        arguments: [[0xEF], [0xEF, 0xBB], [0xEF, 0x41, 0xBF]] as [[UInt8]])
    func halfMarks(bytes: [UInt8]) {
        for chunks in [nil, [1], [2]] {
            let result = decode(bytes, source: "x", format: .ndjson, chunks: chunks)
            #expect(result.refusals.map(\.value) == [PercentEncoding.showing(bytes)])
        }
    }

    @Test("Empty input is reported", arguments: [FixFormat.json, .geoJSON, .gpx, .kml, .kmz, .csv])
    func nothing(format: FixFormat) {
        for text in ["", "\n "] {
            let result = decode(Array(text.utf8), source: "x", format: format)
            #expect(result.rows.isEmpty && (result.problem != nil || !result.refusals.isEmpty), "\(format) of '\(text)'")
        }
    }

    // MARK: Places of refusals

    @Test("A refusal has its index in an array, its line in a file, or 1")
    func places() {
        #expect(decode("[\(Self.van),\n\(Self.bad),7,\(Self.van)]", source: "x").refusals.map(\.line) == [2, 3])
        #expect(decode("\(Self.van)\n\n\(Self.bad)\nx\n", source: "x").refusals.map(\.line) == [3, 4])
        #expect(decode(Self.bad, source: "x").refusals.map(\.line) == [1])
        #expect(decode("[\(Self.van),\n\(Self.van)]", source: "x").rows.map(\.line) == [1, 2])
    }

    @Test("The ID of a position is kept as an attribute, and names the device when nothing else does")
    func ids() {
        for text in [Self.van, "[\(Self.van)]", "\(Self.van)\n"] {
            #expect(decode(text, source: "x").rows.map(\.attributes) == [#"{"id":"p-1"}"#])
            #expect(decode(text, source: "x").rows.map(\.device) == ["van-7"])
        }
        let alone = decode(#"{"id":"p-1","timestamp":1e9,"latitude":1,"longitude":2}"#, source: "x")
        #expect(alone.rows.map(\.device) == ["p-1"] && alone.rows.map(\.attributes) == [nil])
    }

    // MARK: The fast path

    private func read(_ body: [UInt8], _ reader: inout PlainPositionReader) -> (isTaken: Bool, batch: FixBatch) {
        var batch = FixBatch()
        let isTaken = body.withUnsafeBufferPointer { reader.read($0, into: &batch) }
        return (isTaken, batch)
    }

    @Test("The fast reader reads a plain position")
    func plain() {
        var reader = PlainPositionReader()
        let (isTaken, batch) = read(Array(Self.van.utf8), &reader)
        #expect(isTaken && batch.decodedRows == decode(Self.van, source: "x").rows)
        var named = PlainPositionReader(options: DecodingOptions(device: "other"))
        #expect(read(Array(Self.van.utf8), &named).batch.deviceNames == ["other"])
        let nameless = read(Array(#"{"timestamp":1e9,"latitude":1,"longitude":2}"#.utf8), &reader)
        #expect(nameless.isTaken && nameless.batch.rows.map(\.device) == [-1])
    }

    @Test(
        "The fast reader leaves every other body, and keeps nothing of it",
        arguments: [
            bad, "[\(van)]", "\(van)\n\(van)", "", "{", #"{"_type":"location","tst":1e9,"lat":1,"lon":2}"#,
            #"{"device":"\u0061","timestamp":1e9,"latitude":1,"longitude":2}"#,
            #"{"device":"a","latitude":1,"longitude":2,"x":7}"#,
            "{\"device\":\"a\u{7F}\",\"timestamp\":1e9,\"latitude\":1,\"longitude\":2}",
            String(repeating: " ", count: 8192) + van,
        ])
    func left(text: String) {
        var reader = PlainPositionReader()
        let (isTaken, batch) = read(Array(text.utf8), &reader)
        #expect(!isTaken && batch.rows.isEmpty && batch.attributes.isEmpty && batch.deviceNames.isEmpty)
        #expect(read(Array(Self.van.utf8), &reader).batch.attributes == [#"{"id":"p-1"}"#])
    }

    @Test("The decoder reads what the fast reader reads, with the same result", arguments: [1, 2, 3] as [UInt64])
    func agreement(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var reader = PlainPositionReader()
        var taken = 0
        for _ in 0..<4000 {
            let sample = Array(PositionScannerTests.samples.randomElement(using: &random)!.utf8)
            let input = Mutation.apply(to: sample, most: 2, &random)
            let (isTaken, batch) = read(input, &reader)
            guard isTaken else { continue }
            taken += 1
            let expected = decode(input, source: "x", format: .json)
            #expect(
                batch.decodedRows == expected.rows && expected.refusals.isEmpty,
                "\(String(decoding: input, as: UTF8.self)), seed \(seed)")
        }
        #expect(taken > 150)
    }
}
