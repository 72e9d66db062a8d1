import Synchronization

/// How the connection to a broker stands.
public enum MQTTState: String, CaseIterable, Sendable {
    case connecting, connected, reconnecting, degraded, paused
}

/// What became of a message of a broker.
public enum MQTTOutcome: String, CaseIterable, Sendable {
    /// Handled, and then acknowledged.
    case taken
    /// Passed over, because the broker had kept it from before.
    case retained
    /// On a topic that no device publishes on.
    case foreign
    /// Not acknowledged, because it could not be stored.
    case failed
}

/// One of a few words that holds now; nil while none does.
public final class StateGauge<State: CaseIterable & Equatable & Sendable & RawRepresentable<String>>: Sendable {
    private let current = Mutex<State?>(nil)

    public init() {}

    public func set(_ state: State?) { current.withLock { $0 = state } }

    public var value: State? { current.withLock { $0 } }
}
