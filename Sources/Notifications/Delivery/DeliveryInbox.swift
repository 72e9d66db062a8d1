import Core
import Delivery
import Model
import Senders
import Store
import Workers

/// The work queue of the delivery's thread. It is created before the delivery, so that the writer can use it from the beginning. Can be
/// used from any thread.
package final class DeliveryInbox: Sendable {
    enum Message: Sendable {
        /// Events up to this number are committed.
        case events(upTo: Int64)
        case positions
        case sent(Shipment, SendResult)
        /// A sink's broker has sent something to the sender with this number.
        case peerNews(sink: String, sender: Int, PeerNews)
        /// Sinks were created, changed or removed. `resumed` has the sinks whose pause has ended.
        case sinksChanged(resumed: Set<String>)
        case test(sink: String, reply: @Sendable (Result<SinkTest, Problem>) -> Void)
        /// The report of a sink was computed, or could not be; see `SinkDelivery.preparation`.
        case prepared(sink: String, preparation: Int, Result<OutboxReport, Problem>)
        case tested(sink: String, SinkTest, reply: @Sendable (Result<SinkTest, Problem>) -> Void)
        case saved(Result<Void, Problem>)
        /// Connections were recorded in the problem journal, except those that could not be. `hasPauses`: pauses of sinks were saved too, or
        /// their ends.
        case recorded(hasPauses: Bool, failed: [ConnectionRecords.Record], Problem?)
        case removed([RemovedData])
        /// All messages before this one are processed.
        case processed(reply: @Sendable () -> Void)
        /// The problem of what a sink announces could not be recorded in the problem journal.
        case discoveryProblemUnsaved(sink: String)
        /// Topics of retained messages of a sink were recorded, or could not be.
        case topicsRecorded(sink: String, sender: Int, RetainedMessages.TopicChange, Problem?)
        /// Messages were removed from a broker, or could not be.
        case topicsCleared(PicketStore.UnwantedPlace, topics: [String], DeliveryOutcome)
        /// The records of removed messages were removed, or could not be.
        case clearingRecorded(place: Int64, Problem?)
        case networkReturned
        /// The clock has moved, so deadlines have to be checked.
        case clockMoved
        case stop
    }

    let queue = WorkQueue<Message>()

    package init() {}

    /// Reports that events up to a number are committed.
    package func eventsCommitted(upTo newest: Int64) { _ = queue.add(.events(upTo: newest)) }

    /// Reports that positions are committed.
    package func positionsCommitted() { _ = queue.add(.positions) }

    /// Reports that sinks were created, changed or removed.
    ///
    /// - Parameter resumed: The sink whose pause has ended; nil if none has.
    func sinksChanged(resumed: String? = nil) { _ = queue.add(.sinksChanged(resumed: resumed.map { [$0] } ?? [])) }

    /// Reports that data of devices was removed, so that what waits for sinks is removed too.
    package func dataRemoved(_ removals: [RemovedData]) { _ = queue.add(.removed(removals)) }

    /// Reports that the machine's network is available again.
    package func networkReturned() { _ = queue.add(.networkReturned) }

    /// Makes the delivery check the clock, for example after a test has moved it.
    func clockMoved() { _ = queue.add(.clockMoved) }
}

/// A message that is being sent.
struct Shipment: Sendable {
    var sink: String
    /// The incarnation of the sink; see `SinkDelivery.incarnation`.
    var incarnation: Int
    /// The number of the sender that sends the message.
    var sender: Int
    var lane: DeliveryLane
    var number: Int64
    var attempt: PeerConnection.Attempt
}

/// The queues of a sink, in order of precedence.
enum DeliveryLane: Int, CaseIterable, Sendable {
    case alarms
    /// Emergencies that are sent again because they are not acknowledged.
    case repeated
    /// Rejected events that are sent again.
    case resent
    /// All other events, or positions or reports.
    case main
    /// Retained messages for an MQTT broker.
    case retained

    /// Whether its messages are sent regardless of the rate limit.
    var isOfAlarms: Bool { self == .alarms || self == .repeated }
}
