import Model
import Observability
import Service

extension Schemas {
    private static let inside = list("The geofences that it is in", of: any(Visit.insideShape.name))

    private static let doubted = flag("Whether the last fix is not believed before the next one agrees with it")

    private static let deviceFields: KeyValuePairs<String, JSONValue> = [
        "id": text("1 to 128 characters"), "name": text("For people"), "groups": words, "policy": any("Policy"),
        "platform": oneOf("Whose rules its system follows", Device.Platform.self),
        "registry": oneOf("Where its registrations are", Device.Registry.self),
        "autoRepair": flag("Whether the service repairs its registrations by itself"),
        "silentAfter": number("Seconds without a sign after which it is silent"),
        "keepPositions": [
            "type": ["number", "string"], "description": "Seconds after which its positions are deleted, or 'forever'",
        ],
        "quietHours": list("When sinks get only emergencies of it, in the time zone of each sink", of: ["type": "string"]),
        "inherited": anyObject(
            "The values above that are not its own: each with 'value', and 'from': group (with its name in 'group'), setting or default"
        ),
        "lastFix": any("Fix"), "isDoubted": doubted, "inside": inside,
        "silentSince": time("Its last sign of life, when it is silent"),
        "hasOwnTracksKey": flag("Whether there is a key for its encrypted messages; of one device alone"),
        "deletion": any(PositionDeletion.shape.name),
        "problems": list("The problems that stand, of one device alone", of: any("StandingProblem")),
        "refusedInput": list(
            "How much of what it sent could not be used, the newest first; of one device alone",
            of: object(
                "What was wrong with it, and how often",
                [
                    "kind": oneOf("What was wrong", Refusal.Kind.self), "field": text("As the input writes it"),
                    "reason": text("In English"), "count": integer("How often"), "firstAt": time("The first time"),
                    "lastAt": time("The last time"),
                ], optional: ["reasonIn": translations])),
    ]

    private static let defaultFields: KeyValuePairs<String, JSONValue> = [
        "silentAfter": number("Seconds; this and the following for devices without values of their own"), "policy": any("Policy"),
        "keepPositions": ["type": ["number", "string"], "description": "Seconds, or 'forever'"],
        "quietHours": list("Time windows, for example 22:00-06:00", of: ["type": "string"]),
    ]

    static let devices: [Named] = [
        named(PositionDeletion.shape), named(DevicePatchResult.shape), named(DevicePatchResult.Entry.shape),
        (
            "Device",
            object(
                "A device; where it is (lastFix, isDoubted, inside, silentSince), its problems and refusedInput are ignored when it is written",
                [:],
                optional: deviceFields)
        ),
        (
            "Group",
            object(
                "A group of devices",
                [
                    "group": text("Its name"), "devices": integer("How many belong to it"),
                    "geofences": integer("How many are for it"),
                ],
                optional: defaultFields)
        ),
        ("GroupPage", page("groups", of: "Group")),
        (
            "GroupPatch",
            object(
                "The values that change (RFC 7396); null removes one", [:],
                optional: [
                    "silentAfter": nullable(number("Seconds")), "policy": nullable(any("Policy")),
                    "keepPositions": nullable(["type": ["number", "string"]]), "quietHours": nullable(words),
                ])
        ),
        (
            "GroupAnswer",
            [
                "allOf": [
                    any("Group"),
                    object(
                        "What followed from the change of the group",
                        [
                            "isApplied": flag("Whether the values are changed"),
                            "changedDevices": integer("To how many devices another value applies then"),
                            "events": list("What followed", of: any("Event")),
                        ], optional: ["deletion": any(PositionDeletion.shape.name)]),
                ]
            ]
        ),
        ("DevicePatch", anyObject("Fields of a Device that change (RFC 7396); null takes one away")),
        (
            "OwnTracksKey",
            object("The key of an OwnTracks app", ["key": text("1 to 32 bytes of UTF-8, as in the app's settings")])
        ),
        (
            "OwnTracksKeyState",
            object(
                "Whether a device has a key for its encrypted messages",
                ["deviceId": text("Its id"), "hasOwnTracksKey": flag("Whether it has one")])
        ),
        ("DevicePage", page("devices", of: "Device")),
        named(Queries.DeviceStatus.shape),
        (
            "StatusPage",
            page(
                "devices", of: "Whereabouts",
                optional: [
                    "mqtt": object(
                        "How the connection to the MQTT broker stands, when the settings name one",
                        [
                            "broker": text("Its address"), "state": oneOf("The connection's state", MQTTState.self),
                            "since": time("Since when"),
                        ],
                        optional: [
                            "attempt": integer("The number of the next attempt to reconnect"),
                            "maxAttempts": integer("After so many failures it is degraded and is tried less often"),
                            "nextAttemptAt": time("When the next attempt begins"), "problem": any("ProblemWords"),
                        ]),
                    "sinks": object(
                        "How many sinks there are",
                        ["total": integer("All"), "notConnected": integer("Those that are not connected, or are paused")]),
                    "problems": object(
                        "How many problems stand that nobody has dismissed",
                        ["standing": integer("So many"), "escalated": integer("Those that have failed three times or more")]),
                    "totals": object(
                        "What the store holds",
                        [
                            "geofences": integer("Geofences"), "devices": integer("Devices"), "fixes": integer("Positions"),
                            "events": integer("Events"),
                        ]),
                    "store": any(StoreIdentity.shape.name),
                ])
        ),
        named(StoreIdentity.shape),
        ("TrackPage", page("fixes", of: "TrackPoint")),
        (
            "TrackPoint",
            object(
                "A position on record",
                ["timestamp": time("When it was"), "latitude": number("Degrees"), "longitude": number("Degrees")],
                optional: [
                    "accuracy": number("Radius in meters, 68 %"), "altitude": number("Meters"),
                    "speed": number("Meters per second"), "course": number("Degrees clockwise from north"),
                    "battery": number("0 to 1"), "late": flag("It came after a newer one"),
                    "valid": flag("False when the device says that it is not: it is stored, and never evaluated"),
                    "attributes": anyObject("What else its source said"),
                ])
        ),
        (
            "Position",
            [
                "type": "object",
                "description": "A position. Other names are understood and unknown ones kept; see docs/http-api.md",
                "required": ["timestamp", "latitude", "longitude"],
                "properties": [
                    "device": text("Whose; may stand in the query"),
                    "timestamp": ["type": ["string", "number"], "description": "RFC 3339, or Unix seconds or milliseconds"],
                    "latitude": number("Degrees"), "longitude": number("Degrees"), "accuracy": number("Radius in meters, 68 %"),
                    "altitude": number("Meters"), "speed": number("Meters per second"),
                    "course": number("Degrees clockwise from north"), "battery": number("0 to 1"),
                ],
                "additionalProperties": true,
            ]
        ),
        ("Positions", ["oneOf": [any("Position"), ["type": "array", "items": any("Position")]]]),
        (
            "IntakeAnswer",
            object(
                "What became of positions",
                [
                    "accepted": integer("Taken"), "duplicates": integer("Known already"),
                    "late": integer("Of those taken, older than a newer one"),
                    "waiting": integer("Of those late, more than a day late: judged when a replay is asked for"),
                    "refused": list("The others", of: any(Refusal.positionShape.name)),
                ],
                optional: [
                    "events": list("What followed", of: any("Event")),
                    "eventCount": integer("How many events followed, when they are not told"),
                ])
        ),
        named(Refusal.positionShape),
    ]
}
