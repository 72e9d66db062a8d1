import Synchronization

/// What happened to a message from an MQTT broker.
package enum MQTTOutcome: String, CaseIterable, Sendable {
    /// The message was processed and then acknowledged.
    case taken
    /// The message was ignored, because the broker had retained it and it has no news.
    case retained
    /// The message was ignored, because no device publishes on its topic.
    case foreign
    /// The message was not acknowledged, because it could not be stored.
    case failed
}
