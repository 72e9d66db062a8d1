import Model

/// Decides which events, and which devices' positions, are sent to a sink. An empty list restricts nothing.
///
/// The decision depends only on the event and the sink's time zone, not on the time of the call. A retraction can therefore be
/// sent to exactly those sinks that received the retracted event. `Sink.emergency` alone decides about emergencies.
package struct SinkFilter: Hashable, Sendable {
    /// Ids of geofences.
    package var geofences: [String]
    /// Ids of geofences whose events are not sent.
    package var notGeofences: [String]
    /// Ids of devices.
    package var devices: [String]
    /// Names of groups of devices. A device passes if it is in one of them.
    package var groups: [String]
    package var types: [EventType]
    /// Whether to send enter events of a device whose first fix is already inside.
    package var includesInitial: Bool
    /// Whether to send events that no fix shows and that were inferred from other data (`Event.inferred`).
    package var includesInferred: Bool
    /// Time windows during which recorded events are not sent, not even later.
    package var quietHours: [WeeklyWindow]
    /// Time windows outside of which recorded events are not sent, not even later. If empty, the time does not matter.
    package var schedule: [WeeklyWindow]

    package init(
        geofences: [String] = [], notGeofences: [String] = [], devices: [String] = [], groups: [String] = [],
        types: [EventType] = [], initial: Bool = false, inferred: Bool = true, quietHours: [WeeklyWindow] = [],
        schedule: [WeeklyWindow] = []
    ) {
        self.geofences = geofences
        self.notGeofences = notGeofences
        self.devices = devices
        self.groups = groups
        self.types = types
        self.includesInitial = initial
        self.includesInferred = inferred
        self.quietHours = quietHours
        self.schedule = schedule
    }

    /// Whether an event is sent. The event's geofence can also exclude types of events (`Geofence.Triggers`).
    ///
    /// Time windows, including the quiet hours of the device, apply to the moment at which Picket recorded the event.
    ///
    /// - Parameters:
    ///   - outbox: The event. To decide about a retraction, the caller passes the retracted event instead.
    ///   - zone: The time zone of the time windows.
    package func admits(_ outbox: OutboxEvent, in zone: SinkTimeZone) -> Bool {
        let event = outbox.event
        if let trigger = event.type.traits.trigger, !outbox.triggers.contains(trigger) { return false }
        if !admits(device: event.deviceId, groups: outbox.deviceGroups) { return false }
        if !admits(geofence: event.geofenceId) { return false }
        if !types.isEmpty, !types.contains(event.type) { return false }
        if !includesInitial, event.cause == .initial { return false }
        if !includesInferred, event.inferred { return false }
        if quietHours.isEmpty, outbox.quietHours.isEmpty, schedule.isEmpty { return true }
        let minute = zone.minuteOfWeek(event.recordedAt)
        if (quietHours + outbox.quietHours).contains(where: { $0.contains(minute) }) { return false }
        return schedule.isEmpty || schedule.contains { $0.contains(minute) }
    }

    /// Whether the lists of geofences admit the events of a geofence, or those that belong to none.
    package func admits(geofence: String?) -> Bool {
        (geofences.isEmpty || geofences.contains(geofence ?? "")) && !notGeofences.contains(geofence ?? "")
    }

    /// Whether the lists of devices and groups admit the events and positions of a device.
    package func admits(device: String, groups deviceGroups: [String]) -> Bool {
        (devices.isEmpty || devices.contains(device)) && (groups.isEmpty || groups.contains(where: deviceGroups.contains))
    }
}

extension SinkFilter: JSONWritable {
    package static let fields: [EntityField<SinkFilter>] = [
        .init(
            "geofences", .texts, at: \.geofences, omitting: [], help: "Only events of these geofences",
            option: .init("LIST", "'none' removes this filter", name: "--geofence")),
        .init(
            "notGeofences", .texts, at: \.notGeofences, omitting: [], help: "No events of these geofences",
            option: .init("LIST", name: "--not-geofence")),
        .init(
            "devices", .texts, at: \.devices, omitting: [], help: "Only events of these devices",
            option: .init("LIST", name: "--device")),
        .init(
            "groups", .texts, at: \.groups, omitting: [], help: "Only events of devices in these groups",
            option: .init("LIST", name: "--group")),
        .init(
            "types", .list(of: .sentType), at: \.types, omitting: [],
            help: "Only events of these types; retractions follow the retracted event",
            option: .init("LIST", "enter, exit, dwell, silent, returned, alarm, missed", name: "--type")),
        .init(
            "initial", .flag("yes", "no"), at: \.includesInitial, omitting: false,
            help: "Whether to include events of a device's first position, when it is already inside",
            option: .init("YES", builtIn: "no")),
        .init(
            "inferred", .flag("yes", "no"), at: \.includesInferred, omitting: true,
            help: "Whether to include events that are inferred from the positions before and after",
            option: .init("YES", builtIn: "yes")),
        .init(
            "quietHours", .windows, at: \.quietHours, omitting: [],
            help: "When nothing is sent, for example 22:00-07:00 or 'sat,sun 00:00-24:00'",
            option: .init("LIST", "separated by ';'", name: "--quiet")),
        .init(
            "schedule", .windows, at: \.schedule, omitting: [],
            help: "The only times at which something is sent, for example 'mon-fri 08:00-18:00'",
            option: .init("LIST", "separated by ';'")),
    ]

    /// Only values that differ from the defaults are written.
    package static let output = JSONOutput<SinkFilter>(
        "SinkFilter", summary: "Decides which events are sent; an omitted list admits all", fields: fields)

    package init(json: JSONValue) throws(Problem) {
        self.init()
        var members = try JSONFields(json, of: .filter)
        for field in Self.fields { try field.read(&self, &members) }
        try members.finish()
    }
}

extension FieldKind<SinkFilter> {
    static var filter: Self {
        .object(
            .object, decode: { (json) throws(Problem) in try SinkFilter(json: json) },
            parse: { (text, option) throws(Problem) in
                throw .validationFailed(field: option, value: text, reason: .notAnObject, expected: .object)
            })
    }
}

extension FieldKind<EventType> {
    /// The types that a filter can name. A retraction goes wherever the retracted event went.
    fileprivate static var sentType: Self {
        let words = EventType.allCases.filter { $0 != .retracted }.map(\.rawValue)
        return .written(
            as: .oneOf(EventType.allCases.map(\.rawValue)), text: { $0.rawValue },
            value: { words.contains($0) ? EventType(rawValue: $0) : nil },
            reason: .noSuchType, expected: .oneOf(words))
    }
}
