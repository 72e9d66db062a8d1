/// A message on a topic.
package struct MQTTMessage: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var quality: MQTTQuality
    /// For a message to send: whether the broker stores the message for later subscribers. For a received message: whether it was such a
    /// stored message.
    package var isRetained: Bool

    package init(_ topic: String, _ payload: [UInt8], quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
    }

    /// A message with a text as payload, encoded as UTF-8.
    package init(_ topic: String, _ text: String, quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
    }

    /// The payload decoded as UTF-8.
    package var text: String { String(decoding: payload, as: UTF8.self) }
}
