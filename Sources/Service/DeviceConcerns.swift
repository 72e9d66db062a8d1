import Model
import Store

/// What a person should know about a device besides its position: its open problems, and its refused input.
package struct DeviceConcerns: Sendable {
    /// The problems as `GET /v1/problems` lists them, in the requested language.
    package var problems: [JSONValue]
    /// `{"kind","field","reason","count","firstAt","lastAt"}`, newest first.
    package var refusedInput: [JSONValue]
    /// Whether a key for the device's encrypted messages is stored.
    package var hasOwnTracksKey: Bool

    package init(problems: [JSONValue], refusedInput: [JSONValue], hasOwnTracksKey: Bool) {
        self.problems = problems
        self.refusedInput = refusedInput
        self.hasOwnTracksKey = hasOwnTracksKey
    }

    /// The members to add to the device's JSON; empty lists are omitted.
    package var members: [JSONValue.Member] {
        (hasOwnTracksKey ? [.init("hasOwnTracksKey", true)] : [])
            + [("problems", problems), ("refusedInput", refusedInput)].filter { !$0.1.isEmpty }
            .map { .init($0.0, .array($0.1)) }
    }
}

extension Queries {
    /// The open problems and the refused input of a device.
    package func concerns(ofDevice id: String, in language: Language) throws(Problem) -> DeviceConcerns {
        DeviceConcerns(
            problems: try problems(of: id).map { json($0, in: language) }, refusedInput: try refusedInput(of: id).map(\.json),
            hasOwnTracksKey: try hasOwnTracksKey(device: id))
    }
}
