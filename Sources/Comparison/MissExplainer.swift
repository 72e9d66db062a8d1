import Coverage
import Geodesy
import Model
import Registry

/// Determines from a log why a transition was missed or reported falsely.
struct MissExplainer {
    private let options: AppLogComparison.Options
    private let phone: FullyRegisteredPhone
    private let fences: ComparedFences
    private let evidence: AppLogEvidence
    /// The numbers of the reports under unknown identifiers that explain a missed transition.
    private(set) var usedUnknown: Set<Int> = []
    /// The transitions of the circle that was last found in a list instead of the geofence's circle.
    private var drifted: (circle: Circle, transitions: [ReferenceTransition])?

    /// Seconds without an observation that count as a gap.
    private static let longestSilence = 3600.0
    /// Seconds for which an error of the operating system explains a delay.
    private static let errorLasts = 3600.0
    /// Meters from the boundary up to which a phone with a less exact position may decide otherwise.
    private static let nearBoundary = 200.0
    /// Seconds before and after a report in which the track is examined.
    private static let nearInTime = 300.0
    /// Seconds between two fixes around a report, beyond which the track does not evaluate it.
    private static let longestTrackGap = 1800.0
    /// The errors of an operating system that is busy.
    private static let delays: Set<RegistryError.Code> = [
        .requestTooFrequent, .regionMonitoringSetupDelayed, .regionMonitoringResponseDelayed,
    ]

    init(
        _ options: AppLogComparison.Options, _ phone: FullyRegisteredPhone, fences: ComparedFences, evidence: AppLogEvidence
    ) {
        self.options = options
        self.phone = phone
        self.fences = fences
        self.evidence = evidence
    }

    // MARK: - Missed

    /// Adds the reason to a missed transition.
    ///
    /// - Parameters:
    ///   - number: The number of the geofence.
    ///   - next: The geofence's next transition.
    ///   - match: Which of the reports belong to the geofence's transitions.
    ///   - reports: The geofence's reports.
    mutating func explain(
        _ missed: inout ComparedTransition, _ transition: TrueTransition, fence number: Int, next: Instant?,
        match: TransitionMatch, reports: [ReportedTransition]
    ) {
        if let found = settingFault(at: transition.at) {
            (missed.reason, missed.evidence) = found
            return
        }
        if let found = regionFault(transition, of: number, lastReport: lastReport(before: transition.at, match, reports)) {
            (missed.reason, missed.evidence) = found
            return
        }
        (missed.reason, missed.evidence) = systemFault(missed, transition, of: number, next: next)
    }

    /// When a report last showed that the geofence's region was registered.
    private func lastReport(before moment: Instant, _ match: TransitionMatch, _ reports: [ReportedTransition]) -> Instant? {
        match.reports.compactMap { $0.map { reports[$0].at } }.filter { $0 < moment }.max()
    }

    /// A setting of the phone that prevents all reports.
    private func settingFault(at moment: Instant) -> (ComparedTransition.Reason, ComparedTransition.Evidence)? {
        var shown = ComparedTransition.Evidence()
        if let location = evidence.locationServices.value(at: moment), !location.value {
            shown.since = known(location.since)
            return (.locationOff, shown)
        }
        if let status = evidence.authorization.value(at: moment), status.value != .always {
            shown.since = known(status.since)
            shown.authorization = status.value
            return (.authorization, shown)
        }
        if let precision = evidence.precision.value(at: moment), !precision.value {
            shown.since = known(precision.since)
            shown.isImprecise = true
            return (.authorization, shown)
        }
        return nil
    }

    private func known(_ moment: Instant) -> Instant? { moment == .earliest ? nil : moment }

