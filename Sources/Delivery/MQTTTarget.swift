import Model

/// An MQTT broker to which events are published.
package struct MQTTTarget: Hashable, Sendable {
    /// `mqtt://USER:PASSWORD@HOST:PORT`, or `mqtts://…` for TLS. The password is secret.
    package var url: String
    /// The topic to which events are published, as a template.
    package var topic: BodyTemplate
    /// The topic of a retained message that says whether a device is in a geofence (`inside` or `outside`), as a template; nil
    /// for no such message.
    package var stateTopic: BodyTemplate?
    /// The template of an event's payload; nil to send the event as JSON.
    package var payload: BodyTemplate?
    /// The settings for announcing devices to Home Assistant; nil for no announcement. The messages to Home Assistant include
    /// whether devices are in geofences, so `stateTopic` is ignored when this is set.
    package var discovery: HomeAssistantDiscovery?

    package static let defaultTopic = "picket/{deviceId}/event"
    package static let defaultStateTopic = "picket/{deviceId}/in/{geofenceId}"

    package init(
        url: String, topic: BodyTemplate, stateTopic: BodyTemplate?, template: BodyTemplate? = nil,
        discovery: HomeAssistantDiscovery? = nil
    ) {
        self.url = url
        self.topic = topic
        self.stateTopic = stateTopic
        self.payload = template
        self.discovery = discovery
    }

    /// The problem of the first invalid property; nil if all properties are valid.
    var flaw: Problem? {
        if let flaw = WebAddress.flaw(url, schemes: ["mqtt", "mqtts"]) { return flaw }
        if WebAddress.path(of: url).count > 1 {
            return .validationFailed(
                field: "url", value: WebAddress.masked(url), reason: .brokerPath,
                expected: .brokerOfSink)
        }
        for (field, template) in [("topic", topic), ("stateTopic", stateTopic)] {
            guard let source = template?.source else { continue }
            // MQTT 5.0, section 4.7: wildcards are only for subscriptions, and topics that begin with $ belong to the broker.
            let isTopic = !source.isEmpty && !source.hasPrefix("$") && source.utf8.count <= 1000
            if !isTopic || source.contains(where: { "+#\0".contains($0) }) {
                return .validationFailed(
                    field: field, value: source, reason: .notPublishable,
                    expected: .topic(Self.defaultTopic))
            }
        }
        return discovery?.flaw
    }

    /// The problem to throw when sinks may not connect to private networks. All brokers are refused then, because the MQTT
    /// library resolves the host name itself, so the address cannot be checked before.
    package var privateNetworkProblem: Problem {
        .validationFailed(
            field: "url", value: WebAddress.masked(url),
            reason: .brokerMayBePrivate,
            expected: .otherKindOfSink)
    }

    /// Renders the template of a topic with the values of an event. Characters that a topic cannot contain become `_`.
    static func renderTopic(_ template: BodyTemplate, _ values: EventValues) -> String {
        var topic = String.UnicodeScalarView()
        for scalar in template.render(values).unicodeScalars { topic.append(isPublishable(scalar) ? scalar : "_") }
        return String(topic)
    }

    /// Whether a topic may contain a character. Wildcards, control characters and noncharacters are excluded; a broker may close
    /// the connection because of them (MQTT 5.0, sections 1.5.4 and 4.7.1).
    static func isPublishable(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0...0x1F, 0x7F...0x9F, 0xFDD0...0xFDEF: false
        case let value where value & 0xFFFE == 0xFFFE: false
        default: scalar != "+" && scalar != "#"
        }
    }
}
