import Core
import Delivery
import Model
import Notifications

extension SupportBundle {
    /// Adds the sinks and their statuses. Of their addresses only the server is included, because paths contain keys, and mail addresses
    /// belong to people.
    ///
    /// - Parameter statuses: The statuses in a running service by id; nil if none runs.
    fileprivate mutating func add(sinks: [Queries.StoredSink], _ statuses: [String: SinkStatus]?) {
        add(
            "sinks",
            .array(
                sinks.map { stored in
                    let status = statuses?[stored.sink.id]
                    return .compact([
                        ("id", .string(stored.sink.id)), ("kind", .string(stored.sink.target.kind.rawValue)),
                        ("server", .string(stored.sink.target.peer)), ("isPaused", .bool(stored.pausedAt != nil)),
                        ("connection", status.map { Self.json($0.connection) }),
                        ("waiting", status.map { JSONValue($0.waiting) }), ("parked", JSONValue(stored.rejected)),
                        ("delivered", JSONValue(status?.delivered ?? stored.delivered)),
                        ("lastDeliveredAt", (status?.deliveredAt ?? stored.deliveredAt).map { JSONValue($0) }),
                    ])
                }))
    }

    private static func json(_ connection: ConnectionStatus) -> JSONValue {
        .compact([
            ("state", .string(connection.state.name.rawValue)), ("attempt", connection.state.attempt.map { JSONValue($0) }),
            ("since", JSONValue(connection.since)), ("problem", connection.problem.map { .string($0.code) }),
        ])
    }
}

extension Queries {
    /// Adds the sinks to a report.
    ///
    /// - Parameter statuses: The statuses in a running service by id; nil if none runs.
    package func addSinks(to report: inout SupportBundle, _ statuses: [String: SinkStatus]?) throws(Problem) {
        report.add(sinks: try sinks(), statuses)
    }
}
