/// Which transitions were reported to an app with one strategy.
package struct StrategyCoverage: Hashable, Sendable {
    package let strategy: RegionStrategy
    /// Transitions that were reported to the app.
    package private(set) var reported = 0
    /// Transitions that were not reported to the app.
    package private(set) var missed = 0
    /// Transitions among `missed` of geofences that health had reported as at risk. Only Picket reports these.
    package private(set) var missedAtRisk = 0
    /// Enters and exits that were reported to the app although they did not happen.
    package private(set) var wrong = 0
    package private(set) var calls = RegistryCalls()
    /// Up to `mostExamples` missed transitions of each device. Those of geofences that health had not reported as at risk come
    /// first.
    package private(set) var examples: [RegionTransition] = []

    package static let mostExamples = 20

    init(_ strategy: RegionStrategy) { self.strategy = strategy }

    /// The share of the transitions that were reported to the app, from 0 to 1; nil if there were none.
    package var share: Double? { reported + missed == 0 ? nil : Double(reported) / Double(reported + missed) }

    mutating func add(_ app: AppOnPhone, reference: [RegionTransition]) {
        let comparison = TransitionComparison(of: app.transitions, with: reference)
        reported += comparison.reported
        missed += comparison.missed.count
        wrong += comparison.wrong.count
        var named: [RegionTransition] = []
        var unnamed: [RegionTransition] = []
        for (transition, period) in zip(comparison.missed, comparison.missedPeriods) {
            if app.risks.wasAtRisk(transition.geofenceID, in: period) {
                named.append(transition)
            } else {
                unnamed.append(transition)
            }
        }
        missedAtRisk += named.count
        examples += (unnamed + named).prefix(max(0, Self.mostExamples - examples.count))
        calls.add(app.calls)
    }
}
