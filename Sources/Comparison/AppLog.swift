import Model

/// The observations of an app, in order of time, and what was unusual about the input.
package struct AppLog: Sendable {
    package private(set) var observations: [AppObservation]
    /// Observations that repeat an earlier one with the same time and content. They count once.
    package private(set) var doubled = 0
    /// Observations older than the one before them.
    package private(set) var outOfOrder = 0

    /// - Parameter observations: In the order of the log.
    package init(_ observations: [AppObservation]) {
        var seen: Set<AppObservation> = []
        seen.reserveCapacity(observations.count)
        var kept: [AppObservation] = []
        kept.reserveCapacity(observations.count)
        for observation in observations {
            guard seen.insert(observation).inserted else {
                doubled += 1
                continue
            }
            if let last = kept.last, observation.at < last.at { outOfOrder += 1 }
            kept.append(observation)
        }
        // A stable sort: observations of the same time keep the order of the log.
        self.observations = kept.enumerated().sorted { ($0.element.at, $0.offset) < ($1.element.at, $1.offset) }.map(\.element)
    }
}
