import Model

/// A header of an HTTP request. Its value may be secret.
package struct WebHeader: Hashable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

extension WebHeader {
    /// Headers that Picket sets itself.
    private static let own: Set<String> = [
        "content-length", "content-type", "host", "transfer-encoding", "connection", "idempotency-key", "picket-signature",
        "expect",
    ]

    /// What is wrong with the header; nil when it is valid. The problem does not contain the value.
    var flaw: Problem? {
        // The token rule of RFC 9110, section 5.6.2.
        let marks = "!#$%&'*+-.^_`|~"
        let isName = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || marks.contains($0)) }
        if !isName {
            return .validationFailed(
                field: "header", value: name, reason: Phrase("it is not a header name"), expected: .nameAndValue)
        }
        if Self.own.contains(name.lowercased()) {
            return .validationFailed(
                field: "header", value: name, reason: Phrase("Picket sets this header itself"), expected: Phrase("another header")
            )
        }
        if value.unicodeScalars.contains(where: { $0.value < 0x20 && $0 != "\t" || $0.value == 0x7F }) {
            return .validationFailed(
                field: "header", value: name, reason: Phrase("its value contains a control character"), expected: .oneLine)
        }
        return nil
    }
}
