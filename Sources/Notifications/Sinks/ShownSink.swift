import Delivery
import Model
import Store

/// A sink and its status as answers show them, without secrets.
struct ShownSink: Sendable {
    private let stored: PicketStore.StoredSink
    private let status: SinkStatus?

    /// - Parameter status: The status in the running service; nil if none runs.
    init(_ stored: PicketStore.StoredSink, _ status: SinkStatus? = nil) {
        self.stored = stored
        self.status = status
    }

    private var document: SinkDocument { SinkDocument(stored.sink, withSecrets: false) }
    private var isPaused: Bool { stored.pausedAt != nil }

    private var connection: ConnectionStatus? {
        status?.connection
            ?? stored.pausedAt.map { ConnectionStatus(state: .paused(stored.pausedBy), since: $0, problem: stored.pausedBy) }
    }

    private var delivered: Int { status?.delivered ?? stored.delivered }
    private var deliveredAt: Instant? { status?.deliveredAt ?? stored.deliveredAt }
}

extension ShownSink: JSONWritable {
    static let output = JSONOutput<ShownSink>(
        "Sink", summary: "A sink and its status",
        .init("id", kind: .text, summary: "The sink's id", content: \.stored.sink.id),
        .init(membersOf: SinkDocument.settings, content: \.document),
        .init(
            "isPaused", kind: .flag, summary: "Whether the sink is paused: by a person, or because it refuses everything",
            content: \.isPaused),
        .init(
            "connection", optional: .object, summary: "The state of the connection; omitted when it is not known",
            content: \.connection),
        .init(
            "waiting", optional: .whole, summary: "The number of messages that wait or are being sent", content: \.status?.waiting
        ),
        .init(
            "parked", kind: .whole, summary: "The number of events that the sink rejected permanently", content: \.stored.rejected
        ),
        .init(
            "tooOld", optional: .whole,
            summary: "The number of events that were not sent because of maxAge since the service started",
            content: \.status?.tooOld
        ),
        .init("delivered", kind: .whole, summary: "The number of delivered messages", content: \.delivered),
        .init("lastDeliveredAt", optional: .time, summary: "When the last message was delivered", content: \.deliveredAt),
        .init(
            "movedTo", optional: .text, summary: "The new URL, if responses say that the sink has moved permanently",
            content: \.status?.movedTo))
}
