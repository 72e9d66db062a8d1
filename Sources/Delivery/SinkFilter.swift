import Model

/// An event with what has to be known to send it.
public struct OutboxEvent: Sendable {
    public var event: Event
    public var deviceName: String
    /// The device's groups when the event happened.
    public var deviceGroups: [String]
    /// What the geofence tells to sinks.
    public var triggers: Geofence.Triggers
    /// Of a retraction: the event that it takes back.
    public var original: Event?
    /// How often an emergency was sent before: it is sent again until somebody acknowledges it.
    public var repetition = 0

    /// Where a person says that they have seen an emergency; nil when there is no such place.
    public var acknowledgeURL: String?

    /// What a receiver knows the message by, also when it comes twice. A repetition is a message of its own.
    var key: String { repetition == 0 ? event.id : "\(event.id)-\(repetition)" }

    public init(
        event: Event, deviceName: String, deviceGroups: [String] = [], triggers: Geofence.Triggers = .all, original: Event? = nil
    ) {
        self.event = event
        self.deviceName = deviceName
        self.deviceGroups = deviceGroups
        self.triggers = triggers
        self.original = original
    }
}

/// Which events a sink is sent. A list that is empty admits all.
///
/// What a filter decides depends on the event alone, not on when it is asked: so that it is known later which events were sent.
public struct SinkFilter: Hashable, Sendable {
    public var geofences: [String]
    public var devices: [String]
    /// Groups of devices.
    public var groups: [String]
    public var types: [EventType]
    /// Whether events of a device's first fix are sent, that was inside already.
    public var initial: Bool
    /// Whether events are sent that follow from what was seen before and after.
    public var inferred: Bool
    /// When nothing is sent.
    public var quietHours: [WeeklyWindow]
    /// When something is sent at all; at any time when it is empty.
    public var schedule: [WeeklyWindow]

    public init(
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

    /// Whether an event is sent. A retraction is asked for by the event that it takes back.
    ///
    /// The windows are about the moment at which Picket recorded the event.
    public func admits(_ outbox: OutboxEvent, in zone: SinkTimeZone) -> Bool {
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

    /// Whether a device's events or positions are sent.
    public func admits(device: String, groups ofDevice: [String]) -> Bool {
        (devices.isEmpty || devices.contains(device)) && (groups.isEmpty || groups.contains(where: ofDevice.contains))
    }
}

extension Geofence.Triggers {
    /// The trigger of a type of event; nil for those that are always told.
    static func of(_ type: EventType) -> Geofence.Triggers? {
        switch type {
        case .enter: .enter
        case .exit: .exit
        case .dwell: .dwell
        case .silent, .returned, .alarm, .missed, .retracted: nil
        }
    }
}
