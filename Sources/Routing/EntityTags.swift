import Core
import Model

// Entity tags and preconditions (RFC 9110, 8.8.3 and 13.1).

extension Call {
    /// The precondition of a change.
    ///
    /// - Throws: `Problem.validationFailed` for an invalid condition, and for two that cannot both be met.
    package func condition() throws(Problem) -> EditCondition {
        if let text = head.ifNoneMatch {
            if let other = head.ifMatch {
                throw .validationFailed(
                    field: "If-None-Match", value: text, reason: Phrase("there is also If-Match, \(other)"),
                    expected: .oneOfTheTwo)
            }
            guard text == "*" else {
                throw .validationFailed(
                    field: "If-None-Match", value: text, reason: Phrase("a change cannot be made on that condition"),
                    expected: Phrase("*, or If-Match"))
            }
            return .isNew
        }
        guard let text = head.ifMatch else { return .always }
        return text == "*" ? .exists : .isTagged(try Self.tags(text, "If-Match"))
    }

    /// Checks the precondition of a read in `If-Match`.
    ///
    /// - Parameter tag: The tag of the current version.
    /// - Throws: `Problem.preconditionFailed`.
    package func checkMatch(kind: ItemKind, _ tag: String) throws(Problem) {
        guard let text = head.ifMatch, text != "*" else { return }
        try EditCondition.isTagged(Self.tags(text, "If-Match")).check(kind: kind, id: id, tag: tag)
    }

    /// Whether `If-None-Match` says that the client has this version.
    package func clientHas(_ tag: String) throws(Problem) -> Bool {
        guard let text = head.ifNoneMatch else { return false }
        if text == "*" { return true }
        return try Self.tags(text, "If-None-Match", isWeak: true).contains(tag)
    }

    /// The tags of a list, without their quotes.
    ///
    /// - Parameter isWeak: Whether to compare weakly (RFC 9110, 8.8.3.2). If false, weak tags match nothing and are left out.
    private static func tags(_ text: String, _ field: String, isWeak: Bool = false) throws(Problem) -> [String] {
        var tags: [String] = []
        for part in text.split(separator: ",") {
            var tag = part.trimmed
            if tag.hasPrefix("W/") {
                if !isWeak { continue }
                tag = tag.dropFirst(2)
            }
            guard tag.count >= 2, tag.hasPrefix("\""), tag.hasSuffix("\"") else {
                throw .validationFailed(
                    field: field, value: text, reason: Phrase("it is not an entity tag"),
                    expected: Phrase("the value of ETag, with its quotation marks, or *"))
            }
            tags.append(String(tag.dropFirst().dropLast()))
        }
        return tags
    }
}

extension Response {
    /// Adds the tag of the version as `ETag`.
    package func tagged(_ tag: String) -> Response { with("ETag", "\"\(tag)\"") }

    /// The answer 304: the client has this version.
    package static func unchanged(_ tag: String) -> Response {
        Response(status: 304, contentType: "", body: .text("")).tagged(tag)
    }
}

extension Substring {
    fileprivate var trimmed: Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
