import Model

/// Announces devices and geofences to Home Assistant over a broker, so that their entities appear automatically.
///
/// All messages are retained: one configuration per entity under the discovery prefix, and states under `base`. Source of the format:
/// home-assistant.io/integrations/mqtt, "MQTT Discovery", and the pages of the components `device_tracker.mqtt`, `binary_sensor.mqtt` and
/// `sensor.mqtt`.
package struct HomeAssistantDiscovery: Hashable, Sendable {
    /// The topic prefix under which Home Assistant looks for configurations; `homeassistant` by default.
    package var prefix: String
    /// The first level of state topics, 1 to 64 characters of `A-Z a-z 0-9 _ -`. Services that share a broker need different values.
    package var base: String

    package static let defaultPrefix = "homeassistant"
    package static let defaultBase = "picket"

    package init(prefix: String = defaultPrefix, base: String = defaultBase) {
        self.prefix = prefix
        self.base = base
    }

    /// A device as announced to Home Assistant.
    package struct Device: Hashable, Sendable {
        package var id: String
        package var name: String
        /// The model of the phone; nil for other devices.
        package var model: String?
        /// The geofences that apply to the device.
        package var fences: [Fence]
        /// The device's newest believed position; nil for none.
        package var fix: Fix?
        /// The ids of the geofences that contain the device; nil when its position is unknown.
        package var inside: Set<String>?
        /// The health of the device's registrations; nil when it has none.
        package var registration: Registration?

        package init(
            id: String, name: String, model: String?, fences: [Fence], fix: Fix?, inside: Set<String>?,
            registration: Registration?
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

    /// The health of a device's registrations.
    package struct Registration: Hashable, Sendable {
        /// Nil when unknown.
        package var isHealthy: Bool?
        /// A sentence about the health for people; nil for none.
        package var summary: Phrase?

        package init(isHealthy: Bool?, summary: Phrase?) {
            self.isHealthy = isHealthy
            self.summary = summary
        }

        static let states = ["healthy", "unhealthy", "unknown"]
        var state: String { isHealthy.map { $0 ? "healthy" : "unhealthy" } ?? "unknown" }
    }

    /// A geofence as announced to Home Assistant.
    package struct Fence: Hashable, Sendable {
        package var id: String
        package var name: String

        package init(id: String, name: String) {
            self.id = id
            self.name = name
        }
    }

    /// The first invalid value as a problem; nil when all are valid.
    var flaw: Problem? {
        if !MQTTTopic.isPublishable(prefix, maxBytes: 200) {
            return .validationFailed(
                field: "discovery", value: prefix, reason: .notPublishable,
                expected: Phrase("Home Assistant's discovery prefix, for example \(Self.defaultPrefix)"))
        }
        if base.isEmpty || base.utf8.count > 64
            || base.utf8.contains(where: { !MQTTTopic.isPlain($0) && $0 != UInt8(ascii: "_") })
        {
            return .validationFailed(
                field: "base", value: base, reason: Phrase("it cannot be the first level of MQTT topics"),
                expected: Phrase("1 to 64 characters of A-Z a-z 0-9 _ -, for example \(Self.defaultBase)"))
        }
        if base == prefix {
            return .validationFailed(
                field: "base", value: base, reason: Phrase("Home Assistant's own topics start with it"),
                expected: Phrase("a name other than the discovery prefix"))
        }
        return nil
    }

    // MARK: - Topics

    /// The topic that says `online` while the service runs and is connected, else `offline`.
    package var availabilityTopic: String { "\(base)/status" }

    /// A subscription filter for the configurations of all of this service's entities, including those that it no longer announces.
    package var configurationFilter: String { configuration("+", "+") }

    /// The state topics that a configuration contains: those of this service, without the availability topic.
    package func stateTopics(namedBy configuration: String) -> [String] {
        guard let json = try? JSONParser.parse(configuration) else { return [] }
        return ["state_topic", "json_attributes_topic"].compactMap { json[$0]?.string }.filter {
            $0.hasPrefix("\(base)/") && $0 != availabilityTopic && MQTTTopic.isPublishable($0, maxBytes: 1000)
        }
    }

    private func configuration(_ component: String, _ object: String) -> String {
        "\(prefix)/\(component)/\(base)/\(object)/config"
    }

    // The topics of a device's states. Each parameter is one escaped topic level.

    private func positionTopic(_ device: String) -> String { "\(base)/\(device)/position" }

    private func registrationTopic(_ device: String) -> String { "\(base)/\(device)/registration" }

    private func attributesTopic(_ device: String) -> String { "\(registrationTopic(device))/attributes" }

    private func stateTopic(_ device: String, _ fence: String) -> String { "\(base)/\(device)/in/\(fence)" }

    // MARK: - Messages

    /// The maximum number of entities to announce, because Home Assistant shows and stores each of them.
    package static let maxEntities = 5000

    /// The configurations of all entities, keyed by topic.
    package func configurations(_ devices: [Device], language: Language) -> [String: String] {
        var messages: [String: String] = [:]
        for device in devices {
            let (object, level) = (MQTTTopic.object(device.id), MQTTTopic.level(device.id))
            let id = "picket_\(MQTTTopic.object(base))_\(object)"
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
            // Home Assistant gives an entity with a null name the name of its device, and finds the zone from the coordinates in the
            // attributes.
            add(
                "device_tracker", object,
                [
                    ("name", .null), ("unique_id", .string(id)), ("source_type", "gps"),
                    ("json_attributes_topic", .string(positionTopic(level))),
                ])
            if device.registration != nil {
                add(
                    "sensor", object,
                    [
                        ("name", .string(Phrase("Region registration").text(in: language))),
                        ("unique_id", .string(id + "_registration")),
                        ("device_class", "enum"), ("options", .array(Registration.states.map(JSONValue.string))),
                        ("state_topic", .string(registrationTopic(level))),
                        ("json_attributes_topic", .string(attributesTopic(level))),
                        ("entity_category", "diagnostic"), ("icon", "mdi:cellphone-check"),
                    ])
            }
            for fence in device.fences {
                add(
                    "binary_sensor", "\(object)_in_\(MQTTTopic.object(fence.id))",
                    [
                        ("name", .string(fence.name)), ("unique_id", .string("\(id)_in_\(MQTTTopic.object(fence.id))")),
                        ("device_class", "occupancy"), ("state_topic", .string(stateTopic(level, MQTTTopic.level(fence.id)))),
                        ("payload_on", "inside"), ("payload_off", "outside"), ("icon", "mdi:map-marker-radius"),
                    ])
            }
        }
        return messages
    }

    /// The states of all entities, keyed by topic.
    package func states(_ devices: [Device], language: Language) -> [String: String] {
        var messages = [availabilityTopic: "online"]
        for device in devices {
            let level = MQTTTopic.level(device.id)
            if let fix = device.fix { messages[positionTopic(level)] = Self.attributes(fix, of: device).description }
            if let registration = device.registration {
                messages[registrationTopic(level)] = registration.state
                messages[attributesTopic(level)] =
                    JSONValue.compact([("summary", registration.summary.map { .string($0.text(in: language)) })]).description
            }
            guard let inside = device.inside else { continue }
            for fence in device.fences {
                messages[stateTopic(level, MQTTTopic.level(fence.id))] = inside.contains(fence.id) ? "inside" : "outside"
            }
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
