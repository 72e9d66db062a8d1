import Model
import Secrets

/// The condition of an edit (RFC 9110, section 13.1). If two people change the same object at the same time, it prevents one from
/// overwriting the other's change.
package enum EditCondition: Hashable, Sendable {
    case always
    /// The object must not exist yet.
    case isNew
    /// The object must exist.
    case exists
    /// The object must exist, and its tag must be one of these.
    case isTagged([String])

    /// Checks the condition.
    ///
    /// - Parameter tag: The tag of the existing object; nil if there is none. It is not computed if the condition is `always`.
    /// - Throws: `Problem.preconditionFailed` if the condition is not met.
    package func check(kind: ItemKind, id: String, tag: @autoclosure () throws(Problem) -> String?) throws(Problem) {
        if self == .always { return }
        switch (self, try tag()) {
        case (.always, _), (.isNew, nil), (.exists, _?): return
        case (.isTagged(let tags), let tag?) where tags.contains(tag): return
        case (.isNew, _): throw .preconditionFailed(kind: kind, id: id, reason: .alreadyExists)
        case (.exists, nil), (.isTagged, nil):
            throw .preconditionFailed(kind: kind, id: id, reason: Phrase("does not exist, or no longer exists"))
        case (.isTagged, _):
            throw .preconditionFailed(
                kind: kind, id: id, reason: .changedMeanwhile)
        }
    }
}

extension JSONValue {
    /// A short hash of the value: equal values have equal tags, and different values have different ones.
    package var tag: String { String(Digest.hexadecimal(of: description).prefix(32)) }
}
