import Delivery
import Model

/// Sends the messages of one sink. It may be called from one thread; what came of a message is told on any.
public protocol SinkSender: Sendable {
    /// The most messages that are on their way at a time.
    var limit: Int { get }
    /// Whether messages are sent in the order in which they are given, and after one that fails all behind it fail, too.
    var isPipelined: Bool { get }

    /// Sends a message without waiting for it.
    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void)

    /// Gives up what is on its way, and frees what it holds.
    func stop()
}

/// What a sender learns of its peer beside what comes of messages.
public enum PeerNews: Sendable {
    /// A broker keeps a configuration of an entity in Home Assistant.
    case configuration(topic: String, payload: String)
    /// The connection has ended, or could not be made.
    case connectionEnded
}

/// What came of a message.
public struct SendResult: Sendable {
    public var outcome: DeliveryOutcome
    /// Where the sink has moved for good, as it may be shown.
    public var movedTo: String?

    public init(_ outcome: DeliveryOutcome, movedTo: String? = nil) {
        self.outcome = outcome
        self.movedTo = movedTo
    }
}
