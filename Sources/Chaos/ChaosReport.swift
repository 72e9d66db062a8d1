import Model
import Reconciler
import Registry

/// The result of a life.
package struct ChaosReport: Sendable {
    package let seed: UInt64
    package let hours: Double
    package let profile: PlatformProfile
    package let geofenceCount: Int
    package internal(set) var fixCount = 0
    /// The number of events of each kind, without edits.
    package internal(set) var eventCounts: [String: Int] = [:]
    package internal(set) var editCount = 0
    package internal(set) var repairCount = 0
    package internal(set) var callCount = 0
    /// Enters and exits of a phone with every geofence registered.
    package internal(set) var transitionCount = 0
    package internal(set) var toldCount = 0
    package internal(set) var untold: [UntoldTransition] = []
    /// Calls that a repair must not make, in words.
    package internal(set) var violations: [String] = []
    package internal(set) var endHealth = HealthSummary.healthy
    package internal(set) var endsHealthy = false
    private var healthySeconds = 0.0
    private var latest: (at: Instant, isHealthy: Bool) = (ChaosLife.start, false)

    init(_ configuration: ChaosLife.Configuration) {
        seed = configuration.seed
        hours = configuration.hours
        profile = configuration.profile
        geofenceCount = configuration.geofences.count { $0.isActive }
    }

    package var eventCount: Int { eventCounts.values.reduce(0, +) }
    package var unexplained: [UntoldTransition] { untold.filter { $0.explanation == nil } }
    /// The share of time in which the phone was healthy, from 0 to 1.
    package var healthyShare: Double { hours > 0 ? healthySeconds / (hours * 3600) : 0 }

    /// Whether the life ended healthy, every report is told or explained, and no repair did what it must not.
    package var isPassed: Bool { endsHealthy && unexplained.isEmpty && violations.isEmpty }

    /// The untold transitions by explanation, most frequent first.
    package var explanations: [(words: String, count: Int)] {
        let counts = Dictionary(grouping: untold) { $0.explanation?.words ?? "unexplained" }.mapValues(\.count)
        return counts.map { ($0.key, $0.value) }.sorted { ($1.1, $0.0) < ($0.1, $1.0) }
    }

    mutating func add(_ entry: ChaosEntry) {
        let now = min(entry.at, ChaosLife.start + hours * 3600)
        if latest.isHealthy { healthySeconds += max(0, now - latest.at) }
        latest = (now, entry.isHealthy)
    }

    /// Counts the health up to the end.
    mutating func close(at end: Instant) { if latest.isHealthy { healthySeconds += max(0, end - latest.at) } }
}

extension ChaosReport: JSONWritable {
    package static let output = JSONOutput<ChaosReport>(
        "ChaosReport", summary: "The result of the random life of a simulated phone",
        .init("seed", kind: .text, summary: "The seed from which everything follows", content: { String($0.seed) }),
        .init("hours", kind: .number, summary: "Simulated hours", content: \.hours),
        .init("platform", kind: .word, summary: "The simulated platform", content: \.profile.platform),
        .init("profile", kind: .word, summary: "How the platform handles regions", content: \.profile.variant),
        .init("limit", kind: .whole, summary: "The maximum number of regions", content: \.profile.limit),
        .init("geofences", kind: .whole, summary: "Active geofences at the beginning", content: \.geofenceCount),
        .init("fixes", kind: .whole, summary: "Positions", content: \.fixCount),
        .init("events", kind: .whole, summary: "Faults and changes of settings", content: \.eventCount),
        .init("edits", kind: .whole, summary: "Edits of geofences", content: \.editCount),
        .init("repairs", kind: .whole, summary: "Repairs", content: \.repairCount),
        .init("calls", kind: .whole, summary: "The calls that repairs made", content: \.callCount),
        .init(
            "healthyShare", kind: .number, summary: "The share of time in which the phone was healthy", content: \.healthyShare),
        .init(
            "transitions", kind: .whole, summary: "Enters and exits of a phone with every geofence registered",
            content: \.transitionCount),
        .init("told", kind: .whole, summary: "Those that the app learned of", content: \.toldCount),
        .init(
            "untold", kind: .list(of: .object(of: UntoldTransition.output)), summary: "Those that it did not learn of",
            content: \.untold),
        .init("violations", kind: .list(of: .text), summary: "What a repair must not do", content: \.violations),
        .init("endHealth", kind: .text, summary: "The health at the end, in words", content: { $0.endHealth.sentence() }),
        .init(
            "isPassed", kind: .flag, summary: "Whether it ended healthy, with every report told or explained",
            content: \.isPassed))
}

extension UntoldTransition: JSONWritable {
    package static let output = JSONOutput<UntoldTransition>(
        "UntoldTransition", summary: "An enter or exit that the app did not learn of",
        .init("geofenceId", kind: .text, summary: "The geofence", content: \.geofence),
        .init("type", kind: .word, summary: "enter or exit", content: \.type),
        .init("at", kind: .time, summary: "When a phone with every geofence registered tells it", content: \.at),
        .init("explanation", optional: .text, summary: "What explains it, in words", content: { $0.explanation?.words }))

    private var type: EventType { isEnter ? .enter : .exit }
}
