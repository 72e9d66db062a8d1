import Synchronization

/// The state of the connection to an MQTT broker.
package enum MQTTState: String, CaseIterable, Sendable {
    case connecting, connected, reconnecting, degraded, paused
}
