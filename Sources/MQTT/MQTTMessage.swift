/// How often a message may arrive (MQTT 5.0, section 4.3).
public enum MQTTQuality: Int32, Sendable {
    /// QoS 0: it may get lost.
    case atMostOnce = 0
    /// QoS 1: the receiver acknowledges it with PUBACK, and may get it more than once.
    case atLeastOnce = 1
    /// QoS 2. Picket receives it, but never sends it.
    case exactlyOnce = 2
}

/// A message on a topic.
public struct MQTTMessage: Hashable, Sendable {
    public var topic: String
    public var payload: [UInt8]
    public var quality: MQTTQuality
    /// To send: the broker keeps the message and gives it to whoever subscribes later. Received: the broker had kept it.
    public var isRetained: Bool

    public init(_ topic: String, _ payload: [UInt8], quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
    }

    /// A message with text.
    public init(_ topic: String, _ text: String, quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
    }

    /// The payload as UTF-8.
    public var text: String { String(decoding: payload, as: UTF8.self) }
}
