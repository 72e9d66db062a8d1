import Geodesy

// A geofence as GeoJSON (RFC 7946). A circle is a Point with a radius in its properties.

extension Shape {
    /// The GeoJSON geometry: a Point without its radius for a circle, else a Polygon or MultiPolygon with closed rings.
    public var geometry: JSONValue {
        switch self {
        case .circle(let circle):
            ["type": "Point", "coordinates": circle.center.position]
        case .polygons(let polygons) where polygons.count == 1:
            ["type": "Polygon", "coordinates": polygons[0].positions]
        case .polygons(let polygons):
            ["type": "MultiPolygon", "coordinates": .array(polygons.map(\.positions))]
        }
    }

    /// Decodes a geometry.
    ///
    /// - Parameter radius: The radius in meters, required for a Point.
    public init(geometry: JSONValue, radius: Double?) throws(Problem) {
        switch geometry["type"]?.string {
        case "Point":
            guard let radius else {
                throw .validationFailed(
                    field: "radius", value: "", reason: .pointWithoutRadius,
                    expected: .radiusProperty)
            }
            self = .circle(Circle(center: try Coordinate(position: geometry["coordinates"] ?? .null), radius: radius))
        case "Polygon":
            self = .polygons([try Polygon(positions: geometry["coordinates"] ?? .null)])
        case "MultiPolygon":
            var polygons: [Polygon] = []
            for part in geometry["coordinates"]?.array ?? [] { polygons.append(try Polygon(positions: part)) }
            self = .polygons(polygons)
        case let type:
            throw .validationFailed(
                field: "geometry.type", value: type ?? "", reason: type == nil ? .noneThere : .noFenceGeometry,
                expected: Phrase("Point (with a radius), Polygon or MultiPolygon"))
        }
    }
}

extension Coordinate {
    /// The coordinate as a GeoJSON position: longitude first.
    public var position: JSONValue { [JSONValue(longitude), JSONValue(latitude)] }

    /// Decodes a GeoJSON position and ignores its altitude.
    public init(position: JSONValue) throws(Problem) {
        guard let numbers = position.array, numbers.count >= 2, case .number = numbers[0], case .number = numbers[1],
            let longitude = numbers[0].double, let latitude = numbers[1].double
        else {
            throw .validationFailed(
                field: "coordinates", value: String(position.description.prefix(60)), reason: .notAPosition,
                expected: Phrase("[longitude, latitude] in degrees"))
        }
        self.init(latitude: latitude, longitude: longitude)
    }
}

extension Polygon {
    var positions: JSONValue {
        .array(
            rings.map { ring in
                let closed = ring.first == ring.last ? ring : ring + ring.prefix(1)
                return .array(closed.map(\.position))
            })
    }

    init(positions: JSONValue) throws(Problem) {
        var rings: [[Coordinate]] = []
        for ring in positions.array ?? [] {
            var places: [Coordinate] = []
            for position in ring.array ?? [] { places.append(try Coordinate(position: position)) }
            rings.append(places)
        }
        guard let exterior = rings.first else {
            throw .validationFailed(
                field: "coordinates", value: String(positions.description.prefix(60)), reason: .noRing,
                expected: Phrase("rings of [longitude, latitude]"))
        }
        self.init(exterior: exterior, holes: Array(rings.dropFirst()))
    }
}

extension PolicyOverride {
    /// The override as JSON; nil when it is empty. Infinite limits are written as "none".
    public var json: JSONValue? { nonEmpty?.json(in: AnswerLocale()) }

    /// Reads the name of a policy, its fields as JSON, or "none" for an empty override.
    ///
    /// - Parameter field: The option or the query field with the text.
    package init(_ text: String, field: String) throws(Problem) {
        if text == "none" {
            self.init()
        } else if text.hasPrefix("{") {
            let json: JSONValue
            do throws(JSONParser.Failure) {
                json = try JSONParser.parse(text)
            } catch {
                throw .validationFailed(field: field, value: text, reason: .notJSON(error.reason), expected: .policyJSON)
            }
            try self.init(json: json)
        } else {
            try self.init(json: .string(text))
        }
    }

    /// Decodes what `json` writes, or the name of a policy.
    public init(json: JSONValue) throws(Problem) {
        self.init()
        let names = DecisionPolicy.Name.allCases.map(\.rawValue)
        if let name = json.string ?? json["base"]?.string {
            guard let base = DecisionPolicy.Name(rawValue: name) else {
                throw .validationFailed(field: "policy", value: name, reason: .noSuchPolicy, expected: .oneOf(names))
            }
            self.base = base
        }
        guard json.string == nil else { return }
        guard let members = json.members else {
            throw .validationFailed(
                field: "policy", value: json.description, reason: Phrase("it is neither a name nor an object"),
                expected: .policy(names))
        }
        for member in members where member.name != "base" {
            let value = member.value.string == "none" ? Double.infinity : member.value.double
            guard let value, value >= 0 else {
                throw .validationFailed(
                    field: "policy.\(member.name)", value: member.value.description, reason: .notANumber,
                    expected: Phrase("a number, or \"none\""))
            }
            switch member.name {
            case "accuracyCap": accuracyCap = value
            case "maxAccuracy": maxAccuracy = value
            case "exitMargin": exitMargin = value
            case "confirmFixes" where (1...100).contains(value) && value == value.rounded(): confirmFixes = Int(value)
            case "confirmSeconds": confirmSeconds = value
            case "maxSpeed": maxSpeed = value
            case "crossing": crossing = value
            case "stay": stay = value
            case "confirmFixes":
                throw .validationFailed(
                    field: "policy.confirmFixes", value: member.value.description, reason: .notANumber,
                    expected: .wholeNumberIn(1, 100))
            default:
                throw .validationFailed(
                    field: "policy.\(member.name)", value: member.value.description, reason: .noSuchFieldIn(.policy),
                    expected: .oneOf([
                        "accuracyCap", "maxAccuracy", "exitMargin", "confirmFixes", "confirmSeconds", "maxSpeed", "crossing",
                        "stay",
                    ]))
            }
        }
    }
}

