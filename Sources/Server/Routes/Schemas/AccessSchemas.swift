import Model
import Service

extension Schemas {
    private static let report = object(
        "What to send to whoever helps. It holds no secrets and no positions",
        [
            "contents": text("What is in it and what is not, for people"), "madeAt": time("When it was made"),
            "versions": anyObject("Of Picket, of the system and of libraries, by name"),
            "contact": nullable(text("Where people get help; null when it is not set")),
            "settings": list(
                "Every setting, without secrets",
                of: object(
                    "One",
                    ["name": text("Its name"), "value": nullable(text("As it was written")), "from": text("Where it came from")])),
            "store": anyObject("Facts of the store: path, sizes, schema, identity, counts; or the problem with it"),
            "problems": list("The problems that stand, dismissed ones, too", of: anyObject("One, without what somebody sent")),
            "service": anyObject("Address and start of the service"),
            "log": object(
                "The end of the log", ["lines": words, "lostLines": integer("Lines that could not be written")]),
        ],
        optional: [
            "sinks": list("The sinks and how they do", of: anyObject("One")),
            "mqtt": anyObject("How the connection to the MQTT broker is"),
        ])

    private static let diagnosis = object(
        "What is wrong with the installation",
        [
            "checkedAt": time("When it was checked"), "version": text("Of Picket"),
            "errors": integer("How many findings are errors"), "warnings": integer("How many findings are warnings"),
            "findings": list(
                "What was found, the most serious first",
                of: object(
                    "One",
                    [
                        "area": oneOf("What it is about", DoctorFinding.Area.self),
                        "code": text("The kind of the finding, the same in every language"),
                        "severity": oneOf("How serious it is; info: a remark", Problem.Severity.self),
                        "message": text("What is wrong, for people"), "advice": text("What to do about it, for people"),
                    ],
                    optional: [
                        "deviceId": text("The device that it is about"), "geofenceId": text("The geofence that it is about"),
                        "source": text("The source of a problem that stands"), "problem": any("ProblemWords"),
                    ])),
        ])

    /// Schemas of tokens, the support report, and changes of several resources.
    static let access: [Named] = [
        ("SupportReport", report),
        ("Diagnosis", diagnosis),
        named(Token.shape), named(MadeToken.shape),
        ("TokenList", object("The tokens", ["tokens": ["type": "array", "items": any("Token")]])),
        (
            "NewToken",
            object(
                "A token that is wanted", ["name": text("For people"), "role": oneOf("What it may", Token.Role.self)],
                optional: [
                    "device": text("One device, as in devices"),
                    "devices": list("The only devices that it may see or report for", of: text("An id")),
                    "groups": list("The same for the devices that belong to these groups at a request", of: text("A name")),
                    "expiresIn": number("Seconds until it ends; never when left out"),
                ])
        ),
        (
            "StreamToken",
            object(
                "A token for a stream",
                ["token": text("The value of access_token"), "expiresAt": time("Until when a stream can be opened with it")])
        ),
        ("SignIn", object("A token that is to be signed in with", ["token": text("The token's secret")])),
        (
            "Session",
            object(
                "Who is signed in",
                [
                    "role": oneOf("What they may", Token.Role.self),
                    "isOpen": flag("Whether everybody is let in without a token"),
                ],
                optional: [
                    "name": text("The token's name"), "expiresAt": time("When the session ends unless it is used"),
                    "map": object(
                        "Where the pictures of the map come from; left out: the page draws a plain one by itself",
                        [
                            "tiles": text("An address with {z}, {x} and {y} in it (slippy map tile names)"),
                            "attribution": text("Whose map it is"),
                        ]),
                ])
        ),
        (
            "Preferences",
            object(
                "How a person wants the dashboard to be", [:],
                optional: [
                    "theme": oneOf("Light or dark; system: as the browser says", Preferences.Theme.self),
                    "language": oneOf("system: as the browser says", Preferences.PageLanguage.self),
                    "units": oneOf("Of lengths and speeds", Preferences.Units.self),
                    "timeZone": text("An IANA name, as Europe/Berlin; system: as the browser says"),
                ])
        ),
        ("GeofenceEdits", edits("Geofence")),
        (
            "DeviceEdits",
            [
                "oneOf": [
                    edits("Device"),
                    object(
                        "The same change of many devices, which one of devices, group and all selects",
                        ["patch": any("DevicePatch")],
                        optional: [
                            "devices": list("Ids", of: ["type": "string"]), "group": text("Those of this group"),
                            "all": flag("true: all devices"),
                        ]),
                ]
            ]
        ),
        (
            "DeviceEditAnswer",
            ["oneOf": [any("EditAnswer"), any(DevicePatchResult.shape.name)]]
        ),
        (
            "EditAnswer",
            object(
                "What followed", ["events": ["type": "array", "items": any("Event")]],
                optional: ["notes": list("How outlines were read that can be read in two ways", of: any("GeofenceNote"))])
        ),
        named(DeviceErasure.shape), named(StoreCheck.shape), named(StoreCheck.Flaw.shape), named(StoreCheck.Replay.shape),
    ]

    private static func edits(_ name: String) -> JSONValue {
        object(
            "Changes in their order",
            [
                "edits": list(
                    "One of the two each",
                    of: object("A change", [:], optional: ["put": any(name), "remove": text("The id of what is to go")]))
            ])
    }

    /// Schemas of requests of phone apps, in their own protocols.
    static let phones: [Named] = [
        ("OsmAndPositions", ["description": "A position in JSON of the Traccar client 9, or an array of flat ones"]),
        ("OwnTracksMessage", anyObject("A message of the OwnTracks app, as its booklet describes them under JSON")),
        ("OwnTracksCommands", list("Commands for the app, as a rule none", of: ["type": "object"])),
    ]
}
