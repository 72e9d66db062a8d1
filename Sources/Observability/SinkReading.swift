/// The current numbers of a sink.
package struct SinkReading: Sendable {
    package var id: String
    /// The state of the sink's connection.
    package var state: String
    /// Messages that are waiting for the sink or being sent.
    package var waiting: Int
    /// Events that the sink rejected permanently.
    package var rejected: Int
    /// Messages that the sink has accepted since it was created.
    package var delivered: Int
    /// Messages that the sink has not accepted since the service started.
    package var failures: Int
    /// Events that were too old to be sent since the service started.
    package var tooOld: Int

    package init(
        id: String, state: String, waiting: Int, rejected: Int, delivered: Int, failures: Int, tooOld: Int
    ) {
        self.id = id
        self.state = state
        self.waiting = waiting
        self.rejected = rejected
        self.delivered = delivered
        self.failures = failures
        self.tooOld = tooOld
    }
}
