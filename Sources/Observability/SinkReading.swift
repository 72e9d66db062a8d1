/// How a sink does, in numbers.
public struct SinkReading: Sendable {
    public var id: String
    /// The state of its connection.
    public var state: String
    /// Messages that wait for it or are on their way.
    public var waiting: Int
    /// Events that it refused for good.
    public var parked: Int
    /// Messages that it took, since it was made.
    public var delivered: Int
    /// Messages that it did not take, since the service started.
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
