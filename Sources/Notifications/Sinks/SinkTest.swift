import Delivery
import Model

/// The result of a test message to a sink.
struct SinkTest: Sendable {
    var outcome: DeliveryOutcome
    /// Seconds until the response.
    var seconds: Double

    /// An event for testing a sink.
    static func testEvent(id: String, at now: Instant) -> OutboxEvent {
        OutboxEvent(
            event: Event(
                id: id, sequence: 0, type: .enter, deviceId: "test-device", geofenceId: "test-geofence",
                geofenceName: "Test geofence",
                occurredAt: now, recordedAt: now, confirmedAt: now, cause: .moved,
                fix: Fix(time: now, coordinate: .init(latitude: 52.5163, longitude: 13.3777), accuracy: 8)),
            deviceName: "Test device")
    }

    /// A position for testing a sink.
    static func testPosition(at now: Instant) -> OutboxPosition {
        OutboxPosition(
            number: 0, deviceId: "picket-test",
            fix: Fix(time: now, coordinate: .init(latitude: 52.5163, longitude: 13.3777), accuracy: 8))
    }
}

extension SinkTest: JSONWritable {
    static let output = JSONOutput<SinkTest>(
        "SinkTest", summary: "The result of a test message to a sink",
        .init("delivered", kind: .flag, summary: "Whether the message was delivered", content: \.isDelivered),
        .init("seconds", kind: .number, summary: "Seconds until the response") { ($0.seconds * 1000).rounded() / 1000 },
        .init("problem", optional: .object, summary: "Why it was not delivered", content: \.outcome.problem))

    private var isDelivered: Bool { outcome == .delivered }
}
