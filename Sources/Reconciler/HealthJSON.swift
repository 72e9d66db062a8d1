import Model
import Registry

extension GeofenceHealthStatus {
    /// The health as a JSON object:
    /// `{"deviceId","platform","registeredWithOS","savedInApp","missingFromOS","orphanedInOS","authorizationStatus", "locationServicesEnabled","isHealthy","statusSummary","findings"}`,
    /// the registry, the numbers of geofences over budget and at risk, and for an app's registry the time of its last report.
    ///
    /// - Parameters:
    ///   - saved: The maximum number of ids in `savedInApp`. `savedCount` is the full number.
    ///   - language: The language of the sentences.
    public func json(saved: Int = 1000, in language: Language = .english) -> JSONValue {
        let ids = fences.map { fences in fences.numbers.prefix(saved).map { JSONValue.string(fences.entries[$0].id) } } ?? []
        let report: [JSONValue.Member] =
            reportedAt.map { [.init("reportedAt", JSONValue($0)), .init("isStale", .bool(isStale))] } ?? []
        return .object(
            [
                .init("deviceId", .string(device.id)),
                .init("platform", device.platform.map { .string($0.rawValue) } ?? .null),
                .init("registry", .string(device.registry.rawValue)),
                .init("registeredWithOS", .array(registeredWithOS.map { .string($0.shortText) })),
                .init("savedInApp", .array(ids)),
                .init("savedCount", JSONValue(savedCount)),
                .init("missingFromOS", .array(missingFromOS.map(JSONValue.string))),
                .init("orphanedInOS", .array(orphanedInOS.map(JSONValue.string))),
                .init("authorizationStatus", authorizationStatus.map { .string($0.rawValue) } ?? .null),
                .init("locationServicesEnabled", locationServicesEnabled.map(JSONValue.bool) ?? .null),
                .init("isHealthy", isHealthy.map(JSONValue.bool) ?? .null),
                .init("statusSummary", .string(summary.sentence(in: language))),
                .init("overBudgetCount", JSONValue(overBudgetCount)),
                .init("atRiskCount", JSONValue(atRiskCount)),
                .init("lacksFix", .bool(lacksFix)),
                .init("findings", .array(findings.map { $0.json(profile ?? .ios, in: language) })),
            ] + report + (reported.isEmpty ? [] : [.init("reported", .array(reported.map(\.json)))]))
    }
}

extension Finding {
    /// `{"finding","geofenceId","name","cause","recoveryAction"}`.
    public func json(_ profile: PlatformProfile, in language: Language = .english) -> JSONValue {
        [
            "finding": .string(kind.rawValue), "geofenceId": geofenceID.map(JSONValue.string) ?? .null,
            "name": name(in: language).map(JSONValue.string) ?? .null, "cause": .string(words(profile, in: language)),
            "recoveryAction": .string(recoveryAction.rawValue),
        ]
    }
}
