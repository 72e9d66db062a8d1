import Model
import Registry
import Routing

extension Schemas {
    /// The schema of an action on a simulated phone.
    static let simulatedAction: Named = ("SimulatedAction", ["anyOf": .array(actions + faults)])

    private static let actions: [JSONValue] = {
        let region: [Named] = [
            ("identifier", text("addOrphan: the id of a geofence; addForeign: the whole identifier")),
            ("latitude", number("Degrees", from: -90, to: 90)), ("longitude", number("Degrees", from: -180, to: 180)),
            ("radius", number("Meters", from: 1)),
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
        var members: [Named] = [("fault", word(fault.rawValue))]
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
        _ name: SimulatedAction.Name, _ description: String, _ required: [Named] = [], optional: [Named] = []
    ) -> JSONValue {
        var members: [Named] = [("action", word(name.rawValue))]
        members += required
        members += optional
        return object(description, requires: ["action"] + required.map(\.name), members)
    }
}
