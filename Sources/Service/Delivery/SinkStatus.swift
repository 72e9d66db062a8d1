import Delivery
import Model
import Store

/// The status of a sink while a service runs.
package struct SinkStatus: Sendable {
    package var connection: ConnectionStatus
    /// The number of messages that wait or are being sent. It includes events that were not read yet and that the filter may leave out.
    package var waiting: Int
    /// The number of delivered messages since the sink was created.
    package var delivered: Int
    package var deliveredAt: Instant?
    /// The number of failed attempts since the service started.
    package var failures: Int
    /// The number of events that the sink rejected permanently.
    package var parked: Int
    /// The new URL of the sink if its responses say that it has moved permanently.
    package var movedTo: String?
}

extension RegionStore.StoredSink {
    /// The sink and its status as JSON, without its secrets.
    ///
    /// - Parameters:
    ///   - status: The status in the running service; nil if none runs.
    ///   - contact: See `Problem.json(in:contact:)`.
    package func json(_ status: SinkStatus?, in language: Language, contact: SupportContact?) -> JSONValue {
        let paused = pausedAt.map { ConnectionStatus(state: .paused(pausedBy), since: $0, problem: pausedBy) }
        let connection = (status?.connection ?? paused)?.json(in: language, contact: contact)
        return .object(
            (sink.json(withSecrets: false).members ?? [])
                + (JSONValue.compact([
                    ("isPaused", .bool(pausedAt != nil)), ("connection", connection),
                    ("waiting", status.map { JSONValue($0.waiting) }), ("parked", JSONValue(parked)),
                    ("delivered", JSONValue(status?.delivered ?? delivered)),
                    ("lastDeliveredAt", (status?.deliveredAt ?? deliveredAt).map { JSONValue($0) }),
                    ("movedTo", (status?.movedTo).map(JSONValue.string)),
                ]).members ?? []))
    }
}

extension ServiceNotice {
    /// A notice of the current connection to a sink: `{"id":"phone","kind":"ntfy","connection":{…}}`.
    ///
    /// - Parameter contact: See `Problem.json(in:contact:)`.
    package init(_ sink: Sink, _ connection: ConnectionStatus, contact: SupportContact?) {
        self.init(.sink, deviceId: nil) { language in
            [
                "id": .string(sink.id), "kind": .string(sink.target.kind.rawValue),
                "connection": connection.json(in: language, contact: contact),
            ]
        }
    }
}

extension RegionStore.ParkedEvent {
    /// `{"sequence","parkedAt","problem","isResent","event"}`
    ///
    /// - Parameters:
    /// - event: The event; nil if it was erased.
    ///   - contact: See `Problem.json(in:contact:)`.
    package func json(_ event: Event?, in language: Language, contact: SupportContact?) -> JSONValue {
        .compact([
            ("sequence", JSONValue(Int(sequence))), ("parkedAt", JSONValue(parkedAt)),
            ("problem", problem.json(in: language, contact: contact)),
            ("isResent", .bool(isResent)), ("event", event?.json),
        ])
    }
}
