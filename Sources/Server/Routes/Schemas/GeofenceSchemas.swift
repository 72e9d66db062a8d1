import Model
import Service

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
        named(GeofenceFile.Imported.shape), named(Refusal.importShape), named(GeofenceFile.Imported.Replacement.shape),
        named(GeofenceFile.Imported.Renamed.shape), named(GeofenceNote.shape),
        (
            "OverlapList",
            object(
                "Pairs of geofences",
                [
                    "overlaps": list("By id", of: any(GeofenceOverlap.shape.name)),
                    "isComplete": flag("Whether these are all"),
                ])
        ),
        named(GeofenceOverlap.shape),
        (
            "InsidePage",
            page("devices", of: "Inside")
        ),
        (
            "Inside",
            object(
                "A device in a geofence",
                ["deviceId": text("Its id"), "name": text("For people"), "enteredAt": time("Since when")],
                optional: [
                    "lastFix": any("Fix"),
                    "notSeenSince": time("When the device was seen last there, if more than its silentAfter has passed since"),
                ])
        ),
    ]

    private static let limit: JSONValue = ["type": ["number", "string"], "description": "A number, or none"]

    static let translations = object("The reason in other languages", [:], optional: ["tr": text("In Turkish")])
}
