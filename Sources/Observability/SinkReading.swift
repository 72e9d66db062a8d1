/// The current numbers of a sink.
public struct SinkReading: Sendable {
    public var id: String
    /// The state of the sink's connection.
    public var state: String
    /// Messages that are waiting for the sink or being sent.
    public var waiting: Int
    /// Events that the sink rejected permanently.
    public var parked: Int
    /// Messages that the sink has accepted since it was created.
    public var delivered: Int
    /// Messages that the sink has not accepted since the service started.
    public var failures: Int

    public init(id: String, state: String, waiting: Int, parked: Int, delivered: Int, failures: Int) {
        self.id = id
        self.state = state
        self.waiting = waiting
        self.parked = parked
        self.delivered = delivered
        self.failures = failures
    }
}
