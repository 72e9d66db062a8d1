import Foundation
import Ingest

/// What a request is about: the path's parts and the query, percent-decoded (RFC 3986, 3.3 and 3.4).
struct Target: Sendable {
    /// The path as it was written.
    let path: String
    /// Its parts between slashes, each decoded by itself, so that `%2F` is no separator.
    let segments: [String]
    /// Empty when there are more fields than any request of ours has.
    let query: [FormField]

    init(_ raw: String) {
        let utf8 = raw.utf8
        let mark = utf8.firstIndex(of: UInt8(ascii: "?"))
        path = mark.map { String(raw[..<$0]) } ?? raw
        segments = path.split(separator: "/").map { part in
            part.utf8.contains(UInt8(ascii: "%")) ? part.removingPercentEncoding ?? String(part) : String(part)
        }
        query = mark.flatMap { FormFields.parse(String(raw[utf8.index(after: $0)...])) } ?? []
    }

    /// The value of a query's name; of several the last. Nil when it is not there.
    subscript(name: String) -> String? { query.last { $0.name == name }?.value }
}
