import Model

/// The names of a position's members in JSON.
struct JSONKeys {
    /// One possible name of a field.
    struct Key {
        var name: String
        var field: FixField
        /// The divisor that converts the number to the field's unit.
        var divisor = 1.0
        /// Whether a coordinate is in degrees times 10⁷.
        var isE7 = false
        /// Whether a number below 0 means that the value is unknown.
        var isUnknownBelowZero = false
        /// Whether the name is understood, but is not the one of the protocol.
        var isAlias = false

        /// A number as degrees.
        fileprivate func degrees(_ number: Double) -> Double {
            isE7 ? AngleText.degrees(e7: number) : number
        }
    }

    /// The names, in order of precedence within each field.
    let keys: [Key]

    /// The names of all fields in positions of apps, in any of their protocols.
    static let namesOfFields = Set((own.keys + osmAnd.keys + backgroundGeolocation.keys).map(\.name))

    /// Picket's own JSON and common short names. A position's `id` names the device if no other member does. `fixTime` of Traccar's positions
    /// precedes all other times, because it is when the device was there.
    static let own = JSONKeys(keys: ownExceptSpeed + speeds)

    private static let ownExceptSpeed: [Key] = [
        Key(name: "device", field: .device), Key(name: "deviceId", field: .device), Key(name: "device_id", field: .device),
        Key(name: "id", field: .device),
        Key(name: "fixTime", field: .time), Key(name: "timestamp", field: .time), Key(name: "time", field: .time),
        Key(name: "tst", field: .time), Key(name: "deviceTime", field: .time), Key(name: "serverTime", field: .time),
        Key(name: "latitude", field: .latitude), Key(name: "lat", field: .latitude),
        Key(name: "longitude", field: .longitude), Key(name: "lon", field: .longitude), Key(name: "lng", field: .longitude),
        Key(name: "accuracy", field: .accuracy), Key(name: "acc", field: .accuracy),
        Key(name: "altitude", field: .altitude), Key(name: "alt", field: .altitude),
        Key(name: "course", field: .course), Key(name: "heading", field: .course), Key(name: "bearing", field: .course),
        Key(name: "battery", field: .battery), Key(name: "batt", field: .battery, divisor: 100),
    ]

    private static let speeds: [Key] = SpeedUnit.allCases.flatMap { unit in
        unit.memberNames.map { Key(name: $0, field: .speed, divisor: unit.divisor) }
    }

    /// The keys with `speed` in knots, as Traccar's API and exports have it.
    private func speedInKnots() -> JSONKeys {
        JSONKeys(keys: keys.map { $0.name == "speed" ? Key(name: $0.name, field: .speed, divisor: SpeedUnit.knots.divisor) : $0 })
    }

    private static let ownOfTraccar = own.speedInKnots()
    private static let propertiesOfTraccar = properties.speedInKnots()

    /// The keys for a position with these members. Traccar's positions have `fixTime` beside other times.
    static func own(for members: [JSONValue.Member]) -> JSONKeys { isOfTraccar(members) ? ownOfTraccar : own }

    /// The keys for the properties of a GeoJSON point.
    static func properties(for members: [JSONValue.Member]) -> JSONKeys {
        isOfTraccar(members) ? propertiesOfTraccar : properties
    }

    private static func isOfTraccar(_ members: [JSONValue.Member]) -> Bool {
        members.contains { $0.name == "fixTime" } && members.contains { $0.name == "deviceTime" || $0.name == "serverTime" }
    }

    /// The members of an OwnTracks location (OwnTracks booklet, "JSON"): `vel` in km/h, `batt` in percent. The topic names the device.
    static let ownTracks = JSONKeys(keys: [
        Key(name: "tst", field: .time), Key(name: "lat", field: .latitude), Key(name: "lon", field: .longitude),
        Key(name: "acc", field: .accuracy), Key(name: "alt", field: .altitude),
        Key(name: "vel", field: .speed, divisor: 3.6), Key(name: "cog", field: .course),
        Key(name: "batt", field: .battery, divisor: 100),
    ])

