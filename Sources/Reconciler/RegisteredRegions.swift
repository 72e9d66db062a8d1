import Model
import Registry

/// What a system holds, region by region, with what is to be said of each.
public struct RegisteredRegions: Sendable {
    public enum Verdict: String, CaseIterable, Sendable {
        /// As it should be.
        case right
        /// Wanted, but held in another way.
        case wrong
        /// Ours, and not wanted.
        case unwanted
        /// Not ours: never touched.
        case foreign
    }

    public struct Entry: Sendable {
        public var region: Region
        /// The geofence's name, or what the sentinel is called; nil for others.
        public var name: String?
        public var verdict: Verdict
        /// Why it is wrong or unwanted, in words.
        public var cause: String?
        public var state: RegionState
    }

    private let assessment: Assessment

    public init(_ assessment: Assessment) { self.assessment = assessment }

    /// By identifier, foreign ones last. Where the list cannot be read, what the journal says that should be there.
    public var entries: [Entry] {
        let profile = assessment.profile
        let ours = assessment.known.map { known in
            let (verdict, cause): (Verdict, Finding.Cause?) =
                switch known.verdict {
                case .right: (.right, nil)
                case .wrong(_, let cause): (.wrong, cause)
                case .unwanted(_, let cause): (.unwanted, cause)
                }
            return Entry(
                region: known.region, name: name(of: known), verdict: verdict, cause: cause?.words(profile),
                state: assessment.snapshot.states[known.region.id] ?? .unknown)
        }
        let foreign = (assessment.snapshot.regions ?? []).filter { !$0.id.isOurs }.sorted { $0.id < $1.id }
        return ours
            + foreign.map {
                Entry(region: $0, verdict: .foreign, state: assessment.snapshot.states[$0.id] ?? .unknown)
            }
    }

    private func name(of known: Assessment.Known) -> String? {
        if known.region.id == .sentinel { return Finding.sentinelName }
        return known.number.map { assessment.catalogue.entries[$0].name }
    }

    /// What `registry show` prints of a snapshot, with a verdict for each region; `isListed` says whether the system named them.
    public var json: JSONValue {
        let regions = entries.map { entry -> JSONValue in
            let more: JSONValue = .compact([
                ("name", entry.name.map(JSONValue.string)), ("foreign", .bool(entry.verdict == .foreign)),
                ("verdict", .string(entry.verdict.rawValue)), ("cause", entry.cause.map(JSONValue.string)),
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
