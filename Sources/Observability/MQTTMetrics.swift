import Synchronization

/// The state of the connection to an MQTT broker.
package enum MQTTState: String, CaseIterable, Sendable {
    case connecting, connected, reconnecting, degraded, paused
}

/// What happened to a message from an MQTT broker.
package enum MQTTOutcome: String, CaseIterable, Sendable {
    /// The message was processed and then acknowledged.
    case taken
    /// The message was ignored, because it was retained by the broker.
    case retained
    /// The message was ignored, because no device publishes on its topic.
    case foreign
    /// The message was not acknowledged, because it could not be stored.
    case failed
}

/// The current case of an enumeration; nil if there is no current state. Can be used from any thread.
package final class StateGauge<State: CaseIterable & Equatable & Sendable & RawRepresentable<String>>: Sendable {
    private let current = Mutex<State?>(nil)

    package init() {}

    package func set(_ state: State?) { current.withLock { $0 = state } }

    package var value: State? { current.withLock { $0 } }
}
