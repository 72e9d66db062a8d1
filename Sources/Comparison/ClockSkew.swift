import Model

/// A constant difference between the clock of a log and that of a track.
package struct ClockSkew: Hashable, Sendable {
    /// Positive if the log's clock is ahead.
    package var seconds: Double
    /// The number of reports that show it.
    package var reports: Int
    /// Whether the times of the log were corrected by it.
    package var isCorrected: Bool

    /// How the times of a log are corrected.
    package enum Correction: Hashable, Sendable {
        /// By the estimate, if there is one.
        case automatic
        /// How far the log's clock is ahead, in seconds; negative if it is behind.
        case by(Double)
    }

    /// The largest difference that is considered, in seconds: that between the two most distant time zones.
    package static let longest = 26 * 3600.0
    /// The minimum number of reports that must agree on a difference.
    package static let fewestReports = 3
    /// The differences that the delay of an operating system can explain, in seconds.
    private static let explainedByDelay = -30.0...300
    /// Reports agree if their differences are within this number of seconds.
    private static let width = 120.0
    /// The maximum number of transitions before a report, and of those after it, that are compared with it.
    private static let mostNeighbors = 8
    /// The number of differences after which no more are collected.
    private static let mostDifferences = 400_000

    /// Estimates the difference by comparing each report with transitions of the same kind and geofence. The estimate is the
    /// median of the largest group of differences that agree.
    ///
    /// - Parameter pairs: For each geofence, its true transitions and its reports, both in order of time.
    /// - Returns: Nil if too few reports agree, or if the delay of an operating system explains their differences.
    static func estimate(_ pairs: some Sequence<(transitions: [TrueTransition], reports: [ReportedTransition])>) -> ClockSkew? {
        var differences: [(deviation: Double, delay: Double)] = []
        var evaluated = 0
        collect: for (transitions, reports) in pairs where !transitions.isEmpty {
            for kind in TransitionKind.allCases {
                let own = transitions.filter { $0.kind == kind }
                for report in reports where report.kind == kind && !own.isEmpty {
                    let next = own.partitioningIndex { $0.at > report.at }
                    let near = max(0, next - mostNeighbors)..<min(own.count, next + mostNeighbors)
                    let found = own[near].map { ($0.deviation(of: report.at), report.at - $0.at) }.filter {
                        $0.0.magnitude <= longest
                    }
                    if !found.isEmpty { evaluated += 1 }
                    differences += found
                    if differences.count > mostDifferences { break collect }
                }
            }
        }
        guard evaluated >= fewestReports else { return nil }
        differences.sort { $0 < $1 }
        var best = 0..<0
        var first = 0
        for last in differences.indices {
            while differences[last].deviation - differences[first].deviation > width { first += 1 }
            let range = first..<last + 1
            let isLikelier =
                range.count == best.count && unlikelihood(median(differences[range])) < unlikelihood(median(differences[best]))
            if range.count > best.count || isLikelier { best = range }
        }
        guard best.count >= max(fewestReports, (evaluated + 1) / 2),
            !explainedByDelay.contains(median(differences[best]))
        else { return nil }
        let delays = differences[best].map(\.delay).sorted()
        return ClockSkew(seconds: delays[delays.count / 2].rounded(), reports: best.count, isCorrected: false)
    }

    /// The median of the deviations of a group, which are sorted.
    private static func median(_ group: ArraySlice<(deviation: Double, delay: Double)>) -> Double {
        group[group.startIndex + group.count / 2].deviation
    }

    /// Ranks groups of the same size, the likeliest first: whole hours (another time zone or daylight saving time), then small differences.
    private static func unlikelihood(_ deviation: Double) -> (Int, Double) {
        let hours = (deviation / 3600).rounded()
        return ((deviation - hours * 3600).magnitude <= width ? 0 : 1, deviation.magnitude)
    }
}
