import Model
import Reconciler
import Registry
import Store

/// A report in which an app lists the regions that its operating system watches. Used for devices whose `registry` is `app`.
struct AppReport {
    var snapshot: RegistrySnapshot
    /// The maximum number of regions that the app may register, of which the platform's limit may allow fewer; nil for that limit.
    var limit: Int?

    /// Reads
    /// `{"regions","authorizationStatus","locationServicesEnabled","preciseLocation","backgroundRefresh", "batteryOptimized","limit","failures","reportedAt"}`.
    ///
    /// - Parameter now: When the report arrived, which is the report's time if `reportedAt` is missing.
    /// - Throws: `Problem.validationFailed` for a missing or invalid field.
    init(json: JSONValue, at now: Instant) throws(Problem) {
        var fields = try JSONFields(json, of: .regionReport)
        let now = try Self.reportTime(&fields, now)
        guard let authorization = try fields.oneOf("authorizationStatus", Authorization.self) else {
            throw .validationFailed(
                field: "authorizationStatus", value: "", reason: .missing,
                expected: .oneOf(Authorization.allCases.map(\.rawValue)))
        }
        var snapshot = RegistrySnapshot(
            takenAt: now, authorization: authorization,
            locationServicesEnabled: try fields.flag("locationServicesEnabled") ?? true,
            preciseLocation: try fields.flag("preciseLocation") ?? true,
            backgroundRefresh: try fields.flag("backgroundRefresh"), batteryOptimized: try fields.flag("batteryOptimized"))
        guard let regions = fields.value("regions")?.array else {
            throw .validationFailed(
                field: "regions", value: "", reason: .missing,
                expected: .regionsOfApp)
        }
        try Self.checkCount(of: regions, "regions")
        snapshot.regions = try regions.enumerated().map { number, json throws(Problem) in
            guard let region = Region(json: json), !region.id.text.isEmpty, region.circle.center.flaw == nil else {
                throw .validationFailed(
                    field: "regions[\(number)]", value: String(json.description.prefix(60)), reason: .notARegion,
                    expected: .regionFields)
            }
            return region
        }
        let failures = fields.value("failures")?.array ?? []
        try Self.checkCount(of: failures, "failures")
        snapshot.failures = try failures.enumerated().map { number, json throws(Problem) in
            guard let id = json["identifier"]?.string, let error = RegistryError(json: json) else {
                throw .validationFailed(
                    field: "failures[\(number)]", value: String(json.description.prefix(60)), reason: .namesNoFailure,
                    expected: .failureFields)
            }
            return .init(id: RegionID(id), error: error, at: now)
        }
        limit = try fields.integer("limit")
        if let limit, !(1...10_000).contains(limit) {
            throw .validationFailed(
                field: "limit", value: String(limit), reason: .outOfRange, expected: .wholeNumberIn(1, 10_000))
        }
        try fields.finish()
        self.snapshot = snapshot
    }

    /// The maximum number of regions and of failures. A system watches at most 100 regions of an app, and a report with many more costs the
    /// writer a noticeable time.
    static let mostRegions = 1000

    private static func checkCount(of list: [JSONValue], _ field: String) throws(Problem) {
        guard list.count > mostRegions else { return }
        throw .validationFailed(field: field, value: String(list.count), reason: .tooMany, expected: .atMost(mostRegions))
    }

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
                expected: .timeOfReport)
        }
        return min(moment, now)
    }
}

extension Queries {
    /// The registry of a device whose app reports its regions.
    func appRegistry(
        of stored: RegionStore.StoredDevice, _ platform: Device.Platform
    ) throws(Problem) -> ReportedRegistry {
        var registry = ReportedRegistry(PlatformProfile(platform))
        guard let (json, at) = try store.report(of: stored.key) else { return registry }
        let report = try AppReport(json: json, at: at)
        // No app gets more than its platform allows, and a plan for many more regions takes long to make.
        if let limit = report.limit { registry.profile.limit = min(limit, registry.profile.limit) }
        registry.last = RegistryReading(report.snapshot, reportedAt: at)
        return registry
    }
}

extension ServiceWriter {
    /// Stores an app's report of its regions, and returns the device's health and the operations that the app should carry out, in order. A
    /// report that is older than the last one is not stored.
    ///
    /// - Throws: `Problem.validationFailed` if the device's registry is not `app`, or if the report is invalid.
    package func storeReport(
        _ json: JSONValue, of id: String
    ) throws(Problem) -> RegistryAnswer {
        let stored = try storedDevice(id: id)
        guard stored.device.registry == .app else {
            throw .validationFailed(
                field: "device", value: id,
                reason: .registryIs(stored.device.registry.rawValue),
                expected: .deviceOfApp)
        }
        let moment = try AppReport(json: json, at: clock.now()).snapshot.takenAt
        return try transaction { () throws(Problem) in
            let isNewest = try store.report(of: stored.key).map { $0.at <= moment } ?? true
            if isNewest { try store.save(report: json, of: stored.key, at: moment) }
            let (status, assessment) = try health(of: stored.device)
            if isNewest { try recordInTransaction(status, .attempt, at: clock.now()) }
            return RegistryAnswer(status: status, operations: assessment?.plan ?? [])
        }
    }
}
