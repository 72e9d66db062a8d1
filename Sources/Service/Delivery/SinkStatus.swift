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
    /// - Parameter status: What the running service knows; nil when none runs.
    public func json(_ status: SinkStatus?, in language: Language) -> JSONValue {
        let connection =
            status?.connection.json(in: language)
            ?? pausedAt.map { ConnectionStatus(state: .paused(pausedBy), since: $0, problem: pausedBy).json(in: language) }
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
    public init(_ sink: Sink, _ connection: ConnectionStatus) {
        self.init(
            .sink, deviceId: nil,
            ["id": .string(sink.id), "kind": .string(sink.target.kind.rawValue), "connection": connection.json(in: .english)])
    }
}

/// What came of a message that tried a sink.
public struct SinkTest: Sendable {
    public var outcome: DeliveryOutcome
    /// Until the answer.
    public var seconds: Double

    /// `{"delivered":true,"seconds":0.02}` or with the problem.
    public func json(in language: Language) -> JSONValue {
        .compact([
            ("delivered", .bool(outcome == .delivered)), ("seconds", JSONValue((seconds * 1000).rounded() / 1000)),
            ("problem", outcome.problem?.json(in: language)),
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
    /// - Parameter event: Nil when it has been erased since.
    public func json(_ event: Event?, in language: Language) -> JSONValue {
        .compact([
            ("sequence", JSONValue(Int(sequence))), ("parkedAt", JSONValue(parkedAt)), ("problem", problem.json(in: language)),
            ("isResent", .bool(isResent)), ("event", event?.json),
        ])
    }
}
