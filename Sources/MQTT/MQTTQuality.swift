/// The quality of service of a message (MQTT 5.0, section 4.3).
package enum MQTTQuality: Int32, Sendable {
    /// QoS 0: the message may be lost.
    case atMostOnce = 0
    /// QoS 1: the receiver acknowledges the message with PUBACK and may receive it more than once.
    case atLeastOnce = 1
    /// QoS 2: the message arrives exactly once. Picket receives such messages but never sends them.
    case exactlyOnce = 2
}
