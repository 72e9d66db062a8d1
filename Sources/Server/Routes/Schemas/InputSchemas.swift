import Model
import Registrations
import Registry
import Routing
import Service

/// The schemas of documents that people send, where they differ from those of answers: other members are required, numbers have ranges, and
/// null counts as a member that is left out.
extension Schemas {
    private typealias Members = [Named]

    static let inputs: [Named] =
        [
            ("NewDevice", input("A device to create; members that only answers have are ignored", device, requires: ["id"])),
            ("DeviceInput", input("A device; members that only answers have are ignored", device)),
            ("GeofenceEdits", edits("GeofenceEdit")), ("SimulatedAction", ["anyOf": .array(actions + faults)]),
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

    /// A schema for each kind of rule with a device, and for each with a group.
    private static let ruleKinds: [Named] = PresenceRule.Kind.allCases.flatMap { kind in
        let (needed, others): (String, [String]) =
            switch kind {
            case .entersBy: ("by", ["duration", "until"])
            case .staysAtMost: ("duration", ["by", "grace", "from", "until", "minDuration"])
            case .staysUntil: ("until", ["by", "grace", "duration"])
            }
        return [("deviceId", "group", "OfDevice"), ("group", "deviceId", "OfGroup")].map { subject, other, ending in
            let schema = input(
                "A rule", Queries.RuleStatus.output.schema, requires: ["kind", subject, "geofenceId", needed],
                without: others + [other], changes: ["kind": word(kind.rawValue)])
            return (kind.rawValue + ending, schema)
        }
    }

    // MARK: - Actions on a simulated phone

    private static let actions: [JSONValue] = {
        let region: Members = [
            ("identifier", text("addOrphan: the id of a geofence; addForeign: the whole identifier")), ("latitude", latitude),
            ("longitude", longitude), ("radius", number("Meters", from: 1)),
        ]
        return [
            action(
                .drop, "The system loses regions of Picket, selected by the phone's seed",
                optional: [("count", number("How many, a whole number; 1 when omitted", from: 0, to: 10_000))]),
            action(
                .drop, "The system loses these regions",
                [("identifiers", list("Identifiers, or ids of geofences", of: ["type": "string"]))]),
            action(.addOrphan, "A region of Picket appears that belongs to no geofence", region),
            action(.addForeign, "A region of another SDK appears", region), action(.reboot, "The phone restarts"),
            action(.reinstall, "The app is reinstalled"),
            action(.authorize, "The person gives an authorization", [("status", oneOf("The authorization", Authorization.self))]),
            action(.location, "Location is switched on or off", [("enabled", flag("Whether it is on"))]),
            action(
                .set, "A setting or a policy changes",
                [
                    ("setting", text("precise, background, battery, reboot-policy, update-policy or permission-policy")),
                    ("value", text("on or off, or the name of a policy")),
                ]),
            action(
                .profile, "The phone uses another profile of region monitoring from now on; its app is reinstalled",
                [("profile", JSONKind.oneOf(variants.filter { $0 != .custom }.map(\.rawValue)).schema("The way"))]),
            action(
                .profile, "The same with limits that are given",
                [
                    ("profile", word(PlatformProfile.Variant.custom.rawValue)),
                    ("limit", integer("The maximum number of regions")),
                ],
                optional: [
                    ("largestRadius", number("The largest radius in meters; the platform's when omitted")),
                    (
                        "exitCushion",
                        number("Meters beyond the boundary at which an exit is reported; the platform's when omitted")
                    ),
                ]),
        ]
    }()

    private static let variants = PlatformProfile.Variant.allCases

    /// The faults, each with its values. A fault happens now or at the next call of its kind.
    private static let faults: [JSONValue] = SimulatedFault.Name.allCases.map { fault in
        var members: Members = [("fault", word(fault.rawValue))]
        for value in fault.values { members.append((value.rawValue, schema(of: value))) }
        return action(.fail, "A fault", members)
    }

    private static func schema(of value: SimulatedFault.Name.Value) -> JSONValue {
        switch value {
        case .identifier: text("The region's identifier")
        case .meters: number("How far the region is from its original center, in meters", from: 0, to: 1_000_000)
        case .code: text("The vendor's number or name of the error")
        case .seconds: number("The delay")
        }
    }

    private static func action(
        _ name: SimulatedAction.Name, _ description: String, _ required: Members = [], optional: Members = []
    ) -> JSONValue {
        var members: Members = [("action", word(name.rawValue))]
        members += required
        members += optional
        return object(description, requires: ["action"] + required.map(\.name), members)
    }
}
