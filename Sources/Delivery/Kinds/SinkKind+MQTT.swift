import Model

extension SinkKind {
    /// An MQTT broker to which the events are published: `mqtt://USER:PASSWORD@HOST:PORT`, or `mqtts://…` for TLS.
    package static let mqtt = SinkKind(
        "mqtt", .mqtt, title: .product("MQTT"), place: "URL",
        about: "a broker, for example mqtts://USER:PASSWORD@HOST; --topic and --state-topic",
        needs: [("url", Phrase("the broker, for example mqtts://USER:PASSWORD@HOST"))],
        allows: ["topic", "stateTopic", "discovery", "base", "template", "contentType"], editable: ["url", "topic"],
        forms: [
            SinkForm(
                Phrase("Publishes each event to a broker."),
                [
                    .init("url", example: "mqtts://user:password@example.com", isRequired: true),
                    .init("topic", example: defaultTopic(nil)),
                ]),
            SinkForm(
                Phrase("Announces devices and geofences to Home Assistant through its MQTT broker."),
                [
                    .init("url", example: "mqtt://user:password@homeassistant.local", isRequired: true),
                    .init(
                        "discovery", example: HomeAssistantDiscovery.defaultPrefix, value: HomeAssistantDiscovery.defaultPrefix),
                    .init("base", example: HomeAssistantDiscovery.defaultBase),
                ], with: "discovery", title: .product("Home Assistant"), exampleID: "homeassistant"),
        ],
        complete: { (target) throws(Problem) in
            if let base = target.base, target.discovery == nil {
                throw .validationFailed(
                    field: "base", value: base, reason: Phrase("it has an effect only with --discovery"),
                    expected: Phrase("discovery as well, for example \(HomeAssistantDiscovery.defaultPrefix)"))
            }
            if target.discovery != nil { target.base = target.base ?? HomeAssistantDiscovery.defaultBase }
            target.topic = target.topic ?? defaultTopic(target.base)
            guard let base = target.base else {
                target.stateTopic = target.stateTopic ?? defaultStateTopic
                return
            }
            if let state = target.stateTopic {
                throw .validationFailed(
                    field: "stateTopic", value: state,
                    reason: Phrase("with discovery, states are published to \(base)/DEVICE/in/GEOFENCE"), expected: .oneOfTheTwo)
            }
        },
        flaw: { target in
            if let flaw = WebAddress.flaw(target.address, schemes: ["mqtt", "mqtts"]) { return flaw }
            if WebAddress.path(of: target.address).count > 1 {
                return .validationFailed(
                    field: "url", value: WebAddress.masked(target.address), reason: .brokerPath,
                    expected: Phrase("mqtt://HOST or mqtts://HOST; --topic sets the topic of the events"))
            }
            for (field, topic) in [("topic", target.topic), ("stateTopic", target.retainedStateTopic)] {
                guard let topic, !MQTTTopic.isPublishable(topic, maxBytes: 1000) else { continue }
                return .validationFailed(
                    field: field, value: topic, reason: .notPublishable, expected: .topic(defaultTopic(nil)))
            }
            return target.homeAssistant?.flaw
        },
        content: .events { target, values, templates in
            let event = OutgoingPublication(
                topic: templates.topic?.renderTopic(values) ?? "",
                payload: templates.body?.render(values) ?? values.json.description)
            guard target.discovery == nil, let template = templates.stateTopic, !values.isTest,
                let isInside = values.isInsideAfterEvent
            else { return .publish([event]) }
            let state = OutgoingPublication(
                topic: template.renderTopic(values), payload: isInside ? "inside" : "outside", isRetained: true)
            return .publish([event, state])
        })

    package static let defaultStateTopic = "picket/{deviceId}/in/{geofenceId}"

    /// The topic of events when none is given.
    fileprivate static func defaultTopic(_ base: String?) -> String {
        (base ?? HomeAssistantDiscovery.defaultBase) + "/{deviceId}/event"
    }
}

extension SinkTarget {
    /// The settings for announcing devices to Home Assistant; nil for no announcement.
    package var homeAssistant: HomeAssistantDiscovery? {
        discovery.map { HomeAssistantDiscovery(prefix: $0, base: base ?? HomeAssistantDiscovery.defaultBase) }
    }

    /// The target as it is stored. The default topic follows from `base`, so it is shown and not stored.
    var stored: SinkTarget {
        var target = self
        if topic == SinkKind.defaultTopic(base) { target.topic = nil }
        return target
    }

    /// The topic of a retained message that says whether a device is in a geofence, as a template; nil for no such message. The messages to
    /// Home Assistant include this.
    var retainedStateTopic: String? { discovery == nil && stateTopic != "none" ? stateTopic : nil }

    /// The problem to throw when sinks may not connect to private networks. All brokers are refused then, because the MQTT
    /// library resolves the host name itself, so the address cannot be checked before.
    package var privateNetworkProblem: Problem {
        .validationFailed(
            field: "url", value: WebAddress.masked(address),
            reason: Phrase("a broker's host name may resolve to a private address"),
            expected: Phrase("another kind; the service runs with no-private-sinks"))
    }
}
