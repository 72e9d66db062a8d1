import Delivery
import Model
import Service

extension Schemas {
    private static let sinkOptions: KeyValuePairs<String, JSONValue> = [
        "url": text("Where to post; of ntfy with the topic as its path"),
        "token": text("What lets messages in; hidden in answers"),
        "chat": text("Of Telegram: the chat"), "priority": integer("Of ntfy 1 to 5, of Gotify 0 to 10"),
        "headers": anyObject("More headers, by name; their values are hidden in answers"),
        "template": text("A body of one's own, with fields as {device}"),
        "contentType": oneOf("What the template makes, by which values are escaped", BodyTemplate.Form.self),
        "signingSecret": text("By which bodies are signed (Picket-Signature); hidden in answers"),
        "server": text("Of email: smtp://HOST:PORT or smtps://HOST"), "user": text("Of email"),
        "password": text("Of email; hidden in answers"), "from": text("Of email"),
        "to": list("Of email", of: ["type": "string"]), "allowPlain": flag("Of email: whether it may go without TLS"),
        "topic": text("Of mqtt: where events go, with fields as {deviceId}"),
        "stateTopic": text("Of mqtt: where 'inside' or 'outside' stays published; none for nowhere"),
        "discovery": text("Of mqtt: announce devices and geofences below this discovery prefix of Home Assistant's"),
        "base": text("Of discovery: this service's own name in topics"),
        "path": text("Of file"), "command": list("Of command: the program and its arguments", of: ["type": "string"]),
        "format": oneOf("Of positions: how they are written", PositionTarget.Format.self), "filter": any("SinkFilter"),
        "rateLimit": object(
            "At most so many in a time; more wait", ["messages": integer("How many"), "seconds": number("In how long")]),
        "emergency": flag("Whether alarms are sent, past the filter"),
        "language": oneOf("Of messages for people", Language.self),
        "timeZone": text("Of the filter's windows and of times in messages, as Europe/Berlin"),
    ]

    /// Schemas of sinks.
    static let sinks: [Named] = [
        (
            "SinkFilter",
            object(
                "Which events are sent; a list that is left out admits all", [:],
                optional: [
                    "geofences": words, "devices": words, "groups": words, "types": words,
                    "initial": flag("Also events of a device's first fix, that was inside already"),
                    "inferred": flag("Also events that nobody saw, but that follow"),
                    "quietHours": list("When nothing is sent, as 22:00-07:00 or sat,sun 00:00-24:00", of: ["type": "string"]),
                    "schedule": list("When something is sent at all, as mon-fri 08:00-18:00", of: ["type": "string"]),
                ])
        ),
        (
            "NewSink",
            object(
                "A sink that is wanted", ["kind": oneOf("What it is", SinkKind.self)],
                optional: ["id": text("Made when left out")],
                more: sinkOptions)
        ),
        (
            "Connection",
            object(
                "How the connection does", ["state": oneOf("Its state", ConnectionState.Name.self), "since": time("Since when")],
                optional: [
                    "attempt": integer("The attempt to reconnect that comes next"),
                    "maxAttempts": integer("Until it is degraded"),
                    "nextAttemptAt": time("When that begins"), "problem": any("ProblemWords"),
                ])
        ),
        (
            "Sink",
            object(
                "A sink and how it does",
                [
                    "id": text("Its id"), "kind": oneOf("What it is", SinkKind.self),
                    "isPaused": flag("Whether it waits for a person"),
                    "parked": integer("Events that it refused for good"), "delivered": integer("Messages that arrived"),
                ],
                optional: [
                    "connection": any("Connection"), "waiting": integer("Messages that wait or are on their way"),
                    "lastDeliveredAt": time("When the last arrived"),
                    "movedTo": text("Where it has moved for good, as its answers say"),
                ], more: sinkOptions)
        ),
        ("SinkList", object("The sinks", ["sinks": ["type": "array", "items": any("Sink")]])),
        (
            "SinkTest",
            object(
                "What came of a test", ["delivered": flag("Whether it arrived"), "seconds": number("Until the answer")],
                optional: ["problem": any("ProblemWords")])
        ),
        (
            "ParkedEvent",
            object(
                "An event that a sink refused for good",
                [
                    "sequence": integer("Its number"), "parkedAt": time("When it was refused"), "problem": any("ProblemWords"),
                    "isResent": flag("Whether it is to be sent again"),
                ], optional: ["event": any("Event")])
        ),
        ("ParkedEventPage", page("parked", of: "ParkedEvent")),
        ("ParkedCount", object("How many", ["count": integer("Events")])),
    ]
}
