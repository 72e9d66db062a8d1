import Model

/// Which geofences health reported as at risk, and when. A geofence is at risk if so many boundaries are so close that no
/// selection can guarantee all of them.
struct RiskHistory {
    private var current: [String: Instant] = [:]
    private var past: [String: [ClosedRange<Instant>]] = [:]

    /// Records the geofences that are at risk from now on.
    mutating func record(_ ids: Set<String>, at now: Instant) {
        for (id, since) in current where !ids.contains(id) {
            past[id, default: []].append(since...max(since, now))
            current[id] = nil
        }
        for id in ids where current[id] == nil { current[id] = now }
    }

    /// Whether a geofence was at risk at any time in a period.
    func wasAtRisk(_ id: String, in period: ClosedRange<Instant>) -> Bool {
        if let since = current[id], since <= period.upperBound { return true }
        return past[id, default: []].contains { $0.overlaps(period) }
    }
}
