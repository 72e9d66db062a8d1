import Model
import Places
import Presence
import Routing

extension Schemas {
    static let geofences: [Named] = [
        named(ShownGeofence.output),
        ("GeofencePatch", anyObject("The fields of a Geofence that change (RFC 7396); null removes a field")),
        ("GeofencePage", page("geofences", of: "Geofence")),
        (
            "Policy",
            [
                "description": "The name of a policy, or individual fields",
                "oneOf": [JSONKind<DecisionPolicy.Name>.word.schema(nil), any(PolicyOverride.output.name)],
            ]
        ),
        named(PolicyOverride.output),
        (
            "FeatureCollection",
            object(
                "GeoJSON (RFC 7946)",
                ["type": text("FeatureCollection"), "features": ["type": "array", "items": any("Feature")]])
        ),
        (
            "HistoryFeatures",
            object(
                "Events at the positions of their devices, visits at their geofences (RFC 7946)",
                [
                    "type": text("FeatureCollection"),
                    "features": list("Events or visits, with the same members as in their lists", of: ["type": "object"]),
                ])
        ),
        named(GeofenceFile.Imported.shape), named(Refusal.importShape), named(GeofenceFile.Imported.Replacement.shape),
        named(GeofenceFile.Imported.Renamed.shape), named(GeofenceNote.shape),
        (
            "OverlapList",
            object(
                "Pairs of geofences",
                [
                    "overlaps": list("Sorted by id", of: any(GeofenceOverlap.output.name)),
                    "isComplete": flag("Whether the list is complete"),
                ])
        ),
        named(GeofenceOverlap.output),
        ("InsidePage", page("devices", of: "Inside")), named(InsideDevice.output),
    ]
}
