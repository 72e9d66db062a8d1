import Core
import Model
import Places
import Presence
import Routing

/// The schemas of documents that people send, where they differ from those of answers: other members are required, numbers have ranges, and
/// null counts as a member that is left out.
extension Schemas {
    static let inputs: [Named] =
        [
            ("NewDevice", input("A device to create; members that only answers have are ignored", device, requires: ["id"])),
            ("DeviceInput", input("A device; members that only answers have are ignored", device)),
            ("GeofenceEdits", edits("GeofenceEdit")),
            ("PolygonGeometry", geometry("Polygon")), ("MultiPolygonGeometry", geometry("MultiPolygon")),
            ("PointGeometry", geometry("Point")), ("AreaProperties", properties(requires: [], without: ["radius"])),
            ("CircleProperties", properties(requires: ["radius"], without: [])),
        ]
        + choice("NewGeofence", endings: ["Circle", "Area"], [circle(requires: ["name"]), area(requires: ["name"])])
        + choice(
            "GeofenceWithID", endings: ["Circle", "Area"], [circle(requires: ["id", "name"]), area(requires: ["id", "name"])])
        + choice(
            "Feature", endings: ["Point", "Polygon", "MultiPolygon"],
            [
                feature("PointGeometry", "CircleProperties"), feature("PolygonGeometry", "AreaProperties"),
                feature("MultiPolygonGeometry", "AreaProperties"),
            ])
        + choice("GeofenceEdit", endings: ["Put", "Remove"], edit("GeofenceWithID"))
        + choice("DeviceEdit", endings: ["Put", "Remove"], edit("NewDevice"))
        + choice(
            "DeviceEdits", endings: ["OfEach", "OfList", "OfGroup", "OfAll"],
            [
                edits("DeviceEdit"), patch("devices", list("Ids", of: ["type": "string"])),
                patch("group", text("The devices of this group")), patch("all", flag("true: all devices")),
            ])
        + choice("NewRule", endings: ruleKinds.map(\.name), ruleKinds.map(\.schema))

    // MARK: - Devices and geofences

    private static let device = ShownDevice.output.schema
    private static let latitude = number("Degrees", from: -90, to: 90)
    private static let longitude = number("Degrees", from: -180, to: 180)

    private static let radius = number("Meters", from: 1, to: 1_000_000)

    private static func circle(requires: [String]) -> JSONValue {
        input(
            "A circle", ShownGeofence.output.schema, requires: requires + ["latitude", "longitude", "radius"],
            without: ["geometry"], changes: ["latitude": latitude, "longitude": longitude, "radius": radius])
    }

    private static func area(requires: [String]) -> JSONValue {
        input(
            "An area", ShownGeofence.output.schema, requires: requires + ["geometry"],
            without: ["latitude", "longitude", "radius"],
            changes: ["geometry": ["anyOf": [any("PolygonGeometry"), any("MultiPolygonGeometry")]]])
    }

    private static func geometry(_ type: String) -> JSONValue {
        func list(of element: JSONValue, _ least: Int) -> JSONValue {
            ["type": "array", "items": element, "minItems": JSONValue(least)]
        }
        let point = list(of: ["type": "number"], 2)
        let polygon = list(of: list(of: point, 4), 1)
        let coordinates = type == "Point" ? point : type == "Polygon" ? polygon : list(of: polygon, 1)
        return object(
            "A GeoJSON geometry (RFC 7946), with longitudes first", requires: ["type", "coordinates"],
            [("type", word(type)), ("coordinates", coordinates)])
    }

    /// The members of a Geofence that are not members of the feature, and any others.
    private static func properties(requires: [String], without: [String]) -> JSONValue {
        let others = ["id", "latitude", "longitude", "geometry", "isActive", "properties"] + without
        let members = (ShownGeofence.output.schema["properties"]?.members ?? []).filter { !others.contains($0.name) }
        let schema = object(
            "Members of a Geofence, and any other data", requires: ["name"] + requires,
            members.map { ($0.name, $0.name == "radius" ? radius : $0.value) } + [("active", flag("The isActive of a Geofence"))])
        return .object((schema.members ?? []) + [.init("additionalProperties", true)])
    }

    /// In requests and answers.
    private static func feature(_ geometry: String, _ properties: String) -> JSONValue {
        object(
            "A geofence as a GeoJSON feature (RFC 7946)", requires: ["type", "geometry", "properties"],
            [
                ("type", word("Feature")), ("id", text("The geofence's id")), ("geometry", any(geometry)),
                ("properties", any(properties)),
            ])
    }

    // MARK: - Changes of several geofences or devices

    private static func edits(_ name: String) -> JSONValue {
        object("Changes, applied in their order", requires: ["edits"], [("edits", list("The changes", of: any(name)))])
    }

    private static func edit(_ name: String) -> [JSONValue] {
        [
            object("What is created or replaced", requires: ["put"], [("put", any(name))]),
            object("A removal", requires: ["remove"], [("remove", text("The id of what is removed"))]),
        ]
    }

    private static func patch(_ selection: String, _ selected: JSONValue) -> JSONValue {
        object(
            "The same change of many devices", requires: ["patch", selection],
            [("patch", any("DevicePatch")), (selection, selected)])
    }

    // MARK: - Rules

    /// A schema for each kind of rule, with a device or a group, and a geofence or a label.
    private static let ruleKinds: [Named] = PresenceRule.Kind.allCases.flatMap { kind in
        let (needed, others): (String, [String]) =
            switch kind {
            case .entersBy: ("by", ["duration", "until"])
            case .staysAtMost: ("duration", ["by", "grace", "from", "until", "minDuration"])
            case .staysUntil: ("until", ["by", "grace", "duration"])
            }
        return [("deviceId", "group", "OfDevice"), ("group", "deviceId", "OfGroup")].flatMap { subject, noSubject, ending in
            [("geofenceId", "label", "AtGeofence"), ("label", "geofenceId", "AtLabel")].map { place, noPlace, placeEnding in
                let schema = input(
                    "A rule", Queries.RuleStatus.output.schema, requires: ["kind", subject, place, needed],
                    without: others + [noSubject, noPlace], changes: ["kind": word(kind.rawValue)])
                return (kind.rawValue + ending + placeEnding, schema)
            }
        }
    }
}
