import Model

extension Schemas {
    static let geometry = anyObject(
        "A GeoJSON geometry (RFC 7946): Polygon or MultiPolygon; a Point with a radius when it is written")

    /// The optional fields of a geofence.
    private static let geofenceFields: KeyValuePairs<String, JSONValue> = [
        "id": text("1 to 64 of A-Z a-z 0-9 . _ -"), "name": text("For people, 1 to 120 characters"),
        "latitude": number("Of a circle's center, degrees"), "longitude": number("Of a circle's center, degrees"),
        "radius": number("Of a circle, meters, 1 to 1000000"), "geometry": geometry,
        "isActive": flag("Inactive ones are kept and never watched"),
        "priority": integer("Which one wins when a phone can watch too few: the higher"),
        "triggers": list("What is told to sinks", of: text("One of them", .init("enum", ["enter", "exit", "dwell"]))),
        "dwell": number("Seconds inside before a dwell is told"), "devices": words, "groups": words, "policy": any("Policy"),
        "properties": anyObject("Anything else; carried to the events"),
        "asWritten": flag("Whether edges of more than 180 degrees of longitude are meant as they are written"),
        "notes": list("In answers to changes: how the outline was read. Passed over in what is sent", of: any("GeofenceNote")),
    ]

    static let geofences: [Named] = [
        ("Geofence", object("A circle (latitude, longitude, radius), or an area (geometry)", [:], optional: geofenceFields)),
        ("GeofencePatch", anyObject("Fields of a Geofence that change (RFC 7396); null takes one away")),
        ("GeofencePage", page("geofences", of: "Geofence")),
        (
            "Policy",
            [
                "description": "exact, balanced or phone; or single fields over one of them",
                "oneOf": [
                    ["type": "string"],
                    object(
                        "Lengths in meters, times in seconds; \"none\" for no limit", [:],
                        optional: [
                            "base": text("exact, balanced or phone"), "accuracyCap": limit, "maxAccuracy": limit,
                            "exitMargin": limit,
                            "confirmFixes": integer("1 to 100"), "confirmSeconds": limit, "maxSpeed": limit, "crossing": limit,
                            "stay": limit,
                        ]),
                ],
            ]
        ),
        (
            "Feature",
            object(
                "A GeoJSON feature; a circle is a Point with a radius (meters) among its properties",
                ["type": text("Feature"), "geometry": geometry, "properties": anyObject("name, radius, active, priority, …")],
                optional: ["id": text("The geofence's id")])
        ),
        (
            "FeatureCollection",
            object(
                "GeoJSON (RFC 7946)",
                ["type": text("FeatureCollection"), "features": ["type": "array", "items": any("Feature")]])
        ),
        (
            "HistoryFeatures",
            object(
                "Events where their devices were, visits where their geofences lie (RFC 7946)",
                [
                    "type": text("FeatureCollection"),
                    "features": list("Events or visits, as their lists have them", of: ["type": "object"]),
                ])
        ),
        (
            "ImportAnswer",
            object(
                "What became of a file",
                [
                    "imported": integer("Geofences that were taken"),
                    "unchanged": integer("Of these, there already as they are"),
                    "replaced": integer("Of these, in the place of another one"),
                    "mended": integer("Of these, with an outline that crossed itself"),
                    "refused": list("The others", of: refusal),
                    "replacements": list(
                        "Replaced by onConflict=replace",
                        of: object(
                            "A geofence in the place of another one",
                            ["id": text("Of both"), "old": any("Geofence"), "new": any("Geofence")])),
                    "renamed": list(
                        "Given a free id by onConflict=rename",
                        of: object(
                            "A geofence with another id than its name makes",
                            [
                                "name": text("For people"), "wanted": text("The id that is made of the name"),
                                "id": text("The id that it got"),
                            ])),
                    "notes": list("How outlines were read that can be read in two ways", of: any("GeofenceNote")),
                    "events": ["type": "array", "items": any("Event")],
                ])
        ),
        (
            "GeofenceNote",
            object(
                "How an outline was read that can be read in two ways",
                [
                    "code": oneOf(
                        "shortWay: edges of more than 180 degrees of longitude were taken across the antimeridian; asWritten: they "
                            + "were not, because that gives no area", GeofenceNote.Code.self),
                    "geofenceId": text("Its id"), "west": number("Where it begins, degrees; may be below -180"),
                    "east": number("Where it ends, degrees; may be above 180"), "message": text("The same in words"),
                ])
        ),
        (
            "OverlapList",
            object(
                "Pairs of geofences",
                [
                    "overlaps": list(
                        "By id",
                        of: object(
                            "A pair",
                            [
                                "a": text("An id; draft for a draft without one"), "b": text("An id"),
                                "relation": text("overlaps, contains, within, equals or touches"),
                                "sharedArea": number("Square meters"), "shareOfA": number("0 to 1"), "shareOfB": number("0 to 1"),
                            ], optional: ["nameOfB": text("For people; where a draft is asked about")])),
                    "isComplete": flag("Whether these are all"),
                ])
        ),
        (
            "InsidePage",
            page("devices", of: "Inside")
        ),
        (
            "Inside",
            object(
                "A device in a geofence",
                ["deviceId": text("Its id"), "name": text("For people"), "enteredAt": time("Since when")],
                optional: ["lastFix": any("Fix"), "notSeenSince": notSeenSince])
        ),
    ]

    private static let limit: JSONValue = ["type": ["number", "string"], "description": "A number, or none"]

    static let refusal = object(
        "Something that was not taken", ["field": text("Which"), "value": text("What it was"), "reason": text("Why not")],
        optional: ["line": integer("Where, from 1"), "index": integer("Where, from 0"), "reasonIn": translations])

    static let translations = object("The reason in other languages", [:], optional: ["tr": text("In Turkish")])
}
