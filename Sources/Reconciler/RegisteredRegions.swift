import Model
import Registry

/// The regions that an operating system holds, each compared with what it should hold.
public struct RegisteredRegions: Sendable {
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

    public struct RegionRow: Sendable {
        public var region: Region
        /// The geofence's name; nil for all other regions.
        public var name: String?
        public var verdict: RegionStatus
        /// Why the region is wrong or unwanted.
        public var cause: Finding.Cause?
        public var state: RegionState
    }

    private let assessment: Assessment

    public init(_ assessment: Assessment) { self.assessment = assessment }

    /// Sorted by identifier, foreign regions last. If the list cannot be read, the regions that the journal vouches for.
    public var entries: [RegionRow] {
        let ours = assessment.ownRegions.map { known in
            let (verdict, cause): (RegionStatus, Finding.Cause?) =
                switch known.verdict {
                case .right: (.right, nil)
                case .wrong(_, let cause): (.wrong, cause)
                case .unwanted(_, let cause): (.unwanted, cause)
                }
            return RegionRow(
                region: known.region, name: known.number.map { assessment.catalog.entries[$0].name }, verdict: verdict,
                cause: cause,
                state: assessment.snapshot.states[known.region.id] ?? .unknown)
        }
        let foreign = (assessment.snapshot.regions ?? []).filter { !$0.id.isOurs }.sorted { $0.id < $1.id }
        return ours
            + foreign.map {
                RegionRow(region: $0, verdict: .foreign, state: assessment.snapshot.states[$0.id] ?? .unknown)
            }
    }

    /// The JSON that `registry show` prints: the snapshot, and a verdict for each region. `isListed` states whether the operating system
    /// provided the list.
    ///
    /// - Parameter language: The language of the sentences.
    public func json(in language: Language = .english) -> JSONValue {
        let regions = entries.map { entry -> JSONValue in
            let name = entry.region.id == .sentinel ? language.registration.sentinel : entry.name
            let more: JSONValue = .compact([
                ("name", name.map(JSONValue.string)), ("foreign", .bool(entry.verdict == .foreign)),
                ("verdict", .string(entry.verdict.rawValue)),
                ("cause", entry.cause.map { .string($0.words(assessment.profile, in: language)) }),
                ("state", .string(entry.state.rawValue)),
            ])
            return .object((entry.region.json.members ?? []) + (more.members ?? []))
        }
        let snapshot = (assessment.snapshot.json(assessment.profile).members ?? []).filter { $0.name != "regions" }
        return .object(
            [.init("deviceId", .string(assessment.context.device.id))] + snapshot
                + [.init("isListed", .bool(assessment.snapshot.regions != nil)), .init("regions", .array(regions))])
    }
}
