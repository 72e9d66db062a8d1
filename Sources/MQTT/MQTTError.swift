/// The reason why a connection failed or ended, or why a message was not delivered. `peer` is the broker's address without user and
/// password (`BrokerAddress.description`).
package enum MQTTError: Error, Hashable, Sendable {
    /// This side has closed the connection.
    case closed
    /// The broker cannot be reached, or the connection was lost.
    case cannotConnect(peer: String, details: Details)
    /// The broker did not answer in time.
    case timedOut(peer: String, details: Details)
    case tlsFailed(peer: String, details: Details)
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
    case other(details: Details)

    /// What exactly happened.
    package indirect enum Details: Hashable, Sendable {
        case noFileDescriptor
        case libraryCannotStart
        case brokerWithoutMQTT311
        /// The broker sent something that is not MQTT.
        case notMQTT
        case brokerClosedConnection
        /// The connection ended before the TLS handshake was complete.
        case beforeTLS(Details)
        /// The connection ended before the broker accepted it.
        case beforeAcceptance(Details)
        /// A message was not acknowledged within this many seconds.
        case notAcknowledged(Double)
        /// A message was not acknowledged while all other message numbers were used.
        case messageLost
        /// There was no connection within this many seconds.
        case notConnectedWithin(Double)
        /// The words of the operating system or of libmosquitto.
        case verbatim(String)
    }
}
