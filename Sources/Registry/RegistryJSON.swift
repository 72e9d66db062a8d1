import Geodesy
import Model

// Regions and registry errors as JSON, for storage and for the output of `registry show`.

extension Region {
    /// `{"identifier","latitude","longitude","radius","notifyOnEntry","notifyOnExit"}`; the radius is in meters.
    public var json: JSONValue {
        [
            "identifier": .string(id.text), "latitude": JSONValue(circle.center.latitude),
            "longitude": JSONValue(circle.center.longitude), "radius": JSONValue(circle.radius),
            "notifyOnEntry": .bool(notifyOnEntry), "notifyOnExit": .bool(notifyOnExit),
        ]
    }

    /// Reads the output of `json`; nil if the identifier, the coordinate or the radius is missing or has another type.
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

    /// Reads the output of `json`; nil if there is no code.
    public init?(json: JSONValue) {
        guard let name = json["code"]?.string else { return nil }
        var code = Code(name: name)
        if code.number == nil { code.number = json["number"]?.double.flatMap { Int(exactly: $0) } }
        self.init(code, alternative: json["alternative"].flatMap(Region.init(json:)))
    }
}

extension RegistrySnapshot {
    /// The snapshot as `registry show` prints it, without the device id. `limit` is the platform's limit.
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
