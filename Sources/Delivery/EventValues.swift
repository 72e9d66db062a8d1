import Model

/// The values of an event that a sink's message can contain: the event's JSON, and the values of template fields.
struct EventValues {
    let outbox: OutboxEvent
    /// The sentences about the event in the sink's language.
    let text: EventText
    /// The time zone of the local times in the message.
    let zone: SinkTimeZone
    /// Whether the event is made up to test a sink.
    let isTest: Bool

    init(_ outbox: OutboxEvent, language: Language, zone: SinkTimeZone, isTest: Bool) {
        self.outbox = outbox
        self.zone = zone
        self.isTest = isTest
        text = EventText(outbox, language: language, zone: zone, isTest: isTest)
    }

    private var event: Event { outbox.event }

    /// Whether the event has a position. False for an alarm or a missed event of a device that had never sent a usable position.
    var hasPosition: Bool { event.hasPosition }

    /// The event's JSON with further members: the device's name, the acknowledge URL and the repetition of an emergency, and
    /// `test` for a test event.
    var json: JSONValue {
        var members = event.json.members ?? []
        let insertionIndex = members.firstIndex { $0.name == "deviceId" }.map { $0 + 1 } ?? members.count
        members.insert(.init("deviceName", .string(outbox.deviceName)), at: insertionIndex)
        if let url = outbox.acknowledgeURL { members.append(.init("acknowledgeURL", .string(url))) }
        if outbox.repetition > 0 { members.append(.init("repetition", JSONValue(outbox.repetition))) }
        if isTest { members.append(.init("test", true)) }
        return .object(members)
    }

    /// Whether the device is inside the geofence after the event: true for enter, false for exit, and the opposite for a
    /// retraction of one of these. Nil for all other events, including dwell, and for a retraction that is followed by the same event.
    var isInsideAfterEvent: Bool? {
        if outbox.isReplaced { return nil }
        return switch event.type == .retracted ? outbox.original?.type : event.type {
        case .enter?: event.type != .retracted
        case .exit?: event.type == .retracted
        default: nil
        }
    }

    /// A link to OpenStreetMap with a marker at the position. Meaningless when `hasPosition` is false.
    var mapURL: String {
        let coordinate = event.fix.coordinate
        let (latitude, longitude) = (JSONValue(coordinate.latitude).description, JSONValue(coordinate.longitude).description)
        return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
    }

    /// The value of a template field; nil when the event has no value for the field.
    func value(_ field: BodyTemplate.Field) -> JSONValue? {
        switch field {
        case .title: .string(text.title)
        case .message: .string(text.titleAndBody)
        case .text: .string(text.body)
        case .type: .string(event.type.rawValue)
        case .device: .string(outbox.deviceName)
        case .deviceId: .string(event.deviceId)
        case .geofence: event.geofenceName.map(JSONValue.string)
        case .geofenceId: event.geofenceId.map(JSONValue.string)
        case .time: .string(zone.clockTime(event.occurredAt))
        case .dateTime: .string(zone.dateTime(event.occurredAt))
        case .occurredAt: JSONValue(event.occurredAt)
        case .recordedAt: JSONValue(event.recordedAt)
        case .latitude: hasPosition ? JSONValue(event.fix.coordinate.latitude) : nil
        case .longitude: hasPosition ? JSONValue(event.fix.coordinate.longitude) : nil
        case .accuracy: event.fix.accuracy.map { JSONValue($0) }
        case .duration: event.duration.map { JSONValue($0) }
        case .cause: .string(event.cause.rawValue)
        case .inferred: .bool(event.inferred)
        case .id: .string(event.id)
        case .sequence: JSONValue(Int(event.sequence))
        case .retracts: event.retracts.map(JSONValue.string)
        case .map: hasPosition ? .string(mapURL) : nil
        case .json: json
        }
    }

    /// The value of a geofence's custom property; nil when no property has that name. If several properties have the name, the
    /// last counts.
    func property(_ name: String) -> JSONValue? { event.properties.last { $0.name == name }?.value }
}
