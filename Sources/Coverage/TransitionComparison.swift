import Model

/// Compares the transitions that were reported to an app with those that would have been reported with every geofence registered.
///
/// The enters and exits of a geofence alternate. A transition counts as reported if the app was notified of it after the previous
/// and before the next transition of the geofence. The app may be notified of it a little earlier than the reference, by
/// requesting the state of a region.
struct TransitionComparison {
    private(set) var reported = 0
    private(set) var missed: [RegionTransition] = []
    /// What was reported to the app although it did not happen.
    private(set) var wrong: [RegionTransition] = []
    /// For each of `missed`, the time from the previous transition of the geofence to the missed one.
    private(set) var missedPeriods: [ClosedRange<Instant>] = []

    /// - Parameters:
    ///   - transitions: In order of time for each geofence.
    ///   - reference: In order of time for each geofence.
    init(of transitions: [RegionTransition], with reference: [RegionTransition]) {
        var heard = Dictionary(grouping: transitions, by: \.geofenceID)
        for (id, expected) in Dictionary(grouping: reference, by: \.geofenceID).sorted(by: { $0.key < $1.key }) {
            compare(heard.removeValue(forKey: id) ?? [], with: expected)
        }
        wrong += heard.values.joined()
        wrong.sort { ($0.at, $0.geofenceID) < ($1.at, $1.geofenceID) }
    }

    private mutating func compare(_ heard: [RegionTransition], with expected: [RegionTransition]) {
        var rest = heard[...]
        for (index, transition) in expected.enumerated() {
            let previous = index == 0 ? Instant.earliest : expected[index - 1].at
            let next = index + 1 < expected.count ? expected[index + 1].at : nil
            var isReported = false
            while let candidate = rest.first, next.map({ candidate.at < $0 }) ?? true {
                // It may be the next transition, reported early.
                if next != nil && candidate.isEnter != transition.isEnter && candidate.at >= transition.at { break }
                rest.removeFirst()
                if !isReported && candidate.isEnter == transition.isEnter && candidate.at >= previous {
                    isReported = true
                } else {
                    wrong.append(candidate)
                }
            }
            if isReported {
                reported += 1
            } else {
                missed.append(transition)
                missedPeriods.append(previous...transition.at)
            }
        }
        wrong += rest
    }
}
