import Foundation
import Model
import Testing

@testable import Ingest

@Suite("The size of a position's attributes")
struct AttributeLimitTests {
    /// An input with one position that has many attributes, in each way in which attributes are read.
    private static func inputs(_ values: [(name: String, value: String)]) -> [(FixFormat, String)] {
        let members = values.map { "\"\($0.name)\":\"\($0.value)\"" }.joined(separator: ",")
        let position = #""device":"a","timestamp":1777629600,"latitude":1,"longitude":2"#
        return [
            (.ndjson, "{\(position),\(members)}\n"),
            (.json, "[{\(position),\(members)}]"),
            (
                .csv,
                "device,time,lat,lon,\(values.map(\.name).joined(separator: ","))\n"
                    + "a,1777629600,1,2,\(values.map(\.value).joined(separator: ","))\n"
            ),
        ]
    }

    @Test("Attributes beyond 16 KB are left out, and the remark names the first")
    func limited() throws {
        let values = (0..<40).map { (name: "key\($0)", value: String(repeating: "x", count: 1000)) }
        for (format, text) in Self.inputs(values) {
            let result = decode(Array(text.utf8), source: "x", format: format)
            let row = try #require(result.rows.first)
            let attributes = try JSONParser.parse(try #require(row.attributes))
            #expect(try #require(row.attributes).utf8.count <= 16_384 + 1, "\(format)")
            #expect(attributes.members?.map(\.name) == values.prefix(16).map(\.name), "\(format)")
            #expect(result.remarks == [.attributeOmitted("key16", 16_384)] && result.refusals.isEmpty, "\(format)")
        }
    }

    @Test("Smaller attributes after one that is too large are kept")
    func large() throws {
        let values = [(name: "before", value: "1"), ("large", String(repeating: "y", count: 20_000)), ("after", "2")]
        for (format, text) in Self.inputs(values) {
            let result = decode(Array(text.utf8), source: "x", format: format)
            #expect(result.rows.first?.attributes == #"{"before":"1","after":"2"}"#, "\(format)")
            #expect(result.remarks == [.attributeOmitted("large", 16_384)], "\(format)")
        }
    }
}
