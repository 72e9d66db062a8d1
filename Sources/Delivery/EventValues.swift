import Model

/// The values of an event for use in messages.
struct EventValues {
    let outbox: OutboxEvent
    let text: EventText
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

    /// Whether the device has ever sent a position.
    var hasPlace: Bool { event.hasPosition }

    /// The event as JSON, with the device's name.
    var json: JSONValue {
        var members = event.json.members ?? []
        let place = members.firstIndex { $0.name == "deviceId" }.map { $0 + 1 } ?? members.count
        members.insert(.init("deviceName", .string(outbox.deviceName)), at: place)
        if let url = outbox.acknowledgeURL { members.append(.init("acknowledgeURL", .string(url))) }
        if outbox.repetition > 0 { members.append(.init("repetition", JSONValue(outbox.repetition))) }
        if isTest { members.append(.init("test", true)) }
        return .object(members)
    }

    /// Whether the event puts the device inside the geofence; nil when the type of event does not say. A retraction reverses the retracted
    /// event.
    var isInside: Bool? {
        switch event.type == .retracted ? outbox.original?.type : event.type {
        case .enter?: event.type != .retracted
        case .exit?: event.type == .retracted
        default: nil
        }
    }

    /// A link to OpenStreetMap with a marker at the position.
    var map: String {
        let place = event.fix.coordinate
        let (latitude, longitude) = (JSONValue(place.latitude).description, JSONValue(place.longitude).description)
        return "https://www.openstreetmap.org/?mlat=\(latitude)&mlon=\(longitude)#map=17/\(latitude)/\(longitude)"
    }

    /// The value of a field; nil when the event has none.
    func value(_ field: BodyTemplate.Field) -> JSONValue? {
        switch field {
        case .title: .string(text.title)
        case .message: .string(text.line)
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
        case .latitude: hasPlace ? JSONValue(event.fix.coordinate.latitude) : nil
        case .longitude: hasPlace ? JSONValue(event.fix.coordinate.longitude) : nil
        case .accuracy: event.fix.accuracy.map { JSONValue($0) }
        case .duration: event.duration.map { JSONValue($0) }
        case .cause: .string(event.cause.rawValue)
        case .inferred: .bool(event.inferred)
        case .id: .string(event.id)
        case .sequence: JSONValue(Int(event.sequence))
        case .retracts: event.retracts.map(JSONValue.string)
        case .map: hasPlace ? .string(map) : nil
        case .json: json
        }
    }

    /// A property of the geofence; nil when there is none with that name.
    func property(_ name: String) -> JSONValue? { event.properties.last { $0.name == name }?.value }
}
