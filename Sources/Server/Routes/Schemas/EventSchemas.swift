import Model

extension Schemas {
    static let events: [Named] = [
        (
            "Event",
            object(
                "Something that happened",
                [
                    "type": oneOf("What", EventType.self), "id": text("The same wherever the same was decided"),
                    "sequence": integer("Its number: increasing, never used again, and gapless but where the store was set back"),
                    "deviceId": text("Whose"), "occurredAt": time("When it was"),
                    "recordedAt": time("When it was told"), "confirmedAt": time("When it was sure"),
                    "cause": oneOf("Why", Cause.self), "inferred": flag("It was not seen, and follows from what was"),
                    "fix": any("Fix"),
                ],
                optional: [
                    "geofenceId": text("Which; absent when it is about the device alone"), "geofenceName": text("For people"),
                    "crossedAt": time("When the way between two fixes met the boundary"),
                    "lastSeen": time("Of what is inferred: the last fix before it"), "enteredAt": time("Of exit and dwell"),
                    "duration": number("Seconds inside, or of silence"), "lastHeard": time("Of silent and returned"),
                    "retracts": text("The id of the event that it takes back"), "properties": anyObject("The geofence's own"),
                ])
        ),
        (
            "EventPage",
            object(
                "A part of the events",
                [
                    "events": ["type": "array", "items": any("Event")],
                    "next": integer("What to give as 'after' for what follows"),
                    "cursor": text(
                        "The same, with the generation of the store: given as 'after' it is also known when it is from another store"
                    ),
                ])
        ),
        (
            "ReplayRequest",
            object(
                "What is to be judged anew", [:],
                optional: [
                    "deviceId": text("Whose fixes; all devices' when left out"),
                    "since": time("From the last checkpoint before this time on; everything when left out"),
                ])
        ),
        (
            "ReplayAnswer",
            object(
                "What came of judging fixes anew",
                [
                    "devices": integer("Whose fixes were judged"), "fixes": integer("That were judged"),
                    "equal": integer("Events that came out as they were"), "retracted": integer("Events that were taken back"),
                    "new": integer("Events that came instead"),
                    "passedOver": integer("Devices of which positions are missing that it takes"),
                    "events": list("What was written", of: any("Event")),
                ])
        ),
        (
            "Visit",
            object(
                "From enter to exit",
                [
                    "deviceId": text("Whose"), "geofenceId": text("Where"), "geofenceName": text("For people"),
                    "enteredAt": time("From"), "enterCause": oneOf("Why", Cause.self), "open": flag("It has not ended"),
                ],
                optional: [
                    "exitedAt": time("To"), "duration": number("Seconds"), "exitCause": oneOf("Why", Cause.self),
                ])
        ),
        ("VisitPage", page("visits", of: "Visit")),
    ]
}
