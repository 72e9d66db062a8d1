import Geodesy
import Model
import Registry

// The whole state as one JSON document, which is what a real operating system would keep while no app runs.

extension SimulatedOS {
    static let version = 1

    /// The whole state, including reports that were not removed yet.
    package var json: JSONValue {
        .compact([
            ("version", JSONValue(Self.version)), ("platform", .string(profile.platform.rawValue)),
            ("limit", JSONValue(profile.limit)), ("profile", profile.variantJSON), ("now", JSONValue(now)),
            ("dice", .string(String(random.state))),
            ("settings", settings.json), ("policies", policies.json), ("faults", faults.json),
            ("regions", .array(heldRegions.values.sorted { $0.region.id < $1.region.id }.map(\.json))),
            ("scheduled", .array(scheduled.map(\.json))), ("failures", .array(failures.map(\.json))),
            (
                "disruptions",
                .object(
                    disruptions.sorted { $0.key.rawValue < $1.key.rawValue }.map { .init($0.key.rawValue, JSONValue($0.value)) })
            ),
            ("lastFix", lastFix?.json), ("outbox", .array(outbox.map(\.json))), ("delayed", .array(delayed.map(\.json))),
        ])
    }

    /// Reads the output of `json`. Throws `decodingFailed` if the value is malformed or written by a later version.
    package init(json: JSONValue) throws(Problem) {
        guard let version = json["version"]?.double, version >= 1, version <= Double(Self.version) else {
            throw Self.unreadable("version")
        }
        guard let platform = json["platform"]?.string.flatMap(Device.Platform.init(rawValue:)) else {
            throw Self.unreadable("platform")
        }
        guard let limit = json["limit"]?.double.flatMap({ Int(exactly: $0) }), limit >= 0 else { throw Self.unreadable("limit") }
        guard let profile = PlatformProfile(platform, limit: limit, variant: json["profile"]) else {
            throw Self.unreadable("profile")
        }
        guard let now = json["now"]?.instant else { throw Self.unreadable("now") }
        self.init(profile, at: now)
        guard let dice = json["dice"]?.string.flatMap({ UInt64($0) }) else { throw Self.unreadable("dice") }
        self.random = SplitMix64(state: dice)
        guard let settings = Settings(json: json["settings"] ?? .null) else { throw Self.unreadable("settings") }
        self.settings = settings
        guard let policies = Policies(json: json["policies"] ?? .null, profile) else { throw Self.unreadable("policies") }
        self.policies = policies
        guard let faults = Faults(json: json["faults"] ?? .null) else { throw Self.unreadable("faults") }
        self.faults = faults
        for region in try Self.all(json, "regions", RegisteredRegion.init(json:)) { heldRegions[region.region.id] = region }
        scheduled = try Self.all(json, "scheduled", RegistrySnapshot.Failure.init(json:))
        failures = try Self.all(json, "failures", RegistrySnapshot.Failure.init(json:))
        for member in json["disruptions"]?.members ?? [] {
            guard let kind = RegistrySnapshot.Disruption(rawValue: member.name), let at = member.value.instant else {
                throw Self.unreadable("disruptions")
            }
            disruptions[kind] = at
        }
        if let fix = json["lastFix"] {
            guard let fix = Fix(json: fix) else { throw Self.unreadable("lastFix") }
            lastFix = fix
        }
        outbox = try Self.all(json, "outbox", RegistryReport.init(json:))
        delayed = try Self.all(json, "delayed", RegistryReport.init(json:))
    }

    private static func all<Element>(
        _ json: JSONValue, _ name: String, _ read: (JSONValue) -> Element?
    ) throws(Problem) -> [Element] {
        var all: [Element] = []
        for element in json[name]?.array ?? [] {
            guard let element = read(element) else { throw unreadable(name) }
            all.append(element)
        }
        return all
    }

    private static func unreadable(_ field: String) -> Problem {
        .decodingFailed(source: .simulatedRegistry, line: nil, reason: .noSuchMemberWritten(field))
    }
}

extension JSONValue {
    fileprivate var instant: Instant? { string.flatMap { Instant($0) } }
}

extension SimulatedOS.Settings {
    fileprivate var json: JSONValue {
        [
            "authorization": .string(authorization.rawValue), "locationServicesEnabled": .bool(locationServicesEnabled),
            "preciseLocation": .bool(preciseLocation), "backgroundRefresh": .bool(backgroundRefresh),
            "batteryOptimized": .bool(batteryOptimized), "patience": JSONValue(patience),
        ]
    }

    fileprivate init?(json: JSONValue) {
        guard let status = json["authorization"]?.string.flatMap(Authorization.init(rawValue:)),
            let location = json["locationServicesEnabled"]?.bool, let precise = json["preciseLocation"]?.bool,
            let refresh = json["backgroundRefresh"]?.bool, let battery = json["batteryOptimized"]?.bool,
            let patience = json["patience"]?.double
        else { return nil }
        self.init(
            authorization: status, locationServicesEnabled: location, preciseLocation: precise, backgroundRefresh: refresh,
            batteryOptimized: battery, patience: patience)
    }
}

extension SimulatedOS.Policies {
    fileprivate var json: JSONValue {
        [
            "reboot": .string(reboot.rawValue), "update": .string(update.rawValue), "permission": .string(permission.rawValue),
        ]
    }

