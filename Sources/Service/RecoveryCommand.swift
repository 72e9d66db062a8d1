import Model

/// The commands that perform the recovery actions of problems.
package enum RecoveryCommand {
    /// The command that performs a problem's recovery action; nil when no command does.
    ///
    /// - Parameters:
    ///   - id: The id of the problem in the journal; nil if it is not known.
    ///   - source: The source of the problem; see `Queries.problemSources(ofDevice:)`.
    ///   - status: The status that a peer answered with; 0 when the problem has none.
    package static func command(
        _ action: Problem.RecoveryAction?, id: String?, source: String, status: Int
    ) -> String? {
        if source.hasPrefix("sink/") {
            return command(action, id: id, sink: source.dropFirst("sink/".count), status: status)
        }
        switch action {
        case .fixRegistration?:
            let prefixes = [Queries.registryPrefix, Queries.journalPrefix]
            guard let prefix = prefixes.first(where: source.hasPrefix) else { return nil }
            return "picket fix-registration --device \(String(source.dropFirst(prefix.count)).shellQuoted)"
        // The broker's user and password are settings.
        case .signIn?: return source == MQTTIntake.source ? "picket config" : "picket token create NAME --role ROLE"
        case .dismiss?: return id.map { "picket problems dismiss \($0)" }
        case .retry? where source.hasPrefix(Queries.replayPrefix):
            let device = String(source.dropFirst(Queries.replayPrefix.count))
            return "picket replay --device \(device.shellQuoted) --apply"
        case .retry?, .openSettings?, .grantAlways?, .editInput?, .contactSupport?, nil: return nil
        }
    }

    /// The command for a problem of a sink, or of the events that the sink refused for good (`…/parked`).
    private static func command(
        _ action: Problem.RecoveryAction?, id: String?, sink: Substring, status: Int
    ) -> String? {
        if let refusing = sink.split(separator: "/").first, sink.hasSuffix("/parked") { return "picket sink parked \(refusing)" }
        switch action {
        // SMTP authentication errors are 530 to 538; HTTP ones are 401 to 407.
        case .signIn?: return "picket sink edit \(sink) \(status >= 500 ? "--password" : "--sink-token") @FILE"
        case .editInput?: return "picket sink show \(sink)"
        case .retry?: return "picket sink test \(sink)"
        case .dismiss?: return id.map { "picket problems dismiss \($0)" }
        case .fixRegistration?, .openSettings?, .grantAlways?, .contactSupport?, nil: return nil
        }
    }
}
