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

    package static let defaultStateTopic = "picket/{deviceId}/in/{geofenceId}"

    /// The topic of events when none is given.
    static func defaultTopic(_ discovery: HomeAssistantDiscovery?) -> String {
        (discovery?.base ?? HomeAssistantDiscovery.defaultBase) + "/{deviceId}/event"
    }

    /// Whether the topic of events is the one that is used when none is given.
    var hasDefaultTopic: Bool { topic.source == Self.defaultTopic(discovery) }

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
                expected: Phrase("mqtt://HOST or mqtts://HOST; --topic sets the topic of the events"))
        }
        for (field, template) in [("topic", topic), ("stateTopic", stateTopic)] {
            guard let source = template?.source else { continue }
            if !MQTTTopic.isPublishable(source, maxBytes: 1000) {
                return .validationFailed(
                    field: field, value: source, reason: .notPublishable,
                    expected: .topic(Self.defaultTopic(nil)))
            }
        }
        return discovery?.flaw
    }

    /// The problem to throw when sinks may not connect to private networks. All brokers are refused then, because the MQTT
    /// library resolves the host name itself, so the address cannot be checked before.
    package var privateNetworkProblem: Problem {
        .validationFailed(
            field: "url", value: WebAddress.masked(url),
            reason: Phrase("a broker's host name may resolve to a private address"),
            expected: Phrase("another kind; the service runs with no-private-sinks"))
    }
}
