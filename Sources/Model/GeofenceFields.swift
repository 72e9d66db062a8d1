import Geodesy

extension Geofence {
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
        var fields = try JSONFields(json, of: .geofence)
        if let own = try fields.text("id") { try Self.checkID(own, equals: id) }
        let shape = try Self.shape(&fields)
        var triggers = Triggers.all
        if fields.value("triggers") != nil {
            triggers = []
            for name in try fields.texts("triggers") {
                guard let known = Triggers.named.first(where: { $0.name == name }) else {
                    throw .validationFailed(
                        field: "triggers", value: name, reason: .noSuchTrigger, expected: .oneOf(Triggers.named.map(\.name)))
                }
                triggers.insert(known.trigger)
            }
        }
        let policy = try fields.value("policy").map { json throws(Problem) in try PolicyOverride(json: json) }
        let properties = fields.value("properties") ?? .object([])
        guard let properties = properties.members else {
            throw .validationFailed(
                field: "properties", value: String(properties.description.prefix(60)), reason: .notAnObject,
                expected: .object)
        }
        // The caller reads `asWritten` from the JSON itself. `notes` is a member of answers, which may be sent back.
        _ = try fields.flag(Self.asWritten)
        fields.allow("notes")
        self.init(
            id: id, name: try fields.text("name") ?? id, shape: shape, isActive: try fields.flag("isActive") ?? true,
            priority: try fields.integer("priority") ?? 0, triggers: triggers, dwell: try fields.number("dwell"),
            devices: try fields.texts("devices"), groups: try fields.texts("groups"), policy: policy ?? PolicyOverride(),
            properties: properties)
        try fields.finish()
        if let flaw { throw flaw }
    }

    /// The fence with the changes of a merge patch (RFC 7396) to its flat form. A circle in the patch replaces a polygon, and a polygon
    /// replaces a circle.
    package func patched(with patch: JSONValue) throws(Problem) -> Geofence {
        guard patch.members != nil else {
            throw .validationFailed(
                field: "body", value: String(patch.description.prefix(60)), reason: .notAnObject,
                expected: .objectOfChanges)
        }
        func isGiven(_ name: String) -> Bool { patch[name].map { $0 != .null } ?? false }
        var members = json.members ?? []
        if isGiven("geometry") {
            // `asWritten` applies to the old outline only.
            members.removeAll { ["latitude", "longitude", "radius", Self.asWritten].contains($0.name) }
        } else if isGiven("latitude") || isGiven("longitude") || isGiven("radius") {
            members.removeAll { ["geometry", Self.asWritten].contains($0.name) }
        }
        return try Geofence(json: JSONValue.object(members).merged(with: patch), id: id)
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
            throw .validationFailed(
                field: lacking, value: "", reason: .missing,
                expected: Phrase("latitude, longitude and radius (meters) of a circle, or a GeoJSON geometry"))
        }
        return .circle(Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius))
    }
}
