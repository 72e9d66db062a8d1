import Model
import Registry

/// The health of a device's registrations as JSON.
package struct HealthDocument: Sendable {
    private let status: GeofenceHealthStatus
    private let mostSaved: Int
    private let standings: [GeofenceStanding]?
    private let problem: Problem?

    /// - Parameters:
    ///   - saved: The maximum number of ids in `savedInApp`. `savedCount` is the full number.
    ///   - standings: Why each geofence is or is not registered; nil to omit them.
    ///   - problem: Why the regions could not be read.
    package init(
        _ status: GeofenceHealthStatus, saved: Int = 1000, standings: [GeofenceStanding]? = nil, problem: Problem? = nil
    ) {
        self.problem = problem
        self.status = status
        mostSaved = saved
        self.standings = standings
    }

    private var registered: [String] { status.registeredWithOS.map(\.shortText) }

    private var saved: [String] {
        status.fences.map { fences in fences.numbers.prefix(mostSaved).map { fences.entries[$0].id } } ?? []
    }

    private var findings: [(finding: Finding, profile: PlatformProfile)] {
        status.findings.map { ($0, status.profile ?? .ios) }
    }

    private var isStale: Bool? { status.reportedAt == nil ? nil : status.isStale }
    private var reported: [ReportedTransitions]? { status.reported.isEmpty ? nil : status.reported }
}

extension HealthDocument: JSONWritable {
    package static let output = JSONOutput<HealthDocument>(
        "Health", summary: "Whether a device's operating system watches the regions that it should",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.status.device.id),
        .init("platform", kind: .nullable(.word), summary: "The device's platform", content: \.status.device.platform),
        .init("registry", kind: .word, summary: "Where the device's registrations are", content: \.status.device.registry),
        .init("registeredWithOS", kind: .list(of: .text), summary: "The geofences that are registered", content: \.registered),
        .init(
            "savedInApp", kind: .list(of: .text), summary: "The ids of the active geofences for the device, at most 1000",
            content: \.saved),
        .init("savedCount", kind: .whole, summary: "The number of active geofences for the device", content: \.status.savedCount),
        .init(
            "missingFromOS", kind: .list(of: .text), summary: "The regions that should be registered and are not",
            content: \.status.missingFromOS),
        .init(
            "orphanedInOS", kind: .list(of: .text), summary: "The registered regions that no longer have a geofence",
            content: \.status.orphanedInOS),
        .init(
            "authorizationStatus", kind: .nullable(.word), summary: "The authorization that the person has given",
            content: \.status.authorizationStatus),
        .init(
            "locationServicesEnabled", kind: .nullable(.flag), summary: "Whether location is switched on",
            content: \.status.locationServicesEnabled),
        .init("isHealthy", kind: .nullable(.flag), summary: "Null when it is not known", content: \.status.isHealthy),
        .init("statusSummary", kind: .text, summary: "One sentence") { $0.status.summary.sentence(in: $1.language) },
        .init(
            "overBudgetCount", kind: .whole,
            summary: "The number of geofences that are not registered because of the platform's limit",
            content: \.status.overBudgetCount),
        .init(
            "atRiskCount", kind: .whole, summary: "The number of these whose reports no selection can guarantee",
            content: \.status.atRiskCount),
        .init(
            "lacksFix", kind: .flag, summary: "Whether the regions were selected without a position", content: \.status.lacksFix),
        .init(
            "findings", kind: .list(of: .object(of: Finding.output)), summary: "The most severe finding first",
            content: \.findings),
        .init("reportedAt", optional: .time, summary: "When the app last reported its regions", content: \.status.reportedAt),
        .init(
            "staleAt", optional: .time, summary: "When that report will be too old; missing when it never will be",
            content: \.status.staleAt),
        .init(
            "isStale", optional: .flag, summary: "Whether that report is too old to describe the current state",
            content: \.isStale),
        .init(
            "problem", optional: .object, summary: "Why the regions could not be read",
            content: \.problem),
        .init(
            "reported", optional: .list(of: .object),
            summary: "How many enters and exits the OwnTracks app has also reported in 30 days; in the health of one device",
            content: \.reported),
        .init(
            "standings", optional: .list(of: .object), summary: "Why each geofence is or is not registered; with explain=true",
            content: \.standings))
}

extension GeofenceHealthStatus {
    /// The health as a JSON object; `HealthDocument` describes the members.
    ///
    /// - Parameters:
    ///   - saved: The maximum number of ids in `savedInApp`. `savedCount` is the full number.
    ///   - language: The language of the sentences.
    public func json(saved: Int = 1000, in language: Language = .english) -> JSONValue {
        HealthDocument(self, saved: saved).json(in: AnswerLocale(language))
    }
}

extension Finding {
    /// The texts of a finding depend on the platform.
    package static let output = JSONOutput<(finding: Finding, profile: PlatformProfile)>(
        "RegistrationFinding", summary: "Something noteworthy about the registered regions of a device",
        .init("finding", kind: .word, summary: "The kind of the finding", content: \.finding.kind),
        .init(
            "geofenceId", kind: .nullable(.text), summary: "The geofence's id; null when the finding concerns the whole device",
            content: \.finding.geofenceID),
        .init("name", kind: .nullable(.text), summary: "The geofence's name") { $0.finding.name(in: $1.language) },
        .init("cause", kind: .text, summary: "The cause in words") { $0.finding.words($0.profile, in: $1.language) },
        .init(
            "setting", optional: .word, summary: "The setting of the phone that a person has to change",
            content: \.finding.cause.setting),
        .init("recoveryAction", kind: .word, summary: "What a person can do", content: \.finding.recoveryAction))
}

extension Finding.Cause {
    /// A setting of a phone that a person has to change. The names are those in the reports of apps.
    fileprivate enum Setting: String, CaseIterable {
        case authorizationStatus, locationServicesEnabled, preciseLocation, backgroundRefresh, batteryOptimized
    }

    /// The setting to change; nil if the cause is not a setting.
    fileprivate var setting: Setting? {
        switch self {
        case .authorization: .authorizationStatus
        case .locationOff: .locationServicesEnabled
        case .imprecise: .preciseLocation
        case .noBackgroundRefresh: .backgroundRefresh
        case .batteryOptimized: .batteryOptimized
        default: nil
        }
    }
}
