import Model

/// How devices and geofences are announced to Home Assistant over a broker, so that they appear there by themselves.
///
/// All of it is retained messages: a configuration for each entity below the discovery prefix, and the states that those refer to
/// below `base`. Source of the format: home-assistant.io/integrations/mqtt, "MQTT Discovery", and the pages of the components
/// `device_tracker.mqtt`, `binary_sensor.mqtt` and `sensor.mqtt`.
public struct HomeAssistantDiscovery: Hashable, Sendable {
    /// Where Home Assistant looks for configurations; `homeassistant` unless its settings say otherwise.
    public var prefix: String
    /// The first level of the topics of states, 1 to 64 of `A-Z a-z 0-9 _ -`. Services that share a broker each have one of their own.
    public var base: String

    public static let usualPrefix = "homeassistant"
    public static let usualBase = "picket"

    public init(prefix: String = usualPrefix, base: String = usualBase) {
        self.prefix = prefix
        self.base = base
    }

    /// A device as Home Assistant is told of it.
    public struct Device: Hashable, Sendable {
        public var id: String
        public var name: String
        /// What kind of phone it is; nil for others.
        public var model: String?
        /// The geofences that are for it.
        public var fences: [Fence]
        /// Its newest position that is not doubted; nil for none.
        public var fix: Fix?
        /// The ids of the geofences that it is in; nil while nothing is known of where it is.
        public var inside: Set<String>?
        /// How its registrations are; nil when it has none.
        public var registration: Registration?

        public init(
            id: String, name: String, model: String? = nil, fences: [Fence] = [], fix: Fix? = nil, inside: Set<String>? = nil,
            registration: Registration? = nil
        ) {
            self.id = id
            self.name = name
            self.model = model
            self.fences = fences
            self.fix = fix
            self.inside = inside
            self.registration = registration
        }
    }

    /// How healthy a device's registrations are.
    public struct Registration: Hashable, Sendable {
        /// Nil when that is not known.
        public var isHealthy: Bool?
        public var summary: String?

        public init(isHealthy: Bool?, summary: String?) {
            self.isHealthy = isHealthy
            self.summary = summary
        }

        static let states = ["healthy", "unhealthy", "unknown"]
        var state: String { isHealthy.map { $0 ? "healthy" : "unhealthy" } ?? "unknown" }
    }

    /// A geofence as Home Assistant is told of it.
    public struct Fence: Hashable, Sendable {
        public var id: String
        public var name: String

        public init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The first thing that is wrong with it.
    var flaw: Problem? {
        if prefix.isEmpty || prefix.hasPrefix("$") || prefix.utf8.count > 200 || prefix.contains(where: { "+#\0".contains($0) }) {
            return .validationFailed(
                field: "discovery", value: prefix, reason: "it cannot be published to",
                expected: "Home Assistant's discovery prefix, as \(Self.usualPrefix)")
        }
        if base.isEmpty || base.utf8.count > 64 || base.utf8.contains(where: { !Self.isPlain($0) && $0 != UInt8(ascii: "_") }) {
            return .validationFailed(
                field: "base", value: base, reason: "it is not a name of this service in topics",
                expected: "1 to 64 of A-Z a-z 0-9 _ -, as \(Self.usualBase)")
        }
        if base == prefix {
            return .validationFailed(
                field: "base", value: base, reason: "Home Assistant's own topics begin with it",
                expected: "another name than the discovery prefix")
        }
        return nil
    }

    // MARK: - Topics

    /// Says `online` while the service runs and is connected, else `offline`.
    public var availabilityTopic: String { "\(base)/status" }

    /// The configurations of all entities that this service ever made, for a subscription.
    public var configurations: String { "\(prefix)/+/\(base)/+/config" }

    /// Whether a topic is of a configuration, and not of a state.
    func isConfiguration(_ topic: String) -> Bool {
        // Topics of states have no more than three levels after the base.
        topic.hasPrefix("\(prefix)/") && topic.hasSuffix("/config")
            && topic.dropFirst(prefix.count).split(separator: "/", omittingEmptySubsequences: false).count == 5
    }

    private func configuration(_ component: String, _ object: String) -> String {
        "\(prefix)/\(component)/\(base)/\(object)/config"
    }

    private func topic(_ device: Device) -> String { "\(base)/\(Self.level(device.id))" }

    private func stateTopic(_ device: Device, _ fence: Fence) -> String { "\(topic(device))/in/\(Self.level(fence.id))" }

    /// A text as one level of a topic, different for different texts: what a level cannot hold is written as in URLs.
    static func level(_ text: String) -> String {
        escaped(text, keeping: { MQTTTarget.isPublishable($0) && !" /%$".unicodeScalars.contains($0) }, as: { "%\($0)" })
    }

