import Model

/// The options of a connection to a broker.
package struct MQTTOptions: Sendable {
    package var broker: BrokerAddress
    /// The client identifier, by which the broker recognizes the client's session. A second connection with the same identifier ends the
    /// first one. If it is nil, the broker assigns one and there is no session.
    package var clientID: String?
    /// How many seconds after the end of the connection the broker keeps the session, including its subscriptions and the
    /// messages that arrive for them. With 0, the broker keeps no session. An MQTT 3.1.1 broker chooses how long it keeps
    /// sessions.
    package var sessionExpiry: UInt32 = 0
    /// The path of a PEM file of certificates to trust instead of the system's.
    package var authorities: String?
    /// The seconds within which the broker must accept the connection and its subscriptions.
    package var connectTimeout = 10.0
    /// The seconds within which the broker must acknowledge a message.
    package var acknowledgementTimeout = 30.0
    /// The seconds after which a keep-alive packet is sent if nothing else was sent, from 5 to 65,535. A broker that stops
    /// answering is noticed within twice this time.
    package var keepAlive = 30
    /// The maximum number of messages that wait for their acknowledgment at a time, from 1 to 10,000. libmosquitto goes through
    /// all of them for each message that it sends, so a few hundred are fastest.
    package var window = 500
    /// The message that the broker publishes if the connection ends without DISCONNECT.
    package var will: MQTTMessage?
    /// The topic filters to subscribe to with QoS 1. `+` stands for one level of a topic, and `#` at the end for any number of levels. The
    /// connection is up once the broker has granted all of them.
    package var subscriptions: [String] = []

    package init(_ broker: BrokerAddress) { self.broker = broker }
}
