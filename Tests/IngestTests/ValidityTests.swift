import Foundation
import Model
import TestSupport
import Testing

@testable import Ingest

@Suite("Dilution and validity")
struct ValidityTests {
    /// One position with additional fields, in each format.
    private static func inputs(_ fields: [(name: String, value: String)]) -> [(format: String, text: String)] {
        let json = fields.map { ",\"\($0.name)\":\"\($0.value)\"" }.joined()
        let names = fields.map { ",\($0.name)" }.joined()
        let values = fields.map { ",\($0.value)" }.joined()
        return [
            ("JSON", #"{"device":"a","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4"# + json + "}"),
            ("NDJSON", #"{"device":"a","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4"# + json + "}\n"),
            ("CSV", "device,timestamp,latitude,longitude\(names)\na,2026-05-01T10:00:00Z,52.5,13.4\(values)\n"),
            (
                "GeoJSON",
                #"{"type":"Feature","geometry":{"type":"Point","coordinates":[13.4,52.5]},"#
                    + #""properties":{"device":"a","time":"2026-05-01T10:00:00Z""# + json + "}}"
            ),
        ]
    }

    /// The only row of an input.
    private func row(_ text: String) throws -> FixBatch.Row {
        var batch = FixBatch()
        var decoder = FixDecoder(source: "input")
        try Array(text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
        try decoder.finish(into: &batch)
        #expect(batch.refusals.isEmpty, "\(batch.refusals)")
        return try #require(batch.rows.first)
    }

    @Test("A dilution gives an accuracy of 5 m each when no accuracy is given")
    func dilution() throws {
        for input in Self.inputs([("hdop", "1.6")]) { #expect(try row(input.text).fix.accuracy == 8, "\(input.format)") }
        for input in Self.inputs([("hdop", "1.6"), ("accuracy", "3")]) {
            #expect(try row(input.text).fix.accuracy == 3, "\(input.format)")
        }
        for input in Self.inputs([("hdop", "unknown")]) { #expect(try row(input.text).fix.accuracy == nil, "\(input.format)") }
    }

    @Test(
        "A position is invalid when its device says so",
        arguments: [("false", false), ("FALSE", false), ("0", false), ("no", false), ("true", true), ("1", true), ("A", true)])
    func validity(_ value: String, _ isValid: Bool) throws {
        for input in Self.inputs([("valid", value)]) { #expect(try row(input.text).isValid == isValid, "\(input.format)") }
    }

    @Test("A JSON literal means the same as its text")
    func literal() throws {
        let text = #"{"device":"a","timestamp":"2026-05-01T10:00:00Z","latitude":52.5,"longitude":13.4,"valid":false,"hdop":2}"#
        let row = try row(text)
        #expect(!row.isValid && row.fix.accuracy == 10)
        var batch = FixBatch()
        var reader = PlainPositionReader()
        // The fast path leaves such a position to `FixDecoder`.
        #expect(!Array(text.utf8).withUnsafeBufferPointer { reader.read($0, into: &batch) })
    }

    @Test("Dilution and validity are kept as attributes")
    func attributes() throws {
        for input in Self.inputs([("hdop", "1.6"), ("valid", "false")]) {
            var batch = FixBatch()
            var decoder = FixDecoder(source: "input")
            try Array(input.text.utf8).withUnsafeBufferPointer { try decoder.decode($0, into: &batch) }
            try decoder.finish(into: &batch)
            let attributes = try JSONParser.parse(try #require(batch.attributes.first))
            #expect(attributes["hdop"]?.string == "1.6" && attributes["valid"]?.string == "false", "\(input.format)")
        }
    }
}
