import Model
import Registry

/// A report in which an app lists the regions that its operating system watches. Used for devices whose `registry` is `app`.
struct AppRegionList {
    /// The regions and failures of the snapshot have Picket's identifiers; `identifiers` translates them.
    var snapshot: RegistrySnapshot
    /// The maximum number of regions that the app may register, of which the platform's limit may allow fewer; nil for that limit.
    var limit: Int?
    /// The platform that the report states or implies; nil if it does neither.
    var platform: Device.Platform?
    /// How the app names its regions.
    var identifiers: RegionIdentifiers

    /// The members with which an app says how it names its regions. A report with neither of them uses those of the previous
    /// report.
    static let identifierMembers = ["identifierPrefix", "identifiers"]

    /// Reads a report. The schema `RegistryReport` of the HTTP API describes the members.
    ///
    /// - Parameters:
    ///   - platform: The device's platform; nil for the one that the report states or implies.
    ///   - now: When the report arrived, which is the report's time if `reportedAt` is missing.
    /// - Throws: `Problem.validationFailed` for a missing or invalid field.
    init(json: JSONValue, of platform: Device.Platform? = nil, at now: Instant) throws(Problem) {
        var fields = try JSONFields(json, of: .regionReport)
        let now = try Self.reportTime(&fields, now)
        self.platform = try Self.platform(&fields)
        let authorization = try Self.authorization(&fields)
        var snapshot = RegistrySnapshot(
            takenAt: now, authorization: authorization,
            locationServicesEnabled: try fields.flag("locationServicesEnabled") ?? true,
            preciseLocation: try fields.flag("preciseLocation") ?? true,
            backgroundRefresh: try fields.flag("backgroundRefresh"), batteryOptimized: try fields.flag("batteryOptimized"))
        identifiers = try Self.identifiers(&fields, platform ?? self.platform)
        snapshot.regions = try Self.regions(&fields, identifiers)
        snapshot.failures = try Self.failures(&fields, identifiers, at: now)
        limit = try fields.integer("limit")
        if let limit, !(1...10_000).contains(limit) {
            throw .validationFailed(
                field: "limit", value: String(limit), reason: .outOfRange, expected: .wholeNumberIn(1, 10_000))
        }
        try fields.finish()
        self.snapshot = snapshot
    }

    /// The platform that a report states or implies, for a report that was not checked yet; nil if it does neither.
    static func platform(of json: JSONValue) -> Device.Platform? {
        if let stated = json["platform"]?.string { return Device.Platform(rawValue: stated) }
        return impliedPlatform(background: json["backgroundRefresh"]?.bool, battery: json["batteryOptimized"]?.bool)
    }

    /// The platform that the settings of a report belong to: only iOS has Background App Refresh, and only Android battery optimization.
    private static func impliedPlatform(background: Bool?, battery: Bool?) -> Device.Platform? {
        switch (background, battery) {
        case (_?, nil): .ios
        case (nil, _?): .android
        default: nil
        }
    }

    // MARK: - Fields

    /// The time of the report: `reportedAt`, but never later than its arrival.
    private static func reportTime(_ fields: inout JSONFields, _ now: Instant) throws(Problem) -> Instant {
        guard let text = try fields.text("reportedAt") else { return now }
        guard let moment = Instant(text) else {
            throw .validationFailed(
                field: "reportedAt", value: text, reason: .notATime, expected: .moment)
        }
        guard moment <= now + SystemClock.tolerance else {
            throw .validationFailed(
                field: "reportedAt", value: text, reason: .tooFarAhead,
                expected: Phrase("the time of the report, in UTC"))
        }
        return min(moment, now)
    }

    private static func platform(_ fields: inout JSONFields) throws(Problem) -> Device.Platform? {
        if let stated = try fields.oneOf("platform", Device.Platform.self) { return stated }
        return impliedPlatform(
            background: try fields.flag("backgroundRefresh"), battery: try fields.flag("batteryOptimized"))
    }

