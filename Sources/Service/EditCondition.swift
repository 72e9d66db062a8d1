import Model
import Secrets

/// On what condition something is changed (RFC 9110, 13.1), so that of two who change the same at once one hears of it.
public enum EditCondition: Hashable, Sendable {
    case always
    /// Only when there is nothing of that id yet.
    case isNew
    /// Only when it is there.
    case isThere
    /// Only when it is there as one of these tags names it.
    case isTagged([String])

    /// - Parameter tag: Of what is there; nil for nothing.
    /// - Throws: `Problem.preconditionFailed`.
    public func check(kind: String, id: String, tag: String?) throws(Problem) {
        switch (self, tag) {
        case (.always, _), (.isNew, nil), (.isThere, _?): return
        case (.isTagged(let tags), let tag?) where tags.contains(tag): return
        case (.isNew, _): throw .preconditionFailed(kind: kind, id: id, reason: "already exists")
        case (.isThere, nil), (.isTagged, nil):
            throw .preconditionFailed(kind: kind, id: id, reason: "is not there, or no longer")
        case (.isTagged, _):
            throw .preconditionFailed(
                kind: kind, id: id, reason: "was changed meanwhile. Read it again, and repeat the change on what it is now")
        }
    }
}

extension JSONValue {
    /// A short name of this very value: another one has another.
    public var tag: String { String(Digest.hexadecimal(of: description).prefix(32)) }
}
