import Model
import Service

extension Schemas {
    static let lastSeenAt = time(
        "Of the device's last position in the visit; absent when there is none, or positions that would tell were removed")
    static let seenSeconds = number(
        "For so long the device was seen in the visit: by positions no further apart than its silentAfter; absent when positions that "
            + "would tell were removed")
    static let notSeenSince = time(
        "When the device was seen last, if more than its silentAfter passed from then to the exit, or to now")

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
                ],
                optional: [
                    "fix": any("Fix"), "alarm": any("Alarm"), "rule": any("MissedRule"),
                    "urgency": oneOf("How soon a person has to know of it; absent when it is normal", EventUrgency.self),
                    "geofenceId": text("Which; absent when it is about the device alone"), "geofenceName": text("For people"),
                    "crossedAt": time("When the way between two fixes met the boundary"),
                    "lastSeen": time("Of what is inferred: the last fix before it"),
                    "enteredAt": time("Of exit and dwell, and of missed where a stay was too long or too short"),
                    "duration": number("Seconds since the enter; or of silence"), "lastHeard": time("Of silent and returned"),
                    "retracts": text("The id of the event that it takes back"), "properties": anyObject("The geofence's own"),
                ])
        ),
        (
            "Alarm",
            object(
                "What is known of an alarm",
                [
                    "kind": text("As the device calls it"),
                    "inside": list(
                        "The geofences that the device was in",
                        of: object("One", ["geofenceId": text("Which"), "geofenceName": text("For people")])),
                    "emergencyNumber": text("Whom to call where it was raised"),
                ],
                optional: [
                    "acknowledgedAt": time("When a person said that they have seen it"), "acknowledgedBy": text("Who it was"),
                ])
        ),
        ("AlarmPage", page("alarms", of: "Event")),
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
                ],
                optional: [
                    "earlier": text(
                        "With order=newest: what to give as 'before' for the events before these; absent when there are none")
                ])
        ),
        (
            "ReplayRequest",
            object(
                "What is to be judged anew", [:],
                optional: [
                    "deviceId": text("Whose fixes; all devices' when left out"),
                    "since": time("From the last checkpoint before this time on; everything when left out"),
                    "geofences": list(
                        "Geofences that hold for the past as they are now; those of the time when left out",
                        of: ["type": "string"]),
                    "all": flag("All geofences hold for the past as they are now"),
                    "deleted": flag("With them also those that were removed or switched off: their events are taken back"),
                    "apply": flag("With them: false to be told only what would change"),
                ])
        ),
        (
            "ReplayAnswer",
            ReplayCounts.shape.schema(
                others: ["events": list("What was written; empty with geofences", of: any("Event"))],
                optional: [
                    "past": list("With geofences: what changes for each device, of at most 1,000", of: any("PastFinding")),
                    "omitted": integer("Devices of which nothing is told, because there are too many"),
                ])
        ),
        (
            "PastFinding",
            object(
                "What changes in the past of a device",
                [
                    "deviceId": text("Whose"),
                    "changes": list(
                        "By geofence",
                        of: object(
                            "At one geofence",
                            [
                                "geofenceId": text("Which"), "geofenceName": text("For people"),
                                "retracted": integer("Events that are taken back"), "new": integer("Events that come instead"),
                                "examples": list("The first three of each, as retract or new", of: anyObject("One")),
                            ])),
                ],
                optional: [
                    "since": time("Of the first position that counts, when not all count"),
                    "passedOver": oneOf("Why nothing was changed", PastFinding.Obstacle.self),
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
                    "exitedAt": time("To"), "duration": number("Seconds from enter to exit, silences included"),
                    "exitCause": oneOf("Why", Cause.self), "lastSeenAt": lastSeenAt, "seenSeconds": seenSeconds,
                    "notSeenSince": notSeenSince,
                ])
        ),
        ("VisitPage", page("visits", of: "Visit")),
        ("VisitTotal", VisitTotal.shape.schema()),
        ("VisitTotalPage", page("totals", of: "VisitTotal")),
    ]
}
