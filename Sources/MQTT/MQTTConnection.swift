import CMosquitto
import Dispatch
import Foundation
import Model

/// One connection to an MQTT broker, on its own thread.
///
/// An instance connects once and does not reconnect after its end. It queues at most `MQTTOptions.window` messages without an
/// acknowledgment, so that its memory use is limited while the broker does not answer.
///
/// It uses MQTT 5.0, in which a broker gives reasons for refusals, and MQTT 3.1.1 if the broker does not support 5.0.
///
/// Completions and handlers are called on the connection's thread without a lock held, so they may use the connection. They block the
/// connection while they run, so long work must be done elsewhere.
package final class MQTTConnection: Sendable {
    /// Called once per message: with success when the broker has acknowledged the message (QoS 1) or when it was sent (QoS 0). After a
    /// failure the message may have arrived nevertheless.
    package typealias Completion = @Sendable (Result<Void, MQTTError>) -> Void

    /// The callbacks of a connection.
    package struct Handlers: Sendable {
        /// Called when the broker has accepted the connection and its subscriptions. `sessionPresent` is true if the broker has kept the
        /// client's session.
        package var connected: @Sendable (_ sessionPresent: Bool) -> Void = { _ in }
        /// Called with received messages, in order. Returns whether they were processed. If so, they are acknowledged. If not, none of
        /// them is acknowledged, and the connection ends with `MQTTError.messagesNotProcessed`; the broker sends them again to the next
        /// connection of the session. This may be called before `connected`, because a broker may send queued messages at once.
        package var received: @Sendable ([MQTTMessage]) -> Bool = { _ in true }
        /// Called once when the connection could not be made or has ended; nil after `close()`. No handler is called afterward.
        /// After a connect timeout and after `close()` during connecting this is called on a thread of the system.
        package var ended: @Sendable (MQTTError?) -> Void = { _ in }

        package init() {}
    }

    private let mailbox: ConnectionMailbox

    /// Starts to connect.
    package init(_ options: MQTTOptions, _ handlers: Handlers) {
        mailbox = ConnectionMailbox(options, handlers)
        mailbox.start()
    }

    deinit { mailbox.close() }

    /// Queues a message to be sent.
    ///
    /// - Returns: False if `MQTTOptions.window` messages already wait for their acknowledgment, or if the connection is not up.
    ///   Then the message is not sent and `completion` is not called.
    package func publish(_ message: MQTTMessage, _ completion: @escaping Completion = { _ in }) -> Bool {
        mailbox.publish(message, completion)
    }

    /// Whether the broker has accepted the connection and the connection has not ended.
    package var isConnected: Bool { mailbox.isConnected }

    /// Whether the connection has ended while its thread still waits for the system to reach the host. Another connection would add a thread.
    package var hasBlockedThread: Bool { mailbox.hasBlockedThread }

    /// The address of the broker, for messages.
    package var broker: String { mailbox.options.broker.description }

    /// Starts to end the connection with DISCONNECT, so that the broker does not publish the will. Messages without an
    /// acknowledgment fail with `MQTTError.closed`. This does not wait for the end.
    package func close() { mailbox.close() }

    /// Waits until `Handlers.ended` has returned. This must not be called from a handler or a completion.
    package func waitUntilEnded() { mailbox.waitUntilEnded() }
}

extension MQTTConnection {
    /// The version of the linked libmosquitto.
    package static var libraryVersion: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        _ = unsafe mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }
}
