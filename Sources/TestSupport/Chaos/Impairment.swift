import Model
import Registry

/// A period in which a phone could not report everything, and why.
struct Impairment: Hashable, Sendable {
    /// What could not be reported.
    enum Scope: Hashable, Sendable {
        case allRegions
        case region(RegionID)
    }

    var scope: Scope
    var cause: MissedTransition.Explanation
    var from: Instant
    /// Nil while it lasts.
    var to: Instant?

    func overlaps(_ period: ClosedRange<Instant>) -> Bool { from <= period.upperBound && (to ?? .latest) >= period.lowerBound }
}

/// The impairments of a phone over time.
struct ImpairmentHistory: Sendable {
    private var current: [Impairment] = []
    private var past: [Impairment] = []

    var isEmpty: Bool { current.isEmpty }

    mutating func begin(_ scope: Impairment.Scope, _ cause: MissedTransition.Explanation, at now: Instant) {
        if current.contains(where: { $0.scope == scope && $0.cause == cause }) { return }
        current.append(Impairment(scope: scope, cause: cause, from: now))
    }

    /// Ends the current impairments that satisfy a condition.
    mutating func end(at now: Instant, where isOver: (Impairment) -> Bool) {
        for var impairment in current where isOver(impairment) {
            impairment.to = now
            past.append(impairment)
        }
        current.removeAll(where: isOver)
    }

    /// Whether a region is impaired now.
    func concerns(_ id: RegionID) -> Bool { current.contains { $0.scope == .region(id) } }

    /// Why nothing could be reported for a geofence in a period: what concerned its region, else the sentinel, else all regions. Nil if the
    /// phone was not impaired.
    func explanation(of geofence: String, in period: ClosedRange<Instant>) -> MissedTransition.Explanation? {
        let all = (current + past).filter { $0.overlaps(period) }
        let scopes: [Impairment.Scope] = [.region(RegionID(geofence: geofence)), .region(.sentinel), .allRegions]
        return scopes.lazy.compactMap { scope in all.first { $0.scope == scope }?.cause }.first
    }
}
