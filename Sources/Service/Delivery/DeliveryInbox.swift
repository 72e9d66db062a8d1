import Delivery
import Model
import Senders
import Workers

/// News for the delivery: what it has to look at. Made before it, so that whoever writes can tell it from the beginning on.
public final class DeliveryInbox: Sendable {
    enum News: Sendable {
        /// Events up to this number are kept.
        case events(upTo: Int64)
        case positions
        case sent(Shipment, SendResult)
        /// A sink's broker has said something to the sender of that number.
        case heard(sink: String, sender: Int, PeerNews)
        /// Sinks were made, changed or removed. Of those that are named, a pause has ended.
        case sinksChanged(resumed: Set<String>)
        case test(sink: String, reply: @Sendable (Result<SinkTest, Problem>) -> Void)
        case tested(sink: String, SinkTest, reply: @Sendable (Result<SinkTest, Problem>) -> Void)
        case saved(Result<Void, Problem>)
        /// The journal of problems could not be told how it is with what a sink announces.
        case discoveryUntold(sink: String)
        case networkReturned
        /// Nothing but a reason to look at the clock.
        case clockMoved
        case stop
    }

    let queue = WorkQueue<News>()

    public init() {}

    /// Says that events up to a number are kept.
    public func eventsKept(upTo newest: Int64) { _ = queue.add(.events(upTo: newest)) }

    /// Says that positions are kept.
    public func positionsKept() { _ = queue.add(.positions) }

    /// Says that sinks were made, changed or removed.
    ///
    /// - Parameter resumed: The sink whose pause has ended.
    public func sinksChanged(resumed: String? = nil) { _ = queue.add(.sinksChanged(resumed: resumed.map { [$0] } ?? [])) }

    /// Says that the machine's network came back.
    public func networkReturned() { _ = queue.add(.networkReturned) }

    /// Has the clock looked at, as after a test has moved it.
    public func clockMoved() { _ = queue.add(.clockMoved) }
}

/// A message on its way.
struct Shipment: Sendable {
    var sink: String
    /// Which of the sinks that had this id one after the other.
    var incarnation: Int
    /// Which of the senders that sinks had.
    var sender: Int
    var lane: DeliveryLane
    var number: Int64
    var attempt: PeerConnection.Attempt
}

/// Lanes of a sink, the first first.
enum DeliveryLane: Int, CaseIterable, Sendable {
    case alarms
    /// Emergencies that are sent again because nobody has acknowledged them.
    case repeated
    /// Events that were parked and are sent again.
    case resent
    /// Everything else: events, or positions.
    case main
    /// What a broker keeps.
    case retained
}
