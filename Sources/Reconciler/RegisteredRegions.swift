import Model
import Registry

/// The regions that an operating system holds, each compared with what it should hold.
public struct RegisteredRegions: Sendable {
    /// The result of comparing a region with what should be registered.
    public enum RegionStatus: String, CaseIterable, Sendable {
        /// The region is as it should be.
        case right
        /// The region should be registered, but differs from the wanted one.
        case wrong
        /// The region is Picket's, and should be removed.
        case unwanted
        /// The region is not Picket's, and is never changed.
        case foreign
    }

    /// A registered region and what is known about it.
    public struct RegionRow: Sendable {
        /// The region as the operating system lists it.
        public var region: Region
        /// The geofence's name; nil for all other regions.
        public var name: String?
        /// Whether the region is as it should be.
        public var verdict: RegionStatus
        /// Why the region is wrong or unwanted.
        public var cause: Finding.Cause?
        /// Where the operating system believes the device to be relative to the region.
        public var state: RegionState
    }

    private let assessment: Assessment
    private let identifiers: RegionIdentifiers
    /// When the app reported its regions, and when that report will be too old; nil for a phone that can be asked at any time.
    private let reportedAt: Instant?
    private let staleAt: Instant?

    /// Creates the list from an assessment.
    ///
    /// - Parameters:
    ///   - assessment: The comparison of the device's registry with its geofences.
    ///   - identifiers: The identifiers of the regions in the operating system.
    ///   - status: The health that follows from the assessment. It knows when the app reported; nil for a phone that can be asked.
    public init(_ assessment: Assessment, identifiers: RegionIdentifiers = .picket, status: GeofenceHealthStatus? = nil) {
        self.assessment = assessment
        self.identifiers = identifiers
        reportedAt = status?.reportedAt
        staleAt = status?.staleAt
    }

    /// Sorted by Picket's identifier, foreign regions last. If the list cannot be read, the regions that the journal vouches for.
    public var entries: [RegionRow] {
        let ours = assessment.ownRegions.map { known in
            let (verdict, cause): (RegionStatus, Finding.Cause?) =
                switch known.verdict {
                case .right: (.right, nil)
                case .wrong(_, let cause): (.wrong, cause)
                case .unwanted(_, let cause): (.unwanted, cause)
                }
            return RegionRow(
                region: known.region, name: known.number.map { assessment.candidates.entries[$0].name }, verdict: verdict,
                cause: cause,
                state: assessment.snapshot.states[known.region.id] ?? .unknown)
        }
        let foreign = (assessment.snapshot.regions ?? []).filter { !$0.id.isOurs }.sorted { $0.id < $1.id }
        return ours
            + foreign.map {
                RegionRow(region: $0, verdict: .foreign, state: assessment.snapshot.states[$0.id] ?? .unknown)
            }
    }

    private var snapshot: RegistrySnapshot { assessment.snapshot }
    private var isListed: Bool { snapshot.regions != nil }
}

extension RegisteredRegions: JSONWritable {
    /// What `registry show` prints, too.
    package static let output = JSONOutput<RegisteredRegions>(
        "Registry", summary: "The regions and the settings of a device's operating system",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.assessment.context.device.id),
        .init("platform", kind: .word, summary: "The device's platform", content: \.assessment.profile.platform),
        .init(
            "limit", kind: .whole, summary: "The maximum number of regions on the platform", content: \.assessment.profile.limit),
        .init(
            "profile", kind: .word, summary: "How the platform handles regions: standard, clmonitor or custom",
            content: \.assessment.profile.variant),
        .init(
            "authorizationStatus", kind: .word, summary: "The authorization that the person has given",
            content: \.snapshot.authorization),
        .init(
            "locationServicesEnabled", kind: .flag, summary: "Whether location is switched on",
            content: \.snapshot.locationServicesEnabled),
        .init(
            "preciseLocation", kind: .flag, summary: "Whether the app may know the precise location",
            content: \.snapshot.preciseLocation),
        .init(
            "backgroundRefresh", optional: .flag, summary: "On iOS: whether the app may run in the background",
            content: \.snapshot.backgroundRefresh),
        .init(
            "batteryOptimized", optional: .flag, summary: "On Android: whether the app is restricted to save battery",
            content: \.snapshot.batteryOptimized),
        .init(
            "isListed", kind: .flag,
            summary: "Whether the operating system listed its regions; otherwise they are those that should be registered",
            content: \.isListed),
        .init(
            "regions", kind: .list(of: .object(of: RegionRow.output)), summary: "Sorted by identifier, foreign regions last",
            content: { regions in regions.entries.map { ($0, regions.identifiers, regions.assessment.profile) } }),
        .init("reportedAt", optional: .time, summary: "When the app reported the regions", content: \.reportedAt),
        .init(
            "staleAt", optional: .time, summary: "When that report will be too old; missing when it never will be",
            content: \.staleAt))
}

extension RegisteredRegions.RegionRow {
    /// The texts of a row depend on the platform.
    package static let output = JSONOutput<
        (row: RegisteredRegions.RegionRow, identifiers: RegionIdentifiers, profile: PlatformProfile)
    >(
        "RegisteredRegion", summary: "A region that is registered, and whether it should be",
        .init(membersOf: Region.output, content: { $0.identifiers.inApp($0.row.region) }),
        .init("geofenceId", optional: .text, summary: "The geofence's id", content: \.row.region.id.geofence),
        .init("name", optional: .text, summary: "The geofence's name") { $0.row.name(in: $1.language) },
        .init(
            "foreign", kind: .flag, summary: "Whether the region is not Picket's; it is never changed", content: \.row.isForeign),
        .init("verdict", kind: .word, summary: "Whether the region is as it should be", content: \.row.verdict),
        .init("cause", optional: .text, summary: "Why it is wrong or unwanted, in words") {
            $0.row.cause?.words($0.profile, in: $1.language)
        },
        .init("state", kind: .word, summary: "Where the operating system believes the device to be", content: \.row.state))

    private var isForeign: Bool { verdict == .foreign }

    private func name(in language: Language) -> String? { region.id == .sentinel ? Finding.sentinel.text(in: language) : name }
}
