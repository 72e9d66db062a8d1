import Delivery
import Model
import Store

/// How a sink does, while a service runs.
public struct SinkStatus: Sendable {
    public var connection: ConnectionStatus
    /// Messages that are waiting or on their way. While not all of them have been looked at, those are counted that the filter may
    /// leave out.
    public var waiting: Int
    /// Messages that arrived, since the sink was made.
    public var delivered: Int
    public var deliveredAt: Instant?
    /// Attempts that failed, since the service started.
    public var failures: Int
    /// Events that the sink refused for good.
    public var parked: Int
    /// Where the sink has moved for good, as its answers say.
    public var movedTo: String?
}

extension RegionStore.StoredSink {
    /// A sink with how it does, without its secrets.
    ///
    /// - Parameters:
    ///   - status: What the running service knows; nil when none runs.
    ///   - contact: See `Problem.json(in:contact:)`.
    public func json(_ status: SinkStatus?, in language: Language, contact: SupportContact?) -> JSONValue {
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
    /// `{"id":"phone","kind":"ntfy","connection":{…}}`: how the connection to a sink is now.
    ///
    /// - Parameter contact: See `Problem.json(in:contact:)`.
    public init(_ sink: Sink, _ connection: ConnectionStatus, contact: SupportContact?) {
        self.init(
            .sink, deviceId: nil,
            [
                "id": .string(sink.id), "kind": .string(sink.target.kind.rawValue),
                "connection": connection.json(in: .english, contact: contact),
            ])
    }
}

/// What came of a message that tried a sink.
public struct SinkTest: Sendable {
    public var outcome: DeliveryOutcome
    /// Until the answer.
    public var seconds: Double

    /// `{"delivered":true,"seconds":0.02}` or with the problem.
    ///
    /// - Parameter contact: See `Problem.json(in:contact:)`.
    public func json(in language: Language, contact: SupportContact?) -> JSONValue {
        .compact([
            ("delivered", .bool(outcome == .delivered)), ("seconds", JSONValue((seconds * 1000).rounded() / 1000)),
            ("problem", outcome.problem?.json(in: language, contact: contact)),
        ])
    }

    /// A made-up event that tries a sink.
    static func event(id: String, at now: Instant) -> OutboxEvent {
        OutboxEvent(
            event: Event(
                id: id, sequence: 0, type: .enter, deviceId: "test-device", geofenceId: "test-geofence",
                geofenceName: "Test geofence",
                occurredAt: now, recordedAt: now, confirmedAt: now, cause: .moved,
                fix: Fix(time: now, coordinate: .init(latitude: 52.5163, longitude: 13.3777), accuracy: 8)),
            deviceName: "Test device")
    }

    /// A made-up position that tries a sink.
    static func position(at now: Instant) -> OutboxPosition {
        OutboxPosition(
            number: 0, deviceId: "picket-test", deviceName: "Picket test",
            fix: Fix(time: now, coordinate: .init(latitude: 52.5163, longitude: 13.3777), accuracy: 8))
    }
}

extension RegionStore.ParkedEvent {
    /// `{"sequence","parkedAt","problem","isResent","event"}`
    ///
    /// - Parameters:
    ///   - event: Nil when it has been erased since.
    ///   - contact: See `Problem.json(in:contact:)`.
    public func json(_ event: Event?, in language: Language, contact: SupportContact?) -> JSONValue {
        .compact([
            ("sequence", JSONValue(Int(sequence))), ("parkedAt", JSONValue(parkedAt)),
            ("problem", problem.json(in: language, contact: contact)),
            ("isResent", .bool(isResent)), ("event", event?.json),
        ])
    }
}
