import Model

/// A connection's state as shown in lists, the live stream and metrics.
package struct ConnectionStatus: Hashable, Sendable {
    package var state: ConnectionState
    /// When the connection entered the state. Further attempts in the same state do not change it.
    package var since: Instant
    /// When the next attempt to reconnect begins; nil when connected, when paused by a person, and during an attempt.
    package var nextAttemptAt: Instant?
    /// Why the last attempt failed, or why the connection is paused; nil when connected, or when a person paused it.
    package var problem: Problem?

    package init(state: ConnectionState, since: Instant, nextAttemptAt: Instant? = nil, problem: Problem? = nil) {
        self.state = state
        self.since = since
        self.nextAttemptAt = nextAttemptAt
        self.problem = problem
    }

    /// The problem to show for a sink in this state; nil when nothing is wrong.
    ///
    /// - Parameter sink: The sink's name.
    package func problem(ofSink sink: String) -> Problem? {
        // A refusal says what a person has to correct.
        if let problem, case .pause = DeliveryOutcome(problem) { return problem }
        return switch state {
        case .connected, .paused: problem
        case .reconnecting: .sinkUnreachable(sink: sink, status: problem?.peerStatus, details: reason)
        case .degraded(let attempt):
            .deliveryDegraded(sink: sink, attempts: attempt - 1, status: problem?.peerStatus, details: reason)
        }
    }

    /// Why the last attempt failed; empty when that is not known.
    private var reason: Phrase { problem?.cause ?? .verbatim(String()) }
}

extension ConnectionStatus: JSONWritable {
    package static let output = JSONOutput<ConnectionStatus>(
        "Connection", summary: "The state of a connection",
        .init("state", kind: .word, summary: "The state", content: \.state.name),
        .init(membersOf: attempts, content: \.self))

    /// The members besides the state. They have no separate schema.
    package static let attempts = JSONOutput<ConnectionStatus>(
        "ConnectionAttempts", summary: "The attempts to connect",
        .init(
            "attempt", optional: .whole, summary: "The number of the current or next attempt to reconnect",
            content: \.state.attempt),
        .init(
            "maxAttempts", optional: .whole, summary: "After this number of failures the state is degraded, with rarer attempts",
            content: \.state.maxAttempts),
        .init("nextAttemptAt", optional: .time, summary: "When the next attempt begins", content: \.nextAttemptAt),
        .init("since", kind: .time, summary: "When the connection entered the state", content: \.since),
        .init(
            "problem", optional: .object, summary: "Why the last attempt failed, or why the connection is paused",
            content: \.problem))
}
