/// A message on a topic.
package struct MQTTMessage: Hashable, Sendable {
    package var topic: String
    package var payload: [UInt8]
    package var quality: MQTTQuality
    /// To send: the broker keeps the message and gives it to whoever subscribes later. Received: the broker had kept it.
    package var isRetained: Bool

    package init(_ topic: String, _ payload: [UInt8], quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.quality = quality
        self.isRetained = isRetained
    }

    /// A message with text.
    package init(_ topic: String, _ text: String, quality: MQTTQuality = .atLeastOnce, isRetained: Bool = false) {
        self.init(topic, Array(text.utf8), quality: quality, isRetained: isRetained)
    }

    /// The payload as UTF-8.
    package var text: String { String(decoding: payload, as: UTF8.self) }
}
