import Core
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
}

extension DeviceConcerns: JSONWritable {
    /// Empty lists are omitted.
    package static let output = JSONOutput<DeviceConcerns>(
        "DeviceConcerns", summary: "What a person should know about a device besides its position",
        .init(
            "hasOwnTracksKey", optional: .flag,
            summary: "Whether there is a key for its encrypted messages; only in the answer about one device",
            content: { $0.hasOwnTracksKey ? true : nil }),
        .init(
            "problems", optional: .list(of: .object(named: ShownProblem.output.name)),
            summary: "The open problems; only in the answer about one device",
            content: { $0.problems.isEmpty ? nil : $0.problems }),
        .init(
            "refusedInput", optional: .list(of: .object(named: Queries.RefusedInput.output.name)),
            summary: "The input that could not be used, newest first; only in the answer about one device",
            content: { $0.refusedInput.isEmpty ? nil : $0.refusedInput }))
}

extension Queries {
    /// Whether a key is stored for a device.
    func hasOwnTracksKey(device id: String) throws(Problem) -> Bool {
        guard let stored = try store.device(id: id) else { return false }
        return try store.ownTracksKey(of: stored.key) != nil
    }

    /// The open problems and the refused input of a device.
    package func concerns(ofDevice id: String, in language: Language) throws(Problem) -> DeviceConcerns {
        DeviceConcerns(
            problems: try problems(of: id).map { json($0, in: language) }, refusedInput: try refusedInput(of: id).map(\.json),
            hasOwnTracksKey: try hasOwnTracksKey(device: id))
    }
}
