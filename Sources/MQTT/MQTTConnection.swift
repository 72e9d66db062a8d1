import CMosquitto
import Dispatch
import Foundation
import Model

/// One connection to an MQTT broker, on a thread of its own.
///
/// It connects once, and when it has ended it stays so: whoever wants another one makes another one. It queues nothing beyond the
/// messages that wait for their acknowledgement, `MQTTOptions.window` at most, so it does not grow while the broker is gone.
///
/// It speaks MQTT 5.0, where a broker says why it refuses a message, and 3.1.1 with brokers that know no more.
///
/// Completions and handlers are called on the connection's thread and without a lock, so they may use the connection. They hold
/// it up: what takes long belongs elsewhere.
package final class MQTTConnection: Sendable {
    /// Told once per message: success when the broker has acknowledged it (QoS 1) or it was sent (QoS 0). After a failure it may have
    /// arrived all the same.
    package typealias Completion = @Sendable (Result<Void, Problem>) -> Void

    /// What the connection tells its owner.
    package struct Handlers: Sendable {
        /// The broker has accepted the connection and its subscriptions. `sessionPresent`: it knew the client's session.
        package var connected: @Sendable (_ sessionPresent: Bool) -> Void = { _ in }
        /// Messages have arrived, in order. They are acknowledged when this returns. When it throws, none of them is, and the
        /// connection ends with that problem: the broker sends them again to the next connection of the session. May come before
        /// `connected`, as a broker need not wait with what it kept.
        package var received: @Sendable ([MQTTMessage]) throws(Problem) -> Void = { _ in }
        /// The connection could not be made, or has ended; nil when `close()` asked for it. Nothing is called afterwards. Called on a
        /// thread of the system's when the network did not answer in time.
        package var ended: @Sendable (Problem?) -> Void = { _ in }

        package init() {}
    }

    private let mailbox: ConnectionMailbox

    /// Begins to connect.
    package init(_ options: MQTTOptions, _ handlers: Handlers = Handlers()) {
        mailbox = ConnectionMailbox(options, handlers)
        mailbox.start()
    }

    deinit { mailbox.close() }

    /// Sends a message.
    ///
    /// - Returns: False when so many messages wait for their acknowledgement already that another one has to wait, or the
    ///   connection is not up. Then the message was not taken, and `completion` is not called.
    package func publish(_ message: MQTTMessage, _ completion: @escaping Completion = { _ in }) -> Bool {
        mailbox.publish(message, completion)
    }

    /// Whether the broker has accepted the connection, and it has not ended.
    package var isConnected: Bool { mailbox.isConnected }

    /// Ends the connection with a goodbye, so that the broker does not publish the will. Messages that are not acknowledged by
    /// then fail with `Problem.cancelled`. Does not wait.
    package func close() { mailbox.close() }

    /// Waits until `Handlers.ended` has returned. Not to be called from a handler or a completion.
    package func waitUntilEnded() { mailbox.waitUntilEnded() }
}

extension MQTTConnection {
    /// The version of libmosquitto as it is linked.
    package static var libraryVersion: String {
        var (major, minor, revision): (Int32, Int32, Int32) = (0, 0, 0)
        _ = unsafe mosquitto_lib_version(&major, &minor, &revision)
        return "\(major).\(minor).\(revision)"
    }
}
