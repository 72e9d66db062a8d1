/// The reason why a connection failed or ended, or why a message was not delivered. `peer` is the broker's address without user and
/// password (`BrokerAddress.description`).
package enum MQTTError: Error, Hashable, Sendable {
    /// This side has closed the connection.
    case closed
    /// The broker cannot be reached, or the connection was lost.
    case cannotConnect(peer: String, details: String)
    /// The broker did not answer in time.
    case timedOut(peer: String, details: String)
    case tlsFailed(peer: String, details: String)
    case refused(MQTTRefusal)
    /// The file with the certificates to trust cannot be read.
    case certificatesUnreadable(path: String)
    /// MQTT does not allow the client id.
    case invalidClientID(String)
    /// MQTT does not allow the value of an option; `name` is `user` or `topic`.
    case invalidOption(name: String, value: String, details: String)
    case invalidTopicFilters([String], details: String)
    /// The topic of a message is empty, or has wildcards or characters that MQTT does not allow.
    case invalidTopic(String)
    /// The broker does not accept messages of this size.
    case messageTooLarge(topic: String)
    /// `MQTTConnection.Handlers.received` could not process messages, so they are not acknowledged.
    case messagesNotProcessed
    case other(details: String)
}
