import Model

/// Whether the connection to a peer works.
public enum ConnectionState: Hashable, Sendable {
    /// The last answer was a success, or nothing has been tried yet.
    case connected
    /// The connection is lost. `attempt` is the number of the attempt to reconnect that comes next or is under way, from 1 to
    /// `maxAttempts`.
    case reconnecting(attempt: Int, maxAttempts: Int)
    /// All `maxAttempts` attempts failed. Further attempts follow every 30 s; `attempt` goes on counting.
    case degraded(attempt: Int)
    /// Nothing is tried until a person resumes it. The problem is why; nil when a person paused it.
    case paused(Problem?)

    /// The state without its values, as JSON and metrics name it.
    public enum Name: String, CaseIterable, Sendable {
        case connected, reconnecting, degraded, paused
    }

    public var name: Name {
        switch self {
        case .connected: .connected
        case .reconnecting: .reconnecting
        case .degraded: .degraded
        case .paused: .paused
        }
    }

    /// The number of the attempt to reconnect that comes next or is under way; nil when none is to come.
    public var attempt: Int? {
        switch self {
        case .connected, .paused: nil
        case .reconnecting(let attempt, _), .degraded(let attempt): attempt
        }
    }
}

/// What is shown of a connection: in lists, the live stream and metrics.
public struct ConnectionStatus: Hashable, Sendable {
    public var state: ConnectionState
    /// When the state got its name: further attempts do not change it.
    public var since: Instant
    /// When the next attempt to reconnect begins. Nil when connected or paused, and while an attempt is under way.
    public var nextAttemptAt: Instant?
    /// What the last attempt failed of, or why it is paused. Nil when connected, or when a person paused it.
    public var problem: Problem?

    public init(state: ConnectionState, since: Instant, nextAttemptAt: Instant? = nil, problem: Problem? = nil) {
        self.state = state
        self.since = since
        self.nextAttemptAt = nextAttemptAt
        self.problem = problem
    }

    /// `{"state":"reconnecting","attempt":2,"maxAttempts":5,"nextAttemptAt":…,"since":…,"problem":{…}}`. Members without a value
    /// are left out.
    ///
    /// - Parameter contact: See `Problem.json(in:contact:)`.
    public func json(in language: Language = .english, contact: SupportContact? = nil) -> JSONValue {
        var most: Int?
        if case .reconnecting(_, let maxAttempts) = state { most = maxAttempts }
        return .compact([
            ("state", .string(state.name.rawValue)), ("attempt", state.attempt.map { JSONValue($0) }),
            ("maxAttempts", most.map { JSONValue($0) }), ("nextAttemptAt", nextAttemptAt.map { JSONValue($0) }),
            ("since", JSONValue(since)), ("problem", problem?.json(in: language, contact: contact)),
        ])
    }

    /// The problem that stands while a sink is in this state; nil when nothing is wrong.
    ///
    /// - Parameter sink: The sink's name.
    public func problem(ofSink sink: String) -> Problem? {
        switch state {
        case .connected, .paused(nil): nil
        case .paused(let problem?): problem
        case .reconnecting: .sinkUnreachable(sink: sink, details: reason)
        case .degraded(let attempt): .deliveryDegraded(sink: sink, attempts: attempt - 1, details: reason)
        }
    }

    /// The last failure in the machine's words, else in ours.
    private var reason: String { problem.map { $0.details ?? Language.english.words.message($0) } ?? "" }
}
