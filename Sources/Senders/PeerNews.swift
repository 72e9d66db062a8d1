/// News of a peer that is not the result of a message.
package enum PeerNews: Sendable {
    /// The broker retains a configuration for Home Assistant.
    case retained(topic: String, payload: String)
    /// The connection has ended, or could not be opened.
    case connectionEnded
}
