import Model

/// A connection's state as shown in lists, the live stream and metrics.
package struct ConnectionStatus: Hashable, Sendable {
    package var state: ConnectionState
    /// When the connection entered the state. Further attempts in the same state do not change it.
    package var since: Instant
    /// When the next attempt to reconnect begins; nil when connected or paused, and during an attempt.
    package var nextAttemptAt: Instant?
    /// Why the last attempt failed, or why the connection is paused; nil when connected, or when a person paused it.
    package var problem: Problem?

    package init(state: ConnectionState, since: Instant, nextAttemptAt: Instant? = nil, problem: Problem? = nil) {
        self.state = state
        self.since = since
        self.nextAttemptAt = nextAttemptAt
        self.problem = problem
    }

    /// `{"state":"reconnecting","attempt":2,"maxAttempts":5,"nextAttemptAt":…,"since":…,"problem":{…}}`. Members without a value are
    /// omitted.
    ///
    /// - Parameter contact: See `Problem.json(in:contact:)`.
    package func json(in language: Language = .english, contact: SupportContact? = nil) -> JSONValue {
        var most: Int?
        if case .reconnecting(_, let maxAttempts) = state { most = maxAttempts }
        return .compact([
            ("state", .string(state.name.rawValue)), ("attempt", state.attempt.map { JSONValue($0) }),
            ("maxAttempts", most.map { JSONValue($0) }), ("nextAttemptAt", nextAttemptAt.map { JSONValue($0) }),
            ("since", JSONValue(since)), ("problem", problem?.json(in: language, contact: contact)),
        ])
    }

    /// The problem to show for a sink in this state; nil when nothing is wrong.
    ///
    /// - Parameter sink: The sink's name.
    package func problem(ofSink sink: String) -> Problem? {
        switch state {
        case .connected, .paused(nil): nil
        case .paused(let problem?): problem
        case .reconnecting: .sinkUnreachable(sink: sink, details: reason)
        case .degraded(let attempt): .deliveryDegraded(sink: sink, attempts: attempt - 1, details: reason)
        }
    }

    /// Why the last attempt failed; empty when that is not known.
    private var reason: Reason { problem?.cause ?? .verbatim(String()) }
}
