import Delivery

/// Sends the messages of one sink. Calls must come from one thread; completions are called on any thread.
package protocol SinkSender: Sendable {
    /// The maximum number of messages being sent at a time.
    var limit: Int { get }
    /// Whether messages are sent in the order of the calls, and all messages after a failed one fail too.
    var isPipelined: Bool { get }

    /// Sends a message without blocking.
    ///
    /// - Parameter done: Called with the result, on any thread.
    func send(_ message: OutgoingMessage, _ done: @escaping @Sendable (SendResult) -> Void)

    /// Cancels messages being sent, and releases resources.
    func stop()
}
