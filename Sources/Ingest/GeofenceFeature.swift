import Model

/// Converts geofences in the JSON of other programs to GeoJSON features.
enum GeofenceFeature {
    /// Why an object is not a geofence, with the member that is wrong.
    struct Flaw: Error {
        var field: String
        var value: String
        var reason: Phrase
    }

    /// The feature that an object stands for; the object itself if it has no form of another program.
    static func of(_ value: JSONValue) throws(Flaw) -> JSONValue {
        if value["type"]?.string == "Feature" { return value }
        if value["area"] != nil { return try ofTraccar(value) }
        if value["_type"]?.string == "waypoint" || (value["lat"] != nil && value["lon"] != nil) { return try ofOwnTracks(value) }
        return value
    }

    /// A geofence of Traccar's `/api/geofences`. Its number is the id, so that importing a later export replaces the geofence.
    private static func ofTraccar(_ value: JSONValue) throws(Flaw) -> JSONValue {
        let text = value["area"]?.string ?? value["area"]?.description ?? ""
        let area: WellKnownText
        do throws(WellKnownText.Flaw) {
            area = try WellKnownText(text, order: .latitudeFirst)
        } catch {
            throw Flaw(field: "area", value: text, reason: error.reason)
        }
        let unset: [JSONValue] = [.null, .string(""), .number("0"), .object([])]
        let others = (value.members ?? []).filter {
            !["id", "name", "area", "radius"].contains($0.name) && !unset.contains($0.value)
        }
        return .compact([
            ("type", "Feature"), ("id", value["id"]), ("geometry", area.geometry),
            ("properties", properties(name: value["name"], radius: area.radius, others)),
        ])
    }

    /// A waypoint of OwnTracks (OwnTracks booklet, "JSON"). `rid`, which identifies it on iOS, is the id if a geofence may have it.
    private static func ofOwnTracks(_ value: JSONValue) throws(Flaw) -> JSONValue {
        if let beacon = value["uuid"], beacon != .null {
            throw Flaw(
                field: "uuid", value: beacon.string ?? beacon.description,
                reason: .expecting(Phrase("it is a beacon, which has no coordinates"), .radiusProperty))
        }
        let rid = value["rid"]?.string.flatMap { Identifier.flaw(inGeofence: $0) == nil ? $0 : nil }
        // A radius of 0 marks a waypoint that is not watched.
        let radius = value["rad"].flatMap { $0.double == 0 ? nil : $0 }
        func number(_ name: String) -> JSONValue {
            guard let member = value[name] else { return .null }
            return JSONReading.number(member).map { JSONValue($0) } ?? member
        }
        let others = (value.members ?? []).filter { !["_type", "desc", "lat", "lon", "rad", "rid", "uuid"].contains($0.name) }
        return .compact([
            ("type", "Feature"), ("id", rid.map(JSONValue.string)),
            ("geometry", ["type": "Point", "coordinates": [number("lon"), number("lat")]]),
            ("properties", properties(name: value["desc"], radius: radius, others)),
        ])
    }

    private static func properties(name: JSONValue?, radius: JSONValue?, _ others: [JSONValue.Member]) -> JSONValue {
        var members: [JSONValue.Member] = []
        if let name { members.append(.init("name", name)) }
        if let radius { members.append(.init("radius", radius)) }
        return .object(members + others)
    }
}
