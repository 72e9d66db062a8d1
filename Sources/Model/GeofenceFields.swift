import Geodesy

extension Geofence: JSONWritable {
    /// The fields besides the id and the shape. In a GeoJSON feature, a property with the name of the column holds a field.
    package static let fields: [EntityField<Geofence>] = [
        .init("name", .name, at: \.name, help: "Name for people, 1 to 120 characters", option: .init("NAME")),
        .init(
            "isActive", .flag("yes", "no"), at: \.isActive, column: "active",
            help: "Inactive geofences are stored but not evaluated"),
        .init(
            "priority", .whole(-1_000_000...1_000_000), at: \.priority,
            help: "Priority when a phone cannot watch all geofences; higher wins", option: .init("N", builtIn: "0"),
            line: { $0.priority == 0 ? nil : Phrase("priority \(plain: $0.priority)") }),
        .init(
            "triggers", .triggers, at: \.triggers, help: "Events that are sent to sinks: enter, exit, dwell",
            option: .init("LIST", builtIn: "all")),
        .init(
            "dwell", optional: .seconds(dwells, acceptsBareSeconds: true), at: \.dwell, removal: "none",
            help: "Time inside after which a dwell is recorded",
            option: .init("DURATION", "for example 10m; none for never"),
            line: { $0.dwell.map { Phrase("records a dwell after \(duration: $0)") } }),
        .init(
            "devices", .names(), at: \.devices, help: "Only for these devices; for all without devices and groups",
            option: .init("LIST", "none for all"),
            line: { $0.devices.isEmpty ? nil : Phrase("for devices \(list: $0.devices)") }),
        .init(
            "groups", .nameList, at: \.groups, help: "Only for devices in these groups", option: .init("LIST", "none for all"),
            line: { $0.groups.isEmpty ? nil : Phrase("for groups \(list: $0.groups)") }),
        .init(
            "labels", .nameList, at: \.labels, help: "Labels that it shares with other geofences, for rules about all of them",
            option: .init("LIST", "none for none"),
            line: { $0.labels.isEmpty ? nil : Phrase("labels \(list: $0.labels)") }),
        .init(
            "policy", .policy, at: \.policy, omitting: PolicyOverride(), help: "Decision policy",
            option: .init("POLICY", "exact, balanced, phone or JSON; none for that of the device"),
            line: { $0.policy.json.map { Phrase("policy \($0.description)") } }),
        .init("properties", .anyObject, at: \.properties, help: "Any other data; events carry it"),
    ]

    /// The flat form: every field by its name; `latitude`, `longitude` and `radius` for a circle, else `geometry`.
    package static let output = JSONOutput<Geofence>(
        "GeofenceFields", summary: "A circle (latitude, longitude, radius) or an area (geometry)",
        .init("id", optional: .text, summary: "1 to 64 characters of A-Z a-z 0-9 . _ -", content: \.id), .init(fields.prefix(1)),
        .init(
            "latitude", optional: .number, summary: "The latitude of a circle's center in degrees",
            content: \.circle?.center.latitude),
        .init(
            "longitude", optional: .number, summary: "The longitude of a circle's center in degrees",
            content: \.circle?.center.longitude),
        .init("radius", optional: .number, summary: "The radius of a circle in meters, 1 to 1000000", content: \.circle?.radius),
        .init(
            "geometry", optional: .anyObject,
            summary: "A GeoJSON geometry (RFC 7946): Polygon or MultiPolygon; in requests also Point, with a radius",
            content: { $0.circle == nil ? $0.shape.geometry.members : nil }),
        .init(fields.dropFirst()),
        .init(
            asWritten, optional: .flag,
            summary: "Whether edges of more than 180 degrees of longitude are meant as they are written",
            content: { $0.shape.hasWideEdge ? true : nil }))

    private var circle: Circle? { if case .circle(let circle) = shape { circle } else { nil } }

    /// Decodes the flat form that `json` writes, or a GeoJSON Feature. The outline is kept as written.
    ///
    /// - Parameter id: The fence's id. An id in the JSON must be equal to it.
    /// - Throws: `Problem.validationFailed`, which names the field.
    package init(json: JSONValue, id: String) throws(Problem) {
        if json["type"]?.string == "Feature" {
            try self.init(feature: json, defaultID: id)
            try Self.checkID(self.id, equals: id)
            return
        }
        var members = try JSONFields(json, of: .geofence)
        if let own = try members.text("id") { try Self.checkID(own, equals: id) }
        self.init(id: id, name: id, shape: try Self.shape(&members))
        for field in Self.fields { try field.read(&self, &members) }
        // The caller reads `asWritten` from the JSON itself. `notes` is a member of answers, which may be sent back.
        _ = try members.flag(Self.asWritten)
        members.allow("notes")
        try members.finish()
        if let flaw { throw flaw }
    }

    /// The fence with the changes of a merge patch (RFC 7396) to its flat form. A circle in the patch replaces a polygon, and a polygon
    /// replaces a circle.
    package func patched(with patch: JSONValue) throws(Problem) -> Geofence {
        func isGiven(_ name: String) -> Bool { patch[name].map { $0 != .null } ?? false }
        var members = json.members ?? []
        if isGiven("geometry") {
            // `asWritten` applies to the old outline only.
            members.removeAll { ["latitude", "longitude", "radius", Self.asWritten].contains($0.name) }
        } else if isGiven("latitude") || isGiven("longitude") || isGiven("radius") {
            members.removeAll { ["geometry", Self.asWritten].contains($0.name) }
        }
        return try Geofence(json: JSONValue.object(members).patched(with: patch), id: id)
    }

    private static func checkID(_ own: String, equals id: String) throws(Problem) {
        guard own == id else {
            throw .validationFailed(
                field: "id", value: own, reason: .idDiffers,
                expected: .thisOrNone(id))
        }
    }

    private static func shape(_ fields: inout JSONFields) throws(Problem) -> Shape {
        let latitude = try fields.number("latitude")
        let longitude = try fields.number("longitude")
        let radius = try fields.number("radius")
        if let geometry = fields.value("geometry") {
            guard latitude == nil, longitude == nil else {
                throw .validationFailed(
                    field: "geometry", value: "", reason: .coordinatesBeside,
                    expected: .oneOfTheTwo)
            }
            let shape = try Shape(geometry: geometry, radius: radius)
            if case .polygons = shape, let radius {
                throw .validationFailed(
                    field: "radius", value: JSONValue(radius).description, reason: Phrase("a polygon has no radius"),
                    expected: Phrase("no radius, or a circle"))
            }
            return shape
        }
        guard let latitude, let longitude, let radius else {
            let lacking = latitude == nil ? "latitude" : longitude == nil ? "longitude" : "radius"
            throw .missing(lacking, Phrase("latitude, longitude and radius (meters) of a circle, or a GeoJSON geometry"))
        }
        return .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius))
    }
}
