import Model
import Places
import Presence
import Routing

extension Schemas {
    /// Schemas of positions that devices send.
    static let positions: [Named] = [
        (
            "Position",
            [
                "type": "object",
                "description":
                    "A position. Other names of these members are understood, and unknown members are kept; see docs/http-api.md",
                "required": ["timestamp", "latitude", "longitude"],
                "properties": [
                    "device": text("The device's id; may be in the query instead"),
                    "timestamp": [
                        "type": ["string", "number"], "description": "RFC 3339, or Unix seconds, milliseconds or microseconds",
                    ],
                    "latitude": number("Degrees", from: -90, to: 90), "longitude": number("Degrees", from: -180, to: 180),
                    "accuracy": nullable(number("Radius in meters, 68 %", from: 0)), "altitude": nullable(number("Meters")),
                    "speed": nullable(number("Meters per second")), "course": nullable(number("Degrees clockwise from north")),
                    "battery": nullable(number("0 to 1", from: 0, to: 1)),
                ],
                "additionalProperties": true,
            ]
        ),
        ("Positions", ["oneOf": [any("Position"), ["type": "array", "items": any("Position")]]]),
        (
            "IntakeAnswer",
            object(
                "The result of sending positions",
                [
                    "accepted": integer("Accepted positions"), "duplicates": integer("Positions that were already known"),
                    "late": integer("The number of accepted positions that are older than a known one"),
                    "waiting": integer(
                        "The number of these that are not evaluated yet; a replay evaluates them soon"),
                    "refused": list(
                        "The first positions that were not accepted, \(BoundedList<Refusal>.maxEntries) at most",
                        of: any(Refusal.positionShape.name)),
                    "refusedCount": integer("The number of positions that were not accepted"),
                    "eventCount": integer("The number of resulting events"),
                ],
                optional: [
                    "timesWithoutZone": list(
                        "The numbers of times that had no offset from UTC, by the zone in which they were read",
                        of: any(TimesWithoutZone.shape.name)),
                    "remarks": list("How ambiguous parts of the body were read", of: any(InputRemark.shape.name)),
                    "events": list(
                        "The resulting events, \(BoundedList<Event>.maxEvents) at most. Missing when only their number was asked for, "
                            + "or when the service lacks memory for the list", of: any("Event")),
                    "result": text("'ok', for the app Overland"),
                ])
        ),
        named(Refusal.positionShape), named(TimesWithoutZone.shape), named(InputRemark.shape),
    ]

    /// Schemas of requests of phone apps, in their own protocols.
    static let phones: [Named] = [
        ("OsmAndPositions", ["description": "A position in JSON of the Traccar client 9, or an array of flat ones"]),
        ("OwnTracksMessage", anyObject("A message of the OwnTracks app, as its booklet describes them under JSON")),
        ("OwnTracksCommands", list("Commands for the app, usually none", of: ["type": "object"])),
    ]
}
