import Model

/// How a connection to a broker is made and used.
package struct MQTTOptions: Sendable {
    package var broker: BrokerAddress
    /// The name of the client, by which the broker recognizes its session. A second connection with the same name ends the first.
    /// Nil: the broker makes up a name, and there is no session.
    package var clientID: String?
    /// How many seconds the broker keeps the session after the connection has ended: the subscriptions, and the messages that
    /// arrive for them meanwhile. 0: not at all. A broker that speaks only MQTT 3.1.1 decides by itself how long it keeps it.
    package var sessionExpiry: UInt32 = 0
    /// A file of certificates in PEM to trust in place of the system's.
    package var authorities: String?
    /// Seconds until the broker must have accepted the connection and its subscriptions.
    package var connectTimeout = 10.0
    /// Seconds until the broker must have acknowledged a message.
    package var acknowledgementTimeout = 30.0
    /// Seconds between signs of life when nothing else is sent, 5 to 65,535. A broker that stops answering is noticed within
    /// twice this time.
    package var keepAlive = 30
    /// How many messages may wait for their acknowledgement at a time, 1 to 10,000. libmosquitto walks through all of them for
    /// each message that it sends, so a few hundred are fastest.
    package var window = 500
    /// What the broker publishes when the connection ends without a goodbye.
    package var will: MQTTMessage?
    /// The topics to receive, with QoS 1; `+` stands for one level of a topic, and `#` at the end for any number of levels. The
    /// connection is up once the broker has granted all of them.
    package var subscriptions: [String] = []

    package init(_ broker: BrokerAddress) { self.broker = broker }
}