extension Geofence {
    /// The fence as a GeoJSON Feature. `init(feature:defaultID:)` decodes it to an equal fence.
    public var feature: JSONValue {
        .object([
            .init("type", "Feature"), .init("id", .string(id)), .init("geometry", shape.geometry),
            .init("properties", .object(ownProperties + properties.filter { !Geofence.ownNames.contains($0.name) })),
        ])
    }

    /// The fence in the flat form of `geofence list --json` and the API; `output` describes the members.
    public var json: JSONValue { json(in: AnswerLocale()) }

    /// The properties of the Feature that hold the fence's own fields, without most of those that have their default value.
    private var ownProperties: [JSONValue.Member] {
        let usual = Geofence(id: id, name: name, shape: shape)
        var members = Geofence.fields.compactMap { field -> JSONValue.Member? in
            let isWritten = ["name", "active"].contains(field.column) || !field.isEqual(self, usual)
            return isWritten && field.name != "properties" ? field.json(self).map { .init(field.column, $0) } : nil
        }
        if case .circle(let circle) = shape { members.insert(.init("radius", JSONValue(circle.radius)), at: 1) }
        if shape.hasWideEdge { members.append(.init(Geofence.asWritten, true)) }
        return members
    }

    /// The names of properties that hold the fence's own fields.
    static let ownNames = Set(fields.map(\.column)).subtracting(["properties"]).union(["radius", asWritten])

    /// The names of properties that hold a geofence's name in files of other programs.
    private static let names = ["name", "Name", "NAME", "title"]

    /// Whether a feature has a name.
    public static func isNamed(_ feature: JSONValue) -> Bool {
        names.contains { feature["properties"]?[$0].map { $0 != .null } ?? false }
    }

    /// The name of a feature as text; nil if it has none.
    package static func name(of feature: JSONValue) -> String? {
        names.lazy.compactMap { feature["properties"]?[$0] }.first { $0 != .null }.map { $0.string ?? $0.description }
    }

    /// The member that is true when edges of more than 180° of longitude are meant as written. It is part of the JSON of fences with such
    /// edges, so that they are decoded to equal fences.
    static let asWritten = "asWritten"

    /// Whether the JSON of a geofence, flat or a Feature, says that its outline is meant as written.
    public static func isAsWritten(_ json: JSONValue) -> Bool {
        let members = json["type"]?.string == "Feature" ? json["properties"] : json
        return members?[asWritten]?.bool ?? false
    }

    /// Decodes a Feature. If it has no `id`, neither as its member nor in the properties, its id is `defaultID`, or else derived from the
    /// name. `radius_m` is read as `radius`. Unknown properties are kept.
    ///
    /// - Throws: `Problem.validationFailed`, which names the member.
    public init(feature: JSONValue, defaultID: String? = nil) throws(Problem) {
        guard feature["type"]?.string == "Feature" else {
            throw .validationFailed(
                field: "type", value: feature["type"]?.string ?? "", reason: Phrase("it is not a GeoJSON feature"),
                expected: .feature)
        }
        let properties = feature["properties"] ?? .null
        func text(_ names: [String]) throws(Problem) -> String? {
            for name in names {
                switch properties[name] {
                case nil, .null: continue
                case .string(let text): return text
                case .number(let literal): return literal
                case let other?:
                    throw .validationFailed(
                        field: name, value: other.description, reason: .notText, expected: .string)
                }
            }
            return nil
        }
        func number(_ name: String, _ expected: Phrase) throws(Problem) -> Double? {
            guard let value = properties[name], value != .null else { return nil }
            guard let number = value.double else {
                throw .validationFailed(
                    field: name, value: value.string ?? value.description, reason: .notANumber, expected: expected)
            }
            return number
        }

        let radius: Double?
        let meters = Phrase.metersIn(1, 1_000_000)
        if let given = try number("radius", meters) { radius = given } else { radius = try number("radius_m", meters) }
        let shape = try Shape(geometry: feature["geometry"] ?? .null, radius: radius)
        let name = try text(Geofence.names)
        let id: String
        switch feature["id"] {
        case .string(let text)?: id = text
        case .number(let literal)?: id = literal
        default: id = (try text(["id"])) ?? defaultID ?? Identifier.derivedOrDefault(from: name ?? "fence")
        }
        self.init(id: id, name: name ?? id, shape: shape)
        // Some programs write all properties as text.
        let readable = (properties.members ?? []).map { member in
            guard ["priority", "dwell"].contains(member.name), let number = member.value.double else { return member }
            return JSONValue.Member(member.name, JSONValue(number))
        }
        var members = try JSONFields(.object(readable), of: .geofence)
        for field in Self.fields where !["name", "properties"].contains(field.name) {
            try field.read(&self, &members, named: field.column)
        }
        _ = try members.flag(Geofence.asWritten)
        self.properties = (properties.members ?? []).filter { !Geofence.ownNames.contains($0.name) }
        if let flaw { throw flaw }
    }
}

extension Geofence.Triggers {
    var names: [String] { Self.named.filter { contains($0.trigger) }.map(\.name) }
}