    /// The properties of a GeoJSON point, whose coordinates are in the geometry. Overland has the names with `horizontal_accuracy`.
    static let properties = JSONKeys(
        keys: own.keys.filter { $0.field != .latitude && $0.field != .longitude }
            + ["datetime", "dateTime", "date_time", "date", "utc"].map { Key(name: $0, field: .time) }
            + [
                Key(name: "name", field: .device), Key(name: "elevation", field: .altitude), Key(name: "ele", field: .altitude),
                Key(name: "horizontal_accuracy", field: .accuracy, isUnknownBelowZero: true),
                Key(name: "battery_level", field: .battery),
            ])

    /// The members of a GeoJSON feature with a point, as `NestedPosition` has them.
    static let feature = JSONKeys(
        keys: properties.keys + [Key(name: "latitude", field: .latitude), Key(name: "longitude", field: .longitude)])

    /// The keys of Transistor Software's library for background geolocation, as in Traccar Client 9: speed in m/s, −1 for unknown values.
    static let backgroundGeolocation = JSONKeys(keys: [
        Key(name: "device_id", field: .device), Key(name: "deviceid", field: .device), Key(name: "id", field: .device),
        Key(name: "timestamp", field: .time), Key(name: "latitude", field: .latitude), Key(name: "longitude", field: .longitude),
        Key(name: "accuracy", field: .accuracy, isUnknownBelowZero: true), Key(name: "altitude", field: .altitude),
        Key(name: "speed", field: .speed), Key(name: "heading", field: .course), Key(name: "level", field: .battery),
    ])

    /// The keys of a position that Traccar forwards, as `NestedPosition` has them: speed in knots, `batteryLevel` in percent. `battery` is the
    /// voltage there.
    static let forwardedByTraccar = JSONKeys(
        keys: ownOfTraccar.keys.filter { $0.field != .battery && ($0.field != .device || $0.name == "id") }
            + [Key(name: "batteryLevel", field: .battery, divisor: 100)])

    /// The keys of `Records.json` of Google Takeout: degrees times 10⁷, times also in milliseconds, speed in m/s. The export does not name the
    /// device.
    static let takeout = JSONKeys(keys: [
        Key(name: "timestampMs", field: .time), Key(name: "timestamp", field: .time),
        Key(name: "latitudeE7", field: .latitude, isE7: true), Key(name: "longitudeE7", field: .longitude, isE7: true),
        Key(name: "accuracy", field: .accuracy, isUnknownBelowZero: true), Key(name: "altitude", field: .altitude),
        Key(name: "velocity", field: .speed), Key(name: "heading", field: .course),
    ])

    /// The members of a Takeout position that are lists of guesses, or of the networks around, and do not become attributes.
    static let unusedOfTakeout: Set = ["activity", "activeWifiScan", "inferredLocation", "locationMetadata"]

    /// Whether an object is a position of Google Takeout.
    static func isOfTakeout(_ members: [JSONValue.Member]) -> Bool {
        members.contains { ["latitudeE7", "longitudeE7", "timestampMs"].contains($0.name) }
    }
}

/// A position that was read from the members of a JSON object.
struct JSONReading {
    var reading = PositionReading()
    var device: String?
    /// The kind of alarm; nil for none.
    private(set) var alarm: String?
    /// The member from which each field was read.
    private(set) var sources: [FixField: JSONValue.Member] = [:]
    private let keys: JSONKeys