    /// A text with the characters that Home Assistant allows in the last name of a configuration, different for different texts. An
    /// underscore in it is always followed by two hexadecimal digits.
    static func object(_ text: String) -> String {
        escaped(text, keeping: { $0.isASCII && isPlain(UInt8($0.value)) }, as: { "_\($0)" })
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private static func escaped(
        _ text: String, keeping isKept: (Unicode.Scalar) -> Bool, as escape: (String) -> String
    ) -> String {
        var escaped = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if isKept(scalar) {
                escaped.append(scalar)
            } else {
                for byte in String(scalar).utf8 {
                    let digits = String(byte, radix: 16)
                    escaped.append(contentsOf: escape(digits.count < 2 ? "0\(digits)" : digits).unicodeScalars)
                }
            }
        }
        return String(escaped)
    }

    // MARK: - Messages

    /// More entities than these are not announced: Home Assistant shows and stores each of them.
    public static let mostEntities = 5000

    /// The configurations of all entities, by topic.
    public func configurations(_ devices: [Device], language: Language) -> [String: String] {
        var messages: [String: String] = [:]
        for device in devices {
            let object = Self.object(device.id)
            let id = "picket_\(Self.object(base))_\(object)"
            let shared: [JSONValue.Member] = [
                .init("availability_topic", .string(availabilityTopic)),
                .init(
                    "device",
                    .compact([
                        ("identifiers", [.string(id)]), ("name", .string(device.name)), ("manufacturer", "Picket"),
                        ("model", device.model.map(JSONValue.string)),
                    ])),
                .init("origin", ["name": "Picket"]),
            ]
            func add(_ component: String, _ object: String, _ members: [(String, JSONValue?)]) {
                let all = (JSONValue.compact(members).members ?? []) + shared
                messages[configuration(component, object)] = JSONValue.object(all).description
            }
            // An entity without a name is called as its device. Home Assistant finds the zone by the attributes' coordinates.
            add(
                "device_tracker", object,
                [
                    ("name", .null), ("unique_id", .string(id)), ("source_type", "gps"),
                    ("json_attributes_topic", .string("\(topic(device))/position")),
                ])
            if device.registration != nil {
                add(
                    "sensor", object,
                    [
                        ("name", .string(language.words.registration)), ("unique_id", .string(id + "_registration")),
                        ("device_class", "enum"), ("options", .array(Registration.states.map(JSONValue.string))),
                        ("state_topic", .string("\(topic(device))/registration")),
                        ("json_attributes_topic", .string("\(topic(device))/registration/attributes")),
                        ("entity_category", "diagnostic"), ("icon", "mdi:cellphone-check"),
                    ])
            }
            for fence in device.fences {
                add(
                    "binary_sensor", "\(object)_in_\(Self.object(fence.id))",
                    [
                        ("name", .string(fence.name)), ("unique_id", .string("\(id)_in_\(Self.object(fence.id))")),
                        ("device_class", "occupancy"), ("state_topic", .string(stateTopic(device, fence))),
                        ("payload_on", "inside"), ("payload_off", "outside"), ("icon", "mdi:map-marker-radius"),
                    ])
            }
        }
        return messages
    }

    /// The states of all entities, by topic.
    public func states(_ devices: [Device]) -> [String: String] {
        var messages = [availabilityTopic: "online"]
        for device in devices {
            if let fix = device.fix { messages["\(topic(device))/position"] = Self.attributes(fix, of: device).description }
            if let registration = device.registration {
                messages["\(topic(device))/registration"] = registration.state
                messages["\(topic(device))/registration/attributes"] =
                    JSONValue.compact([("summary", registration.summary.map(JSONValue.string))]).description
            }
            guard let inside = device.inside else { continue }
            for fence in device.fences { messages[stateTopic(device, fence)] = inside.contains(fence.id) ? "inside" : "outside" }
        }
        return messages
    }

    private static func attributes(_ fix: Fix, of device: Device) -> JSONValue {
        let names = device.fences.filter { device.inside?.contains($0.id) ?? false }.map(\.name)
        return .compact([
            ("latitude", JSONValue(fix.coordinate.latitude)), ("longitude", JSONValue(fix.coordinate.longitude)),
            ("gps_accuracy", fix.accuracy.map { JSONValue($0) }), ("altitude", fix.altitude.map { JSONValue($0) }),
            ("speed", fix.speed.map { JSONValue($0) }), ("course", fix.course.map { JSONValue($0) }),
            ("battery_level", fix.battery.map { JSONValue(($0 * 100).rounded()) }), ("timestamp", JSONValue(fix.time)),
            ("geofences", .array(names.sorted().map(JSONValue.string))),
        ])
    }
}
