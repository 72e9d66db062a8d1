import Foundation
import Ingest

/// The target of a request: the segments of the path and the fields of the query, percent-decoded (RFC 3986, 3.3 and 3.4).
struct Target: Sendable {
    /// The path as it was sent, not decoded.
    let path: String
    /// The segments of the path, each decoded separately, so that `%2F` does not separate segments.
    let segments: [String]
    /// The fields of the query; empty when there are too many.
    let query: [FormField]
    /// Whether the query has more than `FormFields.maxFields` fields.
    let hasTooManyFields: Bool

    init(_ raw: String) {
        let utf8 = raw.utf8
        let mark = utf8.firstIndex(of: UInt8(ascii: "?"))
        path = mark.map { String(raw[..<$0]) } ?? raw
        segments = path.split(separator: "/").map { part in
            part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding ?? String(part) : String(part)
        }
        let fields = mark.map { FormFields.parse(String(raw[utf8.index(after: $0)...])) } ?? []
        query = fields ?? []
        hasTooManyFields = fields == nil
    }

    /// The last value of a field of the query; nil when it is missing.
    subscript(name: String) -> String? { query.last { $0.name == name }?.value }
}
