import Model

/// A position whose fields are nested in a JSON object, as one flat list of members.
struct NestedPosition {
    var members: [JSONValue.Member]
    var keys: JSONKeys
    /// Whether the object is a GeoJSON feature, as those of Overland.
    var isFeature = false

    /// The position in an object of an app; nil for other objects.
    ///
    /// The background geolocation library of Transistor Software nests it in `coords`, and that often in `location`. Overland sends a GeoJSON
    /// feature with a point. Traccar forwards a position beside its device.
    init?(_ members: [JSONValue.Member]) {
        if let feature = Self.membersOfFeature(members) {
            self.members = feature
            keys = .feature
            isFeature = true
        } else if !members.contains(where: { ($0.name == "latitude" || $0.name == "lat") && $0.value != .null }),
            let location = members.last(where: { $0.name == "location" })?.value.members
        {
            self.members = members.filter { $0.name != "location" } + Self.unnested(location)
            keys = .backgroundGeolocation
        } else if members.contains(where: { $0.name == "coords" && $0.value.members != nil }) {
            self.members = Self.unnested(members)
            keys = .backgroundGeolocation
        } else if let forwarded = Self.membersOfForwarded(members) {
            self.members = forwarded
            keys = .forwardedByTraccar
        } else {
            return nil
        }
    }

    /// The members of a position that Traccar forwards (https://www.traccar.org/forward, `forward.type` json), with the device's unique id as
    /// `id`, and with its attributes as members. The ids of Traccar's database mean nothing outside of it, and are left out.
    private static func membersOfForwarded(_ members: [JSONValue.Member]) -> [JSONValue.Member]? {
        let object = JSONValue.object(members)
        guard let position = object["position"]?.members, let id = object["device"]?["uniqueId"] else { return nil }
        let attributes = object["position"]?["attributes"]?.members ?? []
        let unused = ["id", "deviceId", "attributes", "network", "geofenceIds"]
        let fields = position.filter { $0.value != .null && !unused.contains($0.name) }
        let names = Set(fields.map(\.name))
        return [JSONValue.Member("id", id)] + fields + attributes.filter { $0.name != "id" && !names.contains($0.name) }
    }

    /// The members with those of `coords` and `battery` instead of these two objects.
    private static func unnested(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
        members.flatMap { member in
            switch (member.name, member.value) {
            case ("coords", .object(let inner)), ("battery", .object(let inner)): inner
            default: [member]
            }
        }
    }

    /// The properties of a GeoJSON feature with a point, and its coordinates as `longitude`, `latitude` and `altitude`.
    private static func membersOfFeature(_ members: [JSONValue.Member]) -> [JSONValue.Member]? {
        let object = JSONValue.object(members)
        guard object["type"]?.string == "Feature", let geometry = object["geometry"], geometry["type"]?.string == "Point" else {
            return nil
        }
        // Overland sends an empty name if none is set.
        let properties = (object["properties"]?.members ?? []).filter { $0.name != "device_id" || $0.value != "" }
        let names =
            properties.contains { $0.name == "altitude" } ? ["longitude", "latitude"] : ["longitude", "latitude", "altitude"]
        let others = members.filter { !["type", "geometry", "properties"].contains($0.name) }
        return others + properties.filter { !names.contains($0.name) }
            + zip(names, geometry["coordinates"]?.array ?? []).map { JSONValue.Member($0, $1) }
    }
}

/// A list of positions in a JSON object.
enum PositionList {
    /// The names of lists: of apps and Google Takeout, and of the two lists of an export of Google Timeline.
    static let names = ["locations", "semanticSegments", "rawSignals"]

    /// The maximum size in bytes of a member that applies to each position, because it is repeated for each.
    private static let maxBytes = 256

    /// The members beside a list that apply to each of its positions: the device and other fields of a position. Members that would only
    /// become attributes of each are left out.
    static func enclosing(_ members: [JSONValue.Member]) -> [JSONValue.Member] {
        members.filter { member in
            guard names.allSatisfy({ $0 != member.name }), JSONKeys.namesOfFields.contains(member.name) else { return false }
            switch member.value {
            case .string(let text), .number(let text): return text.utf8.count <= maxBytes
            default: return false
            }
        }
    }
}
