/// How often a message may arrive (MQTT 5.0, section 4.3).
package enum MQTTQuality: Int32, Sendable {
    /// QoS 0: it may get lost.
    case atMostOnce = 0
    /// QoS 1: the receiver acknowledges it with PUBACK, and may get it more than once.
    case atLeastOnce = 1
    /// QoS 2. Picket receives it, but never sends it.
    case exactlyOnce = 2
}
