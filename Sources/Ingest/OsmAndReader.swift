import Model

/// Reads requests of the OsmAnd protocol whose encoding is known.
struct OsmAndReader {
    let now: Instant
    private let options: DecodingOptions
    private var times: TimeResolver
    private var attributes = AttributeWriter()

    init(now: Instant, options: DecodingOptions) {
        self.now = now
        self.options = options
        times = TimeResolver(options)
    }

    // MARK: Encodings

    /// Reads a query, a form's body, or both. The last value of a field wins.
    mutating func read(_ fields: [FormField], into batch: inout FixBatch) -> OsmAnd.Outcome {
        let fields = OsmAndSeparators.separate(fields)
        if let id = fields.first(where: { !$0.isUTF8 && JSONKeys.osmAnd.isDevice($0.name) }) {
            return .invalidID(field: id.name, value: id.value, reason: .expecting(.notUTF8, .percentEncodedUTF8))
        }
        return read(Self.members(of: fields), .osmAnd, line: 1, into: &batch)
    }

    /// Reads an object or an array of objects. The query's `id` names the device of objects without one.
    mutating func read(json bytes: Bytes, query: [FormField], into batch: inout FixBatch) -> OsmAnd.Outcome {
        let value: JSONValue
        do throws(JSONParser.Failure) {
            value = try JSONParser.parse(bytes)
        } catch {
            return .unreadable(reason: .expecting(.notJSON(error.reason), .osmAndObject))
        }
        let ids = OsmAndSeparators.separate(query).filter { JSONKeys.osmAnd.isDevice($0.name) }
        if let id = ids.first(where: { !$0.isUTF8 }) {
            return .invalidID(field: id.name, value: id.value, reason: .expecting(.notUTF8, .percentEncodedUTF8))
        }
        let names = Self.members(of: ids)
        switch value {
        case .object(let members):
            let located = members.last { $0.name == "location" || PositionList.names.contains($0.name) }
            guard let located, case .array(let locations) = located.value else {
                return read(object: members, names, .osmAnd, line: 1, into: &batch)
            }
            let others = PositionList.enclosing(members)
            let elements = locations.map { location in location.members.map { .object(others + $0) } ?? location }
            return read(list: elements, names, .backgroundGeolocation, into: &batch)
        case .array(let elements):
            return read(list: elements, names, .osmAnd, into: &batch)
        default:
            return .unreadable(reason: .expecting(.notAnObject, .osmAndObject))
        }
    }

    /// Reads the positions of one request. An element that is not a position is refused, and the others are read.
    private mutating func read(
        list: [JSONValue], _ names: [JSONValue.Member], _ flatKeys: JSONKeys, into batch: inout FixBatch
    ) -> OsmAnd.Outcome {
        if list.count > OsmAnd.maxPositions {
            return .unreadable(reason: .expecting(.elements(list.count), .positionsAtMost(OsmAnd.maxPositions)))
        }
        var hasDevice = list.isEmpty
        for (index, element) in list.enumerated() {
            guard let members = element.members else {
                refuse(
                    .malformed, nil, index + 1, "position", element.description,
                    .expecting(.notAnObject, Phrase("a message with id, lat and lon")), &batch)
                continue
            }
            let outcome = read(object: members, names, flatKeys, line: index + 1, into: &batch)
            hasDevice = hasDevice || outcome != .missingID
            switch outcome {
            case .positions: break
            case .missingID: refuse(.unknownDevice, nil, index + 1, "id", "", ReadingFlaw.missing(.device).reason, &batch)
            case .keepAlive(let device), .notificationToken(let device):
                refuse(.missing, device, index + 1, "lat", "", ReadingFlaw.missing(.latitude).reason, &batch)
            case .invalidID(let field, let value, let reason): refuse(.unreadable, nil, index + 1, field, value, reason, &batch)
            case .unreadable(let reason): refuse(.malformed, nil, index + 1, "position", element.description, reason, &batch)
            }
        }
        return hasDevice ? .positions : .missingID
    }

    /// - Parameters:
    ///   - names: Members that name the device if the object does not.
    ///   - flatKeys: The keys of an object with a position that is not nested.
    private mutating func read(
        object: [JSONValue.Member], _ names: [JSONValue.Member], _ flatKeys: JSONKeys, line: Int, into batch: inout FixBatch
    ) -> OsmAnd.Outcome {
        let nested = NestedPosition(object)
        if nested?.isFeature ?? false { batch.isOfOverland = true }
        let members = nested?.members ?? object
        let isNamed = members.contains { JSONKeys.osmAnd.isDevice($0.name) && $0.value != .null }
        return read(isNamed ? members : members + names, nested?.keys ?? flatKeys, line: line, into: &batch)
    }

    // MARK: One position

