import Geodesy
import Model

// Regions and their failures as JSON: what is kept between two runs, and what `registry show` prints.

extension Region {
    /// `{"identifier","latitude","longitude","radius","notifyOnEntry","notifyOnExit"}`; lengths in metres.
    public var json: JSONValue {
        [
            "identifier": .string(id.text), "latitude": JSONValue(circle.center.latitude),
            "longitude": JSONValue(circle.center.longitude), "radius": JSONValue(circle.radius),
            "notifyOnEntry": .bool(notifyOnEntry), "notifyOnExit": .bool(notifyOnExit),
        ]
    }

    /// Reads the same; nil when a field is missing or of another kind.
    public init?(json: JSONValue) {
        guard let id = json["identifier"]?.string, let latitude = json["latitude"]?.double,
            let longitude = json["longitude"]?.double, let radius = json["radius"]?.double
        else { return nil }
        self.init(
            id: RegionID(id), circle: Circle(center: Coordinate(latitude: latitude, longitude: longitude), radius: radius),
            notifyOnEntry: json["notifyOnEntry"]?.bool ?? true, notifyOnExit: json["notifyOnExit"]?.bool ?? true)
    }
}

extension RegistryError {
    /// `{"code","number","alternative"}`.
    public var json: JSONValue {
        .compact([
            ("code", .string(code.name)), ("number", code.number.map(JSONValue.init(_:))), ("alternative", alternative?.json),
        ])
    }

    /// Reads the same; nil when it names no code.
    public init?(json: JSONValue) {
        guard let name = json["code"]?.string else { return nil }
        var code = Code(name: name)
        if code.number == nil { code.number = json["number"]?.double.flatMap { Int(exactly: $0) } }
        self.init(code, alternative: json["alternative"].flatMap(Region.init(json:)))
    }
}

extension RegistrySnapshot {
    /// The shape that `registry show` prints, without the device: see the command's help. `limit` is the platform's.
    public func json(_ profile: PlatformProfile) -> JSONValue {
        .compact([
            ("platform", .string(profile.platform.rawValue)), ("limit", JSONValue(profile.limit)),
            ("authorizationStatus", .string(authorization.rawValue)),
            ("locationServicesEnabled", .bool(locationServicesEnabled)), ("preciseLocation", .bool(preciseLocation)),
            ("backgroundRefresh", backgroundRefresh.map(JSONValue.bool)),
            ("batteryOptimized", batteryOptimized.map(JSONValue.bool)),
            (
                "regions",
                regions.map { regions in
                    .array(
                        regions.map { region in
                            .object((region.json.members ?? []) + [.init("foreign", .bool(!region.id.isOurs))])
                        })
                } ?? .null
            ),
        ])
    }
}