    /// What was wrong with the geofence's region.
    private mutating func regionFault(
        _ transition: TrueTransition, of number: Int, lastReport: Instant?
    ) -> (ComparedTransition.Reason, ComparedTransition.Evidence)? {
        if let loss = evidence.loss(before: transition.at, options.profile), lastReport ?? .earliest <= loss.at {
            var shown = ComparedTransition.Evidence()
            shown.since = loss.at
            shown.error = loss.error.map(Self.text)
            return (.notRegistered, shown)
        }
        switch evidence.regions.answer(for: number, at: transition.at) {
        case .unknown: return orphan(transition, of: number, list: nil)
        case .absent(let list):
            let listed = evidence.regions.times[list]
            // A report since then shows that it was registered after the list.
            if let lastReport, lastReport > listed { return orphan(transition, of: number, list: nil) }
            return absence(transition, of: number, list: list)
        case .held(let held, let list):
            if let found = difference(held, transition, of: number, list: list) { return found }
            // The next list shows whether the region was lost in between.
            guard case .absent(let next) = evidence.regions.answer(for: number, inList: list + 1) else { return nil }
            var (reason, shown) = absence(transition, of: number, list: next)
            shown.since = known(evidence.regions.times[list])
            shown.until = evidence.regions.times[next]
            if reason == .orphanedIdentifier { shown.until = nil }
            return (reason, shown)
        }
    }

    /// Why a list does not have the geofence's region.
    private mutating func absence(
        _ transition: TrueTransition, of number: Int, list: Int
    ) -> (ComparedTransition.Reason, ComparedTransition.Evidence) {
        if let orphan = orphan(transition, of: number, list: list) { return orphan }
        var shown = ComparedTransition.Evidence()
        shown.since = known(evidence.regions.times[list])
        shown.error = evidence.error(of: number, before: transition.at, within: .infinity).map(Self.text)
        if evidence.regions.counts[list] >= options.profile.limit { shown.slots = evidence.regions.counts[list] }
        return (.notRegistered, shown)
    }

    private static func text(_ error: AppLogEvidence.SystemError) -> String { RegistryError(error.code).description }

    /// An identifier that no geofence has, of a region with the same circle or of a report at the same time.
    private mutating func orphan(
        _ transition: TrueTransition, of number: Int, list: Int?
    ) -> (ComparedTransition.Reason, ComparedTransition.Evidence)? {
        var shown = ComparedTransition.Evidence()
        let listed = list.flatMap { evidence.regions.unknownRegion(around: fences.entries[number].circle, inList: $0) }
        let report = unknownReport(of: transition, number, under: listed)
        if let report {
            usedUnknown.insert(report)
            shown.identifier = evidence.unknownReports[report].id.text
            shown.since = evidence.unknownReports[report].at
        } else if let listed, let list {
            shown.identifier = listed.text
            shown.since = known(evidence.regions.times[list])
        } else {
            return nil
        }
        return (.orphanedIdentifier, shown)
    }

    /// The number of the unknown report nearest to a transition in time.
    ///
    /// - Parameter listed: The identifier of a listed region with the geofence's circle. Without one, the report must be under an
    ///   identifier with the app's prefix that is in no list, at about the same time and close to the geofence.
    private func unknownReport(of transition: TrueTransition, _ number: Int, under listed: RegionID?) -> Int? {
        let reports = evidence.unknownReports
        let end = transition.at + (listed == nil ? Self.sameTime : options.maxDelay)
        var index = reports.partitioningIndex { $0.at >= transition.earliest + -TransitionMatch.slack }
        var best: Int?
        while index < reports.count, reports[index].at <= end {
            let report = reports[index]
            if report.kind == transition.kind, !usedUnknown.contains(index),
                best.map({ (report.at - transition.at).magnitude < (reports[$0].at - transition.at).magnitude }) ?? true,
                listed.map({ $0 == report.id }) ?? isPlausible(report, number)
            {
                best = index
            }
            index += 1
        }
        return best
    }

    /// Whether a report under an unknown identifier can belong to a geofence.
    private func isPlausible(_ report: AppLogEvidence.UnknownReport, _ number: Int) -> Bool {
        guard report.isOurs, !evidence.regions.hasListed(report.id) else { return false }
        let period = (report.at + -Self.shortTime)...(report.at + Self.shortTime)
        guard let distance = phone.nearestApproach(to: fences.entries[number].circle, during: period) else { return true }
        return distance <= Self.closeBy
    }

    /// Seconds after a transition in which a report under an unknown identifier may be about it.
    private static let sameTime = 120.0
    /// Seconds before and after a report in which the device must be close to a geofence.
    private static let shortTime = 30.0
    /// Meters from the boundary.
    private static let closeBy = 500.0

