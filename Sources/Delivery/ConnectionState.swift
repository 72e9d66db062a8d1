import Model

/// The state of the connection to a peer.
package enum ConnectionState: Hashable, Sendable {
    /// The last attempt succeeded, or nothing has been tried yet.
    case connected
    /// The connection is lost. `attempt` is the number of the current or next attempt to reconnect, from 1 to `maxAttempts`.
    case reconnecting(attempt: Int, maxAttempts: Int)
    /// All `maxAttempts` attempts failed. Further attempts follow every 30 s, and `attempt` counts them.
    case degraded(attempt: Int)
    /// The peer has refused everything for a while, for the reason of the problem, and is tried each hour. When a person paused the
    /// connection, the problem is nil, and nothing is sent until the person resumes it.
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

    /// After how many failed attempts the connection is degraded; nil when it is not reconnecting.
    package var maxAttempts: Int? {
        if case .reconnecting(_, let maxAttempts) = self { maxAttempts } else { nil }
    }
}
