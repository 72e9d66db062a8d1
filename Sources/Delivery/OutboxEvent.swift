import Model

/// An event with what is needed to send it.
package struct OutboxEvent: Sendable {
    package var event: Event
    package var deviceName: String
    /// The device's groups when the event happened.
    package var deviceGroups: [String]
    /// The device's quiet hours when the event happened.
    package var quietHours: [WeeklyWindow]
    /// The geofence's types of events that are sent to sinks.
    package var triggers: Geofence.Triggers
    /// The battery at the newest stored position of the device, from 0 to 1; nil if it is unknown.
    package var battery: Double?
    /// For a retraction, the retracted event.
    package var original: Event?
    /// For a retraction, whether the same correction records the event again, with other details.
    package var isReplaced = false
    /// The number of times an emergency was sent before. It is sent again until it is acknowledged.
    package var repetition = 0

    /// The page where a person acknowledges an emergency; nil when there is none.
    package var acknowledgeURL: String?

    /// Seconds from the event to its recording.
    package var age: Double { event.recordedAt - event.occurredAt }

    /// The idempotency key by which a receiver recognizes a message that arrives twice. Each repetition of an emergency has its own.
    var key: String { repetition == 0 ? event.id : "\(event.id)-\(repetition)" }

    package init(
        event: Event, deviceName: String, deviceGroups: [String] = [], quietHours: [WeeklyWindow] = [],
        triggers: Geofence.Triggers = .all
    ) {
        self.event = event
        self.deviceName = deviceName
        self.deviceGroups = deviceGroups
        self.quietHours = quietHours
        self.triggers = triggers
    }
}