    /// How a held region differs from the right one, if the difference explains that the transition was not reported.
    private mutating func difference(
        _ held: RegionTimeline.HeldRegion, _ transition: TrueTransition, of number: Int, list: Int
    ) -> (ComparedTransition.Reason, ComparedTransition.Evidence)? {
        var shown = driftEvidence(held, of: number, list: list)
        if shown.distance != nil || shown.radius != nil, !wouldReport(held.circle, transition) { return (.drifted, shown) }
        guard transition.kind == .exit ? !held.notifyOnExit : !held.notifyOnEntry else { return nil }
        shown = ComparedTransition.Evidence()
        shown.since = known(evidence.regions.times[list])
        return (.notificationOff, shown)
    }

    private func driftEvidence(
        _ held: RegionTimeline.HeldRegion, of number: Int, list: Int
    ) -> ComparedTransition.Evidence {
        let right = fences.entries[number].circle
        let profile = options.profile
        var shown = ComparedTransition.Evidence()
        let chord = EarthVector(held.circle.center).chordSquared(to: EarthVector(right.center)).squareRoot()
        if chord > Self.smallestDrift { shown.distance = (chord * 10).rounded() / 10 }
        if (profile.usedRadius(held.circle.radius) - profile.usedRadius(right.radius)).magnitude > profile.radiusTolerance {
            shown.radius = held.circle.radius
        }
        if shown.distance != nil || shown.radius != nil { shown.since = known(evidence.regions.times[list]) }
        return shown
    }

    /// Meters by which a center must differ.
    private static let smallestDrift = 0.1

    /// Whether a phone that watches a circle reports a transition at about the same time.
    private mutating func wouldReport(_ circle: Circle, _ transition: TrueTransition) -> Bool {
        let isEnter = transition.kind.isInside
        return transitions(of: circle).contains {
            $0.isEnter == isEnter && $0.at >= transition.earliest + -TransitionMatch.slack
                && $0.at <= transition.at + options.maxDelay
        }
    }

    private mutating func transitions(of circle: Circle) -> [ReferenceTransition] {
        if let drifted, drifted.circle == circle { return drifted.transitions }
        let found = phone.transitions(of: circle)
        drifted = (circle, found)
        return found
    }

    /// Why the operating system did not report a transition of a registered region, as far as the log shows.
    private func systemFault(
        _ missed: ComparedTransition, _ transition: TrueTransition, of number: Int, next: Instant?
    ) -> (ComparedTransition.Reason, ComparedTransition.Evidence) {
        var shown = ComparedTransition.Evidence()
        if missed.reportedAt != nil { return (.throttled, shown) }
        if let error = evidence.error(of: number, before: transition.at + options.maxDelay, within: Self.errorLasts),
            Self.delays.contains(error.code)
        {
            shown.error = Self.text(error)
            shown.since = error.at
            return (.throttled, shown)
        }
        if let gap = evidence.gap(at: transition.at), gap.upperBound - gap.lowerBound >= Self.longestSilence {
            shown.since = known(gap.lowerBound)
            shown.until = gap.upperBound == .latest ? nil : gap.upperBound
            return (.logGap, shown)
        }
        if let next, next - transition.at < options.profile.reportDelay.upperBound {
            shown.duration = next - transition.at
            return (.throttled, shown)
        }
        return (.unexplained, shown)
    }

    // MARK: - False

    /// Adds the reason to a report of a transition that did not happen.
    mutating func explainFalse(_ compared: inout ComparedTransition, of number: Int) {
        if case .held(let held, let list) = evidence.regions.answer(for: number, at: compared.at) {
            let shown = driftEvidence(held, of: number, list: list)
            let isEnter = compared.kind.isInside
            let moment = compared.at
            if shown.distance != nil || shown.radius != nil,
                transitions(of: held.circle).contains(where: {
                    $0.isEnter == isEnter && moment >= $0.earliest + -TransitionMatch.slack && moment <= $0.at + options.maxDelay
                })
            {
                (compared.reason, compared.evidence) = (.drifted, shown)
                return
            }
        }
        let period = (compared.at + -Self.nearInTime)...(compared.at + Self.nearInTime)
        guard phone.gap(at: compared.at) <= Self.longestTrackGap else {
            compared.reason = .trackGap
            return
        }
        if let distance = phone.nearestApproach(to: fences.entries[number].circle, during: period),
            distance.magnitude <= Self.nearBoundary
        {
            compared.reason = .nearBoundary
            compared.evidence.distance = (distance * 10).rounded() / 10
            return
        }
        compared.reason = .unexplained
    }
}