    fileprivate init?(json: JSONValue, _ profile: PlatformProfile) {
        self.init(profile)
        guard let reboot = json["reboot"]?.string.flatMap(PlatformProfile.RebootPolicy.init(rawValue:)),
            let update = json["update"]?.string.flatMap(PlatformProfile.UpdatePolicy.init(rawValue:)),
            let permission = json["permission"]?.string.flatMap(PlatformProfile.PermissionPolicy.init(rawValue:))
        else { return nil }
        (self.reboot, self.update, self.permission) = (reboot, update, permission)
    }
}

extension Faults {
    fileprivate var json: JSONValue {
        .compact([
            ("next", .array(next.map { .string($0.description) })),
            ("spoilt", .object(consecutiveFailures.sorted { $0.key < $1.key }.map { .init($0.key, JSONValue($0.value)) })),
            (
                "chaos",
                chaos.map { chaos in
                    [
                        "rate": JSONValue(chaos.rate), "misfortunes": JSONValue(chaos.misfortunes),
                        "streak": JSONValue(chaos.streak),
                    ]
                }
            ),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let next = json["next"]?.array, let spoilt = json["spoilt"]?.members else { return nil }
        self.init()
        for member in spoilt {
            guard let count = member.value.double.flatMap({ Int(exactly: $0) }) else { return nil }
            self.consecutiveFailures[member.name] = count
        }
        for fault in next {
            guard let fault = fault.string.flatMap({ Fault($0) }) else { return nil }
            self.next.append(fault)
        }
        if let chaos = json["chaos"] {
            guard let rate = chaos["rate"]?.double, let misfortunes = chaos["misfortunes"]?.double,
                let streak = chaos["streak"]?.double.flatMap({ Int(exactly: $0) })
            else { return nil }
            self.chaos = Chaos(rate: rate, misfortunes: misfortunes, streak: streak)
        }
    }
}

extension SimulatedOS.RegisteredRegion {
    fileprivate var json: JSONValue {
        .compact([
            ("region", region.json), ("state", .string(state.rawValue)), ("isWatched", .bool(isWatched)),
            ("changesTo", change.map { .string($0.to.rawValue) }), ("changesSince", change.map { JSONValue($0.since) }),
            ("hiddenUntil", hiddenUntil.map { JSONValue($0) }), ("number", number == 0 ? nil : JSONValue(number)),
            ("isOverLimit", isOverLimit ? .bool(true) : nil),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let region = json["region"].flatMap(Region.init(json:)),
            let state = json["state"]?.string.flatMap(RegionState.init(rawValue:)), let isWatched = json["isWatched"]?.bool
        else { return nil }
        self.init(region)
        self.state = state
        self.isWatched = isWatched
        if let to = json["changesTo"]?.string.flatMap(RegionState.init(rawValue:)), let since = json["changesSince"]?.instant {
            change = Change(to: to, since: since)
        }
        hiddenUntil = json["hiddenUntil"]?.instant
        number = json["number"]?.double.flatMap { Int(exactly: $0) } ?? 0
        isOverLimit = json["isOverLimit"]?.bool ?? false
    }
}

extension RegistrySnapshot.Failure {
    fileprivate var json: JSONValue { ["id": .string(id.text), "error": error.json, "at": JSONValue(at)] }

    fileprivate init?(json: JSONValue) {
        guard let id = json["id"]?.string, let error = json["error"].flatMap(RegistryError.init(json:)),
            let at = json["at"]?.instant
        else { return nil }
        self.init(id: RegionID(id), error: error, at: at)
    }
}

extension RegistryReport {
    fileprivate var json: JSONValue {
        let (word, error): (String, JSONValue?) =
            switch kind {
            case .entered: ("entered", nil)
            case .exited: ("exited", nil)
            case .failed(let error): ("failed", error.json)
            }
        return .compact([
            ("region", .string(region.text)), ("kind", .string(word)), ("error", error), ("at", JSONValue(at)),
            ("fix", fix?.json),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let region = json["region"]?.string, let at = json["at"]?.instant else { return nil }
        let kind: Content
        switch json["kind"]?.string {
        case "entered": kind = .entered
        case "exited": kind = .exited
        case "failed":
            guard let error = json["error"].flatMap(RegistryError.init(json:)) else { return nil }
            kind = .failed(error)
        default: return nil
        }
        self.init(region: RegionID(region), kind: kind, at: at, fix: json["fix"].flatMap(Fix.init(json:)))
    }
}

extension Fix {
    fileprivate var json: JSONValue {
        .compact([
            ("time", JSONValue(time)), ("latitude", JSONValue(coordinate.latitude)),
            ("longitude", JSONValue(coordinate.longitude)),
            ("accuracy", accuracy.map(JSONValue.init(_:))), ("altitude", altitude.map(JSONValue.init(_:))),
            ("speed", speed.map(JSONValue.init(_:))), ("course", course.map(JSONValue.init(_:))),
            ("battery", battery.map(JSONValue.init(_:))),
        ])
    }

    fileprivate init?(json: JSONValue) {
        guard let time = json["time"]?.instant, let latitude = json["latitude"]?.double,
            let longitude = json["longitude"]?.double
        else { return nil }
        self.init(
            time: time, coordinate: Coordinate(latitude: latitude, longitude: longitude), accuracy: json["accuracy"]?.double,
            altitude: json["altitude"]?.double, speed: json["speed"]?.double, course: json["course"]?.double,
            battery: json["battery"]?.double)
    }
}
