import Ingest
import Model

/// The target of a request: the segments of the path and the fields of the query, percent-decoded (RFC 3986, 3.3 and 3.4).
package struct Target: Sendable {
    /// The path as it was sent, not decoded.
    package let path: String
    /// The segments of the path, each decoded separately, so that `%2F` does not separate segments.
    package let segments: [String]
    /// The fields of the query; empty when there are too many.
    package let query: [FormField]
    /// Whether the query has more than `FormFields.maxFields` fields.
    package let hasTooManyFields: Bool
    /// The problem of a path that is not UTF-8.
    package let pathFlaw: Problem?
    private let raw: String

    /// The name of the query field with the token.
    package static let tokenField = "token"
    /// The name of the query field with a stream token.
    package static let streamTokenField = "access_token"

    /// - Parameter raw: The target as it was sent. Bytes that are not UTF-8 are percent-encoded.
    package init(_ raw: String) {
        self.raw = raw
        let utf8 = raw.utf8
        let mark = utf8.firstIndex(of: UInt8(ascii: "?"))
        path = mark.map { String(raw[..<$0]) } ?? raw
        let parts = path.split(separator: "/").map { part in
            part.utf8.contains(UInt8(ascii: "%")) ? FormFields.decodeSegment(String(part)) : (text: String(part), isUTF8: true)
        }
        segments = parts.map(\.text)
        pathFlaw = parts.first { !$0.isUTF8 }.map { .notUTF8(field: "path", value: $0.text) }
        let fields = mark.map { FormFields.parse(String(raw[utf8.index(after: $0)...])) } ?? []
        query = fields ?? []
        hasTooManyFields = fields == nil
    }

    /// The target without the path under which a proxy shows the service; unchanged if the proxy has removed it.
    ///
    /// - Parameter prefix: The path without a slash at its end, such as `/picket`; `/` for none.
    package func below(_ prefix: String) -> Target {
        guard prefix != "/" else { return self }
        if path == prefix { return Target("/" + raw.dropFirst(prefix.count)) }
        return path.hasPrefix(prefix + "/") ? Target(String(raw.dropFirst(prefix.count))) : self
    }

    /// Where the page is below `prefix`, with the query, if the target is that path itself.
    package func page(at prefix: String) -> String? {
        prefix != "/" && path == prefix ? prefix + "/" + raw.dropFirst(prefix.count) : nil
    }

    /// The last value of a field of the query; nil when it is missing or not UTF-8.
    package subscript(name: String) -> String? { query.last { $0.name == name && $0.isUTF8 }?.value }

    /// All values of a field of the query that are UTF-8.
    package func all(_ name: String) -> [String] { query.filter { $0.name == name && $0.isUTF8 }.map(\.value) }

    /// The problem of a query that is not UTF-8. Reports of phones are not answered with it, but recorded as unusable.
    package var queryFlaw: Problem? {
        query.first { !$0.isUTF8 }.map { .notUTF8(field: $0.name, value: $0.value) }
    }
}

extension Problem {
    fileprivate static func notUTF8(field: String, value: String) -> Problem {
        .validationFailed(field: field, value: String(value.prefix(80)), reason: .notUTF8, expected: .percentEncodedUTF8)
    }
}
