import Model

/// Where a sink's messages go, and in which format.
package enum SinkTarget: Hashable, Sendable {
    case web(WebTarget)
    case mail(MailTarget)
    case mqtt(MQTTTarget)
    case file(path: String)
    case command(CommandTarget)
    case positions(PositionTarget)

    package var kind: SinkKind {
        switch self {
        case .web(let target): target.kind
        case .mail: .email
        case .mqtt: .mqtt
        case .file: .file
        case .command: .command
        case .positions: .positions
        }
    }

    /// Whether the sink receives positions instead of events.
    package var takesPositions: Bool { if case .positions = self { true } else { false } }

    /// The destination without secrets, for display.
    package var displayAddress: String {
        switch self {
        case .web(let target): target.maskedURL
        case .mail(let target): target.recipients.joined(separator: ", ")
        case .mqtt(let target): "\(WebAddress.masked(target.url)) \(target.topic.source)"
        case .file(let path): path
        case .command(let target): target.argumentTemplates[0]
        case .positions(let target): WebAddress.masked(target.url)
        }
    }

    /// The first invalid value as a problem; nil when all are valid.
    package var flaw: Problem? {
        switch self {
        case .web(let target): target.flaw
        case .mail(let target): target.flaw
        case .mqtt(let target): target.flaw
        case .file(let path): Self.flaw(path: path, field: "path")
        case .command(let target): Self.flaw(path: target.argumentTemplates.first ?? "", field: "command")
        case .positions(let target): WebAddress.flaw(target.url)
        }
    }

    private static func flaw(path: String, field: String) -> Problem? {
        if path.hasPrefix("/"), !path.utf8.contains(0) { return nil }
        return .validationFailed(
            field: field, value: path, reason: path.isEmpty ? .empty : Phrase("it is not an absolute path"),
            expected: Phrase("a path that starts with /"))
    }
}