    /// Reads members by their names. A `null` member counts as absent. Unknown members become attributes, and so do members of optional
    /// fields that are not numbers. `hdop` and `valid` have the same meaning in every format, and become attributes as well.
    init(
        _ members: [JSONValue.Member], _ keys: JSONKeys, excluding passingOver: Set<String> = [],
        attributes: inout AttributeWriter
    ) {
        self.keys = keys
        for key in keys.keys where sources[key.field] == nil {
            guard let member = members.last(where: { $0.name == key.name }), member.value != .null else { continue }
            sources[key.field] = member
            readField(member.value, key)
        }
        if let member = members.last(where: { $0.name == "hdop" }), let number = Self.number(member.value) {
            reading.dilution = number
        }
        if let member = members.last(where: { $0.name == "valid" }) { reading.isValid = !Self.isFalse(member.value) }
        alarm = Self.alarm(in: members)
        for member in members where !passingOver.contains(member.name) {
            let source = sources.first { $0.value.name == member.name }
            if source == nil && !(member.value == .null && keys.keys.contains { $0.name == member.name }) {
                attributes.add(name: member.name, json: member.value.description)
            }
        }
    }

    /// The name and value of the member from which a field was read, for messages. For a missing field, its usual name and an empty value.
    func source(of field: FixField) -> (name: String, value: String) {
        guard let member = sources[field] else {
            let usual = keys.keys.first { $0.name == field.name && !$0.isAlias } ?? keys.keys.first { $0.field == field }
            return (usual?.name ?? field.name, "")
        }
        return (member.name, member.value.string ?? member.value.description)
    }

    /// Whether a field was read.
    func hasRead(_ field: FixField) -> Bool { sources[field] != nil }

    private mutating func readField(_ value: JSONValue, _ key: JSONKeys.Key) {
        switch key.field {
        case .device:
            device = Self.text(value)
            if device == nil, reading.unreadable == nil { reading.unreadable = .device }
        case .time:
            reading.time = Self.text(value).map { WrittenTime($0) } ?? .unusable(.notATime)
        case .latitude: reading.latitude = reading.required(Self.number(value).map(key.degrees), .latitude)
        case .longitude: reading.longitude = reading.required(Self.number(value).map(key.degrees), .longitude)
        case .accuracy:
            let number = reading.required(Self.number(value), .accuracy)
            if !(number < 0 && key.isUnknownBelowZero) { reading.accuracy = number }
        case .altitude, .speed, .course, .battery:
            // Without a source the member becomes an attribute.
            guard let number = Self.number(value) else {
                sources[key.field] = nil
                return
            }
            reading.setOptional(number, key.field, divisor: key.divisor)
        }
    }

    /// The kind of alarm that the members name. Traccar Client puts it into `extras`.
    private static func alarm(in members: [JSONValue.Member]) -> String? {
        let own = members.last { $0.name == "alarm" }?.value
        guard let value = own ?? members.last(where: { $0.name == "extras" })?.value["alarm"] else { return nil }
        if case .bool(let flag) = value { return flag ? "general" : nil }
        let kind = (text(value) ?? "").unicodeScalars
            .filter { !$0.properties.isWhitespace && $0.properties.generalCategory != .control }
            .reduce(into: "") { $0.unicodeScalars.append($1) }
        if kind.isEmpty || Validity.isFalse(kind) || kind.lowercased() == "none" { return nil }
        return kind == "1" || kind.lowercased() == "true" ? "general" : String(kind.prefix(64))
    }

    /// Whether a value means no: `false`, `0`, or a string with one of these.
    private static func isFalse(_ value: JSONValue) -> Bool {
        if case .bool(let flag) = value { return !flag }
        return Validity.isFalse(text(value) ?? "")
    }

    /// The text of a string, or the literal of a number.
    static func text(_ value: JSONValue) -> String? {
        switch value {
        case .string(let text), .number(let text): text
        default: nil
        }
    }

    /// The value of a number, or of a string that contains a number.
    static func number(_ value: JSONValue) -> Double? {
        text(value)?.withBytes { DecimalNumber.parse($0, 0..<$0.count) }
    }
}

extension PositionReading {
    /// Stores the value of an optional field.
    @inline(__always)
    mutating func setOptional(_ number: Double, _ field: FixField, divisor: Double) {
        switch field {
        case .altitude: altitude = number
        case .speed: speed = number / divisor
        case .course: course = number
        case .battery: battery = divisor == 1 ? Self.charge(number) : Self.charge(percent: number)
        default: break
        }
    }
}
