import Coverage
import Model

/// A true transition of a geofence: what a phone with every region registered reports.
struct TrueTransition: Hashable {
    var kind: TransitionKind
    var at: Instant
    /// The earliest time at which it can have happened; see `ReferenceTransition`.
    var earliest: Instant

    /// How much a report deviates from what is plausible, in seconds: negative before the transition can have happened, positive after
    /// the reference reports it, otherwise 0.
    func deviation(of report: Instant) -> Double {
        report < earliest ? report - earliest : max(report - at, 0)
    }
}

/// A report of a transition in a log, by the clock of the track.
struct ReportedTransition: Hashable {
    var kind: TransitionKind
    var at: Instant
}

/// Assigns the reports of one geofence to its true transitions.
struct TransitionMatch {
    /// For each true transition, the number of its report; nil if it was not reported in time.
    private(set) var reports: [Int?]
    /// For each true transition that was not reported in time, the number of a later report of it; nil if there is none.
    private(set) var lateReports: [Int?]
    /// The numbers of the other reports, ascending.
    private(set) var rest: [Int] = []

    /// Seconds by which a report may be earlier than plausible, because two clocks never agree.
    static let slack = 60.0
    /// Seconds after which a report no longer concerns a transition.
    static let latest = 86_400.0
    /// The maximum number of reports that are considered for each transition.
    private static let mostCandidates = 64

    /// If several assignments are possible, the one with the shortest delays is used; transitions and reports are paired in order
    /// of delay.
    ///
    /// - Parameters:
    ///   - transitions: In order of time.
    ///   - reported: In order of time.
    ///   - maxDelay: Seconds after which a transition counts as missed.
    /// - Complexity: O(n log n).
    init(_ transitions: [TrueTransition], with reported: [ReportedTransition], maxDelay: Double) {
        reports = Array(repeating: nil, count: transitions.count)
        lateReports = reports
        var isUsed = Array(repeating: false, count: reported.count)
        var pairs: [(cost: Double, transition: Int, report: Int)] = []
        for (index, transition) in transitions.enumerated() {
            var report = reported.partitioningIndex { $0.at >= transition.earliest + -Self.slack }
            var count = 0
            while report < reported.count, reported[report].at <= transition.at + maxDelay, count < Self.mostCandidates {
                if reported[report].kind == transition.kind {
                    pairs.append(((reported[report].at - transition.at).magnitude, index, report))
                    count += 1
                }
                report += 1
            }
        }
        pairs.sort { ($0.cost, $0.transition, $0.report) < ($1.cost, $1.transition, $1.report) }
        for pair in pairs where reports[pair.transition] == nil && !isUsed[pair.report] {
            reports[pair.transition] = pair.report
            isUsed[pair.report] = true
        }
        for kind in TransitionKind.allCases {
            let own = transitions.indices.filter { transitions[$0].kind == kind }
            for (position, index) in own.enumerated() where reports[index] == nil {
                let after = transitions[index].at + maxDelay
                let next = position + 1 < own.count ? transitions[own[position + 1]].earliest : Instant.latest
                let end = min(next, transitions[index].at + Self.latest)
                var report = reported.partitioningIndex { $0.at > after }
                while report < reported.count, reported[report].at < end {
                    if reported[report].kind == kind, !isUsed[report] {
                        lateReports[index] = report
                        isUsed[report] = true
                        break
                    }
                    report += 1
                }
            }
        }
        rest = reported.indices.filter { !isUsed[$0] }
    }
}
