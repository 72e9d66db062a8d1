import Model

/// Which events are sent to a sink. An empty list admits everything.
///
/// The decision depends only on the event, not on the time of the call, so that it can be reproduced later.
package struct SinkFilter: Hashable, Sendable {
    package var geofences: [String]
    package var devices: [String]
    /// Groups of devices.
    package var groups: [String]
    package var types: [EventType]
    /// Whether to send enter events of a device whose first fix is already inside.
    package var initial: Bool
    /// Whether to send events that were inferred from fixes before and after.
    package var inferred: Bool
    /// Times when nothing is sent.
    package var quietHours: [WeeklyWindow]
    /// Times when events are sent; any time when empty.
    package var schedule: [WeeklyWindow]

    package init(
        geofences: [String] = [], devices: [String] = [], groups: [String] = [], types: [EventType] = [], initial: Bool = false,
        inferred: Bool = true, quietHours: [WeeklyWindow] = [], schedule: [WeeklyWindow] = []
    ) {
        self.geofences = geofences
        self.devices = devices
        self.groups = groups
        self.types = types
        self.initial = initial
        self.inferred = inferred
        self.quietHours = quietHours
        self.schedule = schedule
    }

    /// Whether an event is sent. For a retraction the caller passes the retracted event.
    ///
    /// Time windows apply to the moment at which Picket recorded the event.
    package func admits(_ outbox: OutboxEvent, in zone: SinkTimeZone) -> Bool {
        let event = outbox.event
        if let trigger = Geofence.Triggers.of(event.type), !outbox.triggers.contains(trigger) { return false }
        if !admits(device: event.deviceId, groups: outbox.deviceGroups) { return false }
        if !geofences.isEmpty, !geofences.contains(event.geofenceId ?? "") { return false }
        if !types.isEmpty, !types.contains(event.type) { return false }
        if !initial, event.cause == .initial { return false }
        if !inferred, event.inferred { return false }
        if quietHours.isEmpty, schedule.isEmpty { return true }
        let minute = zone.minuteOfWeek(event.recordedAt)
        if quietHours.contains(where: { $0.contains(minute) }) { return false }
        return schedule.isEmpty || schedule.contains { $0.contains(minute) }
    }

    /// Whether events or positions of a device are sent.
    package func admits(device: String, groups ofDevice: [String]) -> Bool {
        (devices.isEmpty || devices.contains(device)) && (groups.isEmpty || groups.contains(where: ofDevice.contains))
    }
}

extension Geofence.Triggers {
    /// The trigger for a type of event; nil for types that are always sent.
    static func of(_ type: EventType) -> Geofence.Triggers? {
        switch type {
        case .enter: .enter
        case .exit: .exit
        case .dwell: .dwell
        case .silent, .returned, .alarm, .missed, .retracted: nil
        }
    }
}