    private static func authorization(_ fields: inout JSONFields) throws(Problem) -> Authorization {
        guard let authorization = try fields.oneOf("authorizationStatus", Authorization.self) else {
            throw .missing("authorizationStatus", .oneOf(Authorization.allCases.map(\.rawValue)))
        }
        return authorization
    }

    private static func identifiers(
        _ fields: inout JSONFields, _ platform: Device.Platform?
    ) throws(Problem) -> RegionIdentifiers {
        let prefix = try fields.text("identifierPrefix")
        var assigned: [(geofence: String, identifier: String)] = []
        if let value = fields.value("identifiers") {
            guard let members = value.members else {
                throw .validationFailed(
                    field: "identifiers", value: String(value.description.prefix(60)), reason: .notAnObject,
                    expected: Phrase(
                        "an object with the app's identifier for each geofence id, for example {\"home\":\"region-1\"}"))
            }
            for member in members where member.value != .null {
                guard let identifier = member.value.string else {
                    throw .validationFailed(
                        field: "identifiers.\(member.name)", value: String(member.value.description.prefix(60)), reason: .notText,
                        expected: .string)
                }
                assigned.append((member.name, identifier))
            }
        }
        let longest = platform.flatMap { PlatformProfile($0).longestIdentifier }
        return try RegionIdentifiers(prefix: prefix, assigned: assigned, longest: longest)
    }

    /// The maximum number of regions and of failures. A system watches at most 100 regions of an app, and a report with many more costs the
    /// writer a noticeable time.
    static let mostRegions = 1000

    private static func checkCount(of list: [JSONValue], _ field: String) throws(Problem) {
        guard list.count > mostRegions else { return }
        throw .validationFailed(field: field, value: String(list.count), reason: .tooMany, expected: .atMost(mostRegions))
    }

    private static func regions(
        _ fields: inout JSONFields, _ identifiers: RegionIdentifiers
    ) throws(Problem) -> [Region] {
        guard let list = fields.value("regions")?.array else {
            throw .missing("regions", .regionsOfApp)
        }
        try checkCount(of: list, "regions")
        var numbers: [String: Int] = [:]
        return try list.enumerated().map { number, json throws(Problem) in
            var region = try Region(json: json, number: number)
            if let other = numbers.updateValue(number, forKey: region.id.text) {
                throw .validationFailed(
                    field: "regions[\(number)].identifier", value: region.id.text,
                    reason: Phrase("the same identifier is also at number \(other) of the list"),
                    expected: .regionsOfApp)
            }
            region.id = identifiers.region(of: region.id.text)
            return region
        }
    }

    private static func failures(
        _ fields: inout JSONFields, _ identifiers: RegionIdentifiers, at now: Instant
    ) throws(Problem) -> [RegistrySnapshot.Failure] {
        let list = fields.value("failures")?.array ?? []
        try checkCount(of: list, "failures")
        return try list.enumerated().map { number, json throws(Problem) in
            guard let id = json["identifier"]?.string, let error = RegistryError(json: json) else {
                throw .validationFailed(
                    field: "failures[\(number)]", value: String(json.description.prefix(60)),
                    reason: Phrase("it does not name a failure"),
                    expected: Phrase("identifier and code, for example kCLErrorRegionMonitoringFailure"))
            }
            return .init(id: identifiers.region(of: id), error: error, at: now)
        }
    }
}

extension JSONValue {
    /// A report of an app with the identifiers of an earlier report, if it says nothing about them.
    func withIdentifiers(ofReport earlier: JSONValue?) -> JSONValue {
        guard let members, let earlier = earlier?.members else { return self }
        let names = AppRegionList.identifierMembers
        func says(_ member: Member) -> Bool { names.contains(member.name) && member.value != .null }
        return members.contains(where: says) ? self : .object(members + earlier.filter(says))
    }
}
