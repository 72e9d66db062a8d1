import Model
import Store

/// What a person should know of a device beside where it is: its standing problems, and how much of its input was refused.
public struct DeviceConcerns: Sendable {
    /// As `GET /v1/problems` lists them, in the language asked for.
    public var problems: [JSONValue]
    /// `{"kind","field","reason","count","firstAt","lastAt"}`, the newest first.
    public var refusedInput: [JSONValue]
    /// Whether there is a key for its encrypted messages.
    public var hasOwnTracksKey: Bool

    public init(problems: [JSONValue], refusedInput: [JSONValue], hasOwnTracksKey: Bool) {
        self.problems = problems
        self.refusedInput = refusedInput
        self.hasOwnTracksKey = hasOwnTracksKey
    }

    /// The lists that are not empty, and whether there is a key, as members of a device's JSON.
    public var members: [JSONValue.Member] {
        (hasOwnTracksKey ? [.init("hasOwnTracksKey", true)] : [])
            + [("problems", problems), ("refusedInput", refusedInput)].filter { !$0.1.isEmpty }
            .map { .init($0.0, .array($0.1)) }
    }
}

extension Queries {
    /// What stands against a device.
    public func concerns(ofDevice id: String, in language: Language) throws(Problem) -> DeviceConcerns {
        DeviceConcerns(
            problems: try problems(of: id).map { json($0, in: language) }, refusedInput: try refusedInput(of: id).map(\.json),
            hasOwnTracksKey: try hasOwnTracksKey(device: id))
    }
}
