import Client
import Core
import Model
import Notifications
import Places
import Service
import ToolSupport

/// The kinds of things that have ids, as `picket ids` takes them.
enum IdentifierKind: String, CaseIterable {
    case device, geofence, group, sink, rule, token, problem

    /// The kind that a command's first word names; nil if it names none.
    init?(noun: Substring) {
        self.init(rawValue: noun == "problems" ? "problem" : String(noun))
    }
}

/// `picket ids`: prints what shells complete.
enum IdentifierCommand {
    static let command = Command(
        name: "ids", summary: "Print the ids of a kind, one per line, for completions.",
        arguments: IdentifierKind.allCases.map(\.rawValue).joined(separator: "|"), count: 1...1,
        choices: IdentifierKind.allCases.map(\.rawValue), options: Option.client,
        discussion: """
            The completions of shells use this command. If the ids cannot be read, it prints nothing and ends with status 0, because
            a shell cannot show the reason.
            """,
        examples: ["picket ids device"]
    ) { invocation throws(Problem) in
        guard let kind = IdentifierKind(rawValue: invocation.words[0]) else {
            throw .validationFailed(
                field: "KIND", value: invocation.words[0], reason: .noSuchValue,
                expected: .oneOf(IdentifierKind.allCases.map(\.rawValue)))
        }
        let ids: [String]
        do throws(Problem) {
            ids = try readIDs(kind, invocation)
        } catch {
            return .done
        }
        // Devices choose their ids. One with a line break or another control character is not a single line.
        for id in ids where !id.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) {
            invocation.output.print(invocation.isJSON ? JSONValue.object([.init("id", .string(id))]).description : id)
        }
        return .done
    }

    /// Seconds that a person who has pressed the tabulator key waits for a service.
    private static let patience = 2.0

    private static func readIDs(_ kind: IdentifierKind, _ invocation: Invocation) throws(Problem) -> [String] {
        let service = try invocation.reader(patience: patience)
        var ids: [String] = []
        switch kind {
        case .device: ids = try service.devices().map(\.id)
        case .geofence: try service.forEachGeofence(matching: nil) { ids.append($0.id) }
        case .group: ids = try service.groups().map(\.name)
        case .sink: ids = try service.sinkDocuments().compactMap { $0["id"]?.string }
        case .rule: ids = try service.ruleDocuments().compactMap { $0["id"]?.string }
        case .token: ids = try service.tokens(revoked: false).map(\.id)
        case .problem:
            try service.forEachProblem(withDismissed: true) { problem in
                if let id = problem["id"]?.string { ids.append(id) }
            }
        }
        return ids
    }
}