    private mutating func read(
        _ members: [JSONValue.Member], _ keys: JSONKeys, line: Int, into batch: inout FixBatch
    ) -> OsmAnd.Outcome {
        attributes.clear()
        let pair = Self.coordinatePair(in: members)
        var object = JSONReading(
            members + (pair?.members ?? []), keys, excluding: pair == nil ? [Self.token] : [Self.token, "location"],
            attributes: &attributes)
        guard let device = object.device, !device.isEmpty else { return .missingID }
        let id = object.source(of: .device)
        if OsmAndSeparators.isLeft(in: device) {
            return .invalidID(
                field: id.name, value: device,
                reason: .expecting(
                    Phrase("it contains other fields"),
                    Phrase("fields separated by &, for example id=bob&lat=52.5163&lon=13.3777")))
        }
        if let flaw = Identifier.flaw(inDevice: device) {
            return .invalidID(field: id.name, value: device, reason: .expecting(flaw, FixField.device.expected))
        }
        guard object.hasRead(.latitude) || object.hasRead(.longitude) else {
            if object.alarm != nil {
                batch.addAlarm(object, device: device, fix: nil)
                return .positions
            }
            if members.contains(where: { $0.name == Self.token }) { return .notificationToken(device: device) }
            if members.allSatisfy({ Self.namesOfSignOfLife.contains($0.name) }) { return .keepAlive(device: device) }
            let source = object.source(of: .latitude)
            let others = members.filter { !JSONKeys.osmAnd.isDevice($0.name) }
            let value = others.map { "\($0.name)=\($0.value.string ?? $0.value.description)" }.joined(separator: "&")
            refuse(.missing, device, line, source.name, value, .expecting(.missing, FixField.latitude.expected), &batch)
            return .positions
        }
        if !object.hasRead(.time) { object.reading.time = .moment(now) }
        do throws(ReadingFlaw) {
            let time = try times.resolve(object.reading, device: device)
            let fix = try Fix(object.reading, at: time.moment, allowsNullIsland: options.allowsNullIsland)
            batch.append(
                fix, at: time, device: batch.number(ofDevice: device), &attributes, line: line, isValid: object.reading.isValid)
            batch.addAlarm(object, device: device, fix: fix)
        } catch {
            batch.addAlarm(object, device: device, fix: nil)
            let isPlace = error.field == .latitude || error.field == .longitude
            let source = if isPlace, let pair { ("location", pair.text) } else { object.source(of: error.field) }
            refuse(error.kind, device, line, source.0, source.1, error.reason(ofValue: source.1), &batch)
        }
        return .positions
    }

    /// The members of a message without a position. A message with any other is meant to have one.
    private static let namesOfSignOfLife: Set = [
        "device_id", "deviceid", "id", "timestamp", "batt", "level", "charge", "is_charging", "alarm", "event", "driverUniqueId",
        "cell",
        "wifi", "valid", "motion", "is_moving", "activity", "odometer", "uuid", "mock", "extras",
    ]

    /// The name of a push token. The token is a secret and does not become an attribute.
    private static let token = "notificationToken"

    /// A position written as `location=60.0,30.0` instead of in two fields.
    private static func coordinatePair(in members: [JSONValue.Member]) -> (text: String, members: [JSONValue.Member])? {
        guard let text = members.last(where: { $0.name == "location" })?.value.string, !text.isEmpty,
            !members.contains(where: { Self.isCoordinate($0.name) && $0.value != .null })
        else { return nil }
        let parts = text.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
        let place = zip(["lat", "lon"], parts).map { JSONValue.Member($0, .string(String($1).trimmed)) }
        return (text, place)
    }

    private static func isCoordinate(_ name: String) -> Bool {
        JSONKeys.osmAnd.keys.contains { $0.name == name && ($0.field == .latitude || $0.field == .longitude) }
    }

    /// Fields as the members of an object. An empty value of a known field is dropped. All values of an unknown field that occurs more than
    /// once (`cell`, `wifi`) are kept.
    private static func members(of fields: [FormField]) -> [JSONValue.Member] {
        var members: [JSONValue.Member] = []
        for field in fields {
            if field.name == "location" || JSONKeys.osmAnd.keys.contains(where: { $0.name == field.name }) {
                var value = field.value.trimmed
                // A time with an offset whose plus sign was not escaped: `2026-05-01T10:00:00 02:00`.
                if field.name == "timestamp", let space = value.lastIndex(of: " "), value[..<space].contains("T"),
                    value[space...].dropFirst().first?.isNumber == true
                {
                    value.replaceSubrange(space...space, with: "+")
                }
                if !value.isEmpty { members.append(JSONValue.Member(field.name, .string(value))) }
            } else if let index = members.firstIndex(where: { $0.name == field.name }) {
                let before = members[index].value
                members[index].value = .array((before.array ?? [before]) + [.string(field.value)])
            } else {
                members.append(JSONValue.Member(field.name, .string(field.value)))
            }
        }
        return members
    }

    private func refuse(
        _ kind: Refusal.Kind, _ device: String?, _ line: Int, _ field: String, _ value: String, _ reason: Phrase,
        _ batch: inout FixBatch
    ) {
        batch.refusals.append(Refusal(kind, device: device, line: line, field: field, value: value, reason: reason))
    }
}

extension JSONKeys {
    /// The keys of the OsmAnd protocol (Traccar documentation, "OsmAnd protocol"): speed in knots, battery in percent.
    static let osmAnd = JSONKeys(keys: [
        Key(name: "device_id", field: .device), Key(name: "deviceid", field: .device), Key(name: "id", field: .device),
        Key(name: "timestamp", field: .time), Key(name: "lat", field: .latitude), Key(name: "lon", field: .longitude),
        Key(name: "latitude", field: .latitude, isAlias: true), Key(name: "longitude", field: .longitude, isAlias: true),
        Key(name: "accuracy", field: .accuracy), Key(name: "hacc", field: .accuracy), Key(name: "altitude", field: .altitude),
        Key(name: "speed", field: .speed, divisor: 3600.0 / 1852), Key(name: "bearing", field: .course),
        Key(name: "heading", field: .course), Key(name: "batt", field: .battery, divisor: 100),
    ])

    /// Whether a name is a key of the device.
    fileprivate func isDevice(_ name: String) -> Bool { keys.contains { $0.field == .device && $0.name == name } }
}
