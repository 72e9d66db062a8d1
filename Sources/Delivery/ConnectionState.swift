import Model

/// The state of the connection to a peer.
package enum ConnectionState: Hashable, Sendable {
    /// The last attempt succeeded, or nothing has been tried yet.
    case connected
    /// The connection is lost. `attempt` is the number of the current or next attempt to reconnect, from 1 to `maxAttempts`.
    case reconnecting(attempt: Int, maxAttempts: Int)
    /// All `maxAttempts` attempts failed. Further attempts follow every 30 s, and `attempt` counts them.
    case degraded(attempt: Int)
    /// Nothing is sent until a person resumes the connection. The problem is the reason; nil when a person paused it.
    case paused(Problem?)

    /// The name of the state in JSON and metrics.
    package enum Name: String, CaseIterable, Sendable {
        case connected, reconnecting, degraded, paused
    }

    package var name: Name {
        switch self {
        case .connected: .connected
        case .reconnecting: .reconnecting
        case .degraded: .degraded
        case .paused: .paused
        }
    }

    /// The number of the current or next attempt to reconnect; nil when there is none.
    package var attempt: Int? {
        switch self {
        case .connected, .paused: nil
        case .reconnecting(let attempt, _), .degraded(let attempt): attempt
        }
    }
}

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

    /// The technical details of the last failure; without details its English message.
    private var reason: String { problem.map { $0.details ?? Language.english.words.message($0) } ?? "" }
}
