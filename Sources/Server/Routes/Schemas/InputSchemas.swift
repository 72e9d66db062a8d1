import Model
import Registry
import Service

/// The schemas of documents that people send, where they differ from those of answers: other members are required, numbers have ranges, and
/// null counts as a member that is left out.
extension Schemas {
    private typealias Members = [(name: String, schema: JSONValue)]

    static let inputs: [Named] = [
        ("NewDevice", input("A device to create; members that only answers have are ignored", device, requires: ["id"])),
        ("DeviceInput", input("A device; members that only answers have are ignored", device)),
        ("NewGeofence", ["anyOf": [circle, area]]), ("SimulatedAction", ["anyOf": .array(actions + faults)]),
    ]

    /// A number of a range.
    static func number(_ description: String, from least: Double, to most: Double? = nil) -> JSONValue {
        .object(
            (number(description).members ?? []) + [.init("minimum", JSONValue(least))]
                + (most.map { [.init("maximum", JSONValue($0))] } ?? []))
    }

    /// The schema of a document with the members of an answer.
    ///
    /// - Parameters:
    ///   - requires: The members without which it is refused. The others may be null.
    ///   - without: Members of the answer that it must not have.
    ///   - changes: Schemas that replace those of the answer.
    private static func input(
        _ description: String, _ answer: JSONValue, requires: [String] = [], without: [String] = [],
        changes: [String: JSONValue] = [:]
    ) -> JSONValue {
        let properties = (answer["properties"]?.members ?? []).filter { !without.contains($0.name) }
        let members: Members = properties.map { (name: $0.name, schema: changes[$0.name] ?? $0.value) }
        return object(description, requires: requires, members)
    }

    private static func object(_ description: String, requires: [String], _ members: Members) -> JSONValue {
        let properties = members.map { name, schema in
            JSONValue.Member(name, requires.contains(name) ? schema : nullable(schema))
        }
        return .compact([
            ("type", "object"), ("description", .string(description)),
            ("required", requires.isEmpty ? nil : .array(requires.map(JSONValue.string))), ("properties", .object(properties)),
        ])
    }

    private static func word(_ word: String) -> JSONValue { ["type": "string", "enum": [.string(word)]] }

    // MARK: - Devices and geofences

    private static let device = ShownDevice.output.schema
    private static let latitude = number("Degrees", from: -90, to: 90)
    private static let longitude = number("Degrees", from: -180, to: 180)

    private static let circle = input(
        "A circle", ShownGeofence.output.schema, requires: ["name", "latitude", "longitude", "radius"], without: ["geometry"],
        changes: ["latitude": latitude, "longitude": longitude, "radius": number("Meters", from: 1, to: 1_000_000)])

    private static let area = input(
        "An area", ShownGeofence.output.schema, requires: ["name", "geometry"], without: ["latitude", "longitude", "radius"],
        changes: ["geometry": outline])

    private static let outline: JSONValue = {
        func list(of element: JSONValue, _ least: Int) -> JSONValue {
            ["type": "array", "items": element, "minItems": JSONValue(least)]
        }
        let polygon = list(of: list(of: list(of: ["type": "number"], 2), 4), 1)
        let geometries = [("Polygon", polygon), ("MultiPolygon", list(of: polygon, 1))].map { type, coordinates in
            object(
                "A GeoJSON geometry (RFC 7946), with longitudes first", requires: ["type", "coordinates"],
                [("type", word(type)), ("coordinates", coordinates)])
        }
        return ["anyOf": .array(geometries)]
    }()

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
