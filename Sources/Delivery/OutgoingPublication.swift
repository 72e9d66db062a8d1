/// A message for a broker.
package struct OutgoingPublication: Hashable, Sendable {
    package var topic: String
    package var payload: String
    /// Whether the broker keeps the message for later subscribers.
    package var isRetained: Bool

    package init(topic: String, payload: String, isRetained: Bool = false) {
        self.topic = topic
        self.payload = payload
        self.isRetained = isRetained
    }
}
