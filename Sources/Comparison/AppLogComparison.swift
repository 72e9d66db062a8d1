import Coverage
import Model
import Reconciler
import Registry

/// Compares what an app's log reports with what happened along a track.
///
/// The reference is what the operating system reports on a phone with every geofence registered and healthy, without a limit
/// (`FullyRegisteredPhone`). This is the best that an app can expect. Picket's own decisions are not used, because they have more
/// data. Pure: no I/O, no clock.
package struct AppLogComparison {
    package struct Options: Sendable {
        /// How the phone's operating system behaves, with the maximum number of regions.
        package var profile: PlatformProfile
        package var names: RegionNames
        /// Seconds after which a transition counts as missed.
        package var maxDelay: Double
        package var skew: ClockSkew.Correction

        /// 15 minutes, as for the counts in a device's health.
        package static let usualMaxDelay = ReportedTransitions.TransitionTimes.tolerance

        package init(
            _ profile: PlatformProfile, names: RegionNames = RegionNames(), maxDelay: Double = usualMaxDelay,
            skew: ClockSkew.Correction = .by(0)
        ) {
            self.profile = profile
            self.names = names
            self.maxDelay = maxDelay
            self.skew = skew
        }
    }

    /// The content of a registry at one time.
    package struct Snapshot: Sendable {
        package var content: RegistrySnapshot
        /// Whether the time of the content is known.
        package var hasTime: Bool

        package init(_ content: RegistrySnapshot, hasTime: Bool) {
            self.content = content
            self.hasTime = hasTime
        }

        /// Whether there are regions but none of them belongs to the app, so that the snapshot is from another app.
        package func isOfAnotherApp(_ names: RegionNames) -> Bool {
            guard let regions = content.regions, !regions.isEmpty else { return false }
            return !regions.contains { names.isOurs($0.id) || $0.id == .sentinel }
        }
    }

    private let options: Options
    private let phone: FullyRegisteredPhone
    private let fences: ComparedFences
    private var evidence: AppLogEvidence
    private var remarks: AppLogRemarks
    private var transitions: [ComparedTransition] = []

    /// - Parameters:
    ///   - log: What the app logged.
    ///   - fixes: The track, in order of time.
    ///   - snapshot: What the phone held at some time; nil if that is unknown.
    package static func report(
        of log: AppLog, along fixes: [Fix], of device: Device, geofences: [Geofence], snapshot: Snapshot? = nil,
        options: Options
    ) -> ComparisonReport {
        var comparison = AppLogComparison(log, along: fixes, of: device, geofences, snapshot, options)
        comparison.compare()
        return comparison.report(device: device)
    }

    private init(
        _ log: AppLog, along fixes: [Fix], of device: Device, _ geofences: [Geofence], _ snapshot: Snapshot?, _ options: Options
    ) {
        self.options = options
        phone = FullyRegisteredPhone(options.profile, fixes: fixes)
        fences = ComparedFences(geofences, of: device, along: phone)
        var remarks = AppLogRemarks()
        remarks.observations = log.observations.count
        remarks.doubled = log.doubled
        remarks.outOfOrder = log.outOfOrder
        let lag: Double
        switch options.skew {
        case .by(let seconds):
            lag = seconds
            let found = Self.skew(of: log, fences, options, lag: seconds)
            remarks.skew = seconds == 0 ? found : ClockSkew(seconds: seconds, reports: 0, isCorrected: true)
        case .automatic:
            let found = Self.skew(of: log, fences, options, lag: 0)
            lag = found?.seconds ?? 0
            remarks.skew = found.map { ClockSkew(seconds: $0.seconds, reports: $0.reports, isCorrected: true) }
        }
        self.remarks = remarks
        evidence = AppLogEvidence(log, lag: lag, snapshot: snapshot, fences: fences, names: options.names)
    }

    private static func skew(of log: AppLog, _ fences: ComparedFences, _ options: Options, lag: Double) -> ClockSkew? {
        var reports: [Int: [ReportedTransition]] = [:]
        for observation in log.observations {
            guard case .transition(let kind, let region) = observation.content,
                let number = fences.number(of: region, options.names)
            else { continue }
            reports[number, default: []].append(ReportedTransition(kind: kind, at: observation.at + -lag))
        }
        return ClockSkew.estimate(reports.sorted { $0.key < $1.key }.map { (fences.entries[$0.key].transitions, $0.value) })
    }

    // MARK: - Comparing

    private mutating func compare() {
        var explainer = MissExplainer(options, phone, fences: fences, evidence: evidence)
        for number in fences.entries.indices {
            let entry = fences.entries[number]
            let reported = comparableReports(of: number)
            if entry.transitions.isEmpty && reported.isEmpty { continue }
            let match = TransitionMatch(entry.transitions, with: reported, maxDelay: options.maxDelay)
            for (index, transition) in entry.transitions.enumerated() {
                var compared = ComparedTransition(
                    geofenceID: entry.id, kind: transition.kind, outcome: .reported, at: transition.at)
                if let report = match.reports[index] {
                    compared.reportedAt = reported[report].at
                } else {
                    compared.outcome = .missed
                    compared.reportedAt = match.lateReports[index].map { reported[$0].at }
                    let next = index + 1 < entry.transitions.count ? entry.transitions[index + 1].at : nil
                    explainer.explain(&compared, transition, fence: number, next: next, match: match, reports: reported)
                }
                transitions.append(compared)
            }
            for report in match.rest { addUnmatched(reported[report], of: number, &explainer) }
        }
        addUnknownReports(explainer)
    }

    /// The reports of a geofence that the track can evaluate.
    private mutating func comparableReports(of number: Int) -> [ReportedTransition] {
        let entry = fences.entries[number]
        return evidence.reports[number, default: []].filter { report in
            guard isWithinTrack(report.at) else {
                remarks.outsideTrack += 1
                return false
            }
            if report.kind == .dwell, !entry.hasDwell {
                remarks.dwellsNotCompared += 1
                return false
            }
            return true
        }
    }

    private func isWithinTrack(_ moment: Instant) -> Bool {
        guard let span = phone.span else { return false }
        return moment >= span.lowerBound + -TransitionMatch.slack
            && moment <= span.upperBound + (FullyRegisteredPhone.patience + options.maxDelay)
    }

    /// A report that belongs to no transition: one of the state in which the track begins, or a false one.
    private mutating func addUnmatched(_ report: ReportedTransition, of number: Int, _ explainer: inout MissExplainer) {
        // After the last position, a report can be evaluated only if it is about an earlier transition.
        if let span = phone.span, report.at > span.upperBound + TransitionMatch.slack {
            remarks.outsideTrack += 1
            return
        }
        let entry = fences.entries[number]
        let next = entry.transitions.partitioningIndex { $0.earliest > report.at + TransitionMatch.slack }
        if next == 0, entry.startsInside, report.kind.isInside, evidence.previousReport(report, of: number) == nil {
            remarks.initial += 1
            return
        }
        var compared = ComparedTransition(
            geofenceID: entry.id, kind: report.kind, outcome: .false, at: report.at, reportedAt: report.at)
        if evidence.previousReport(report, of: number)?.kind.isInside == report.kind.isInside {
            compared.reason = .duplicate
        } else {
            explainer.explainFalse(&compared, of: number)
        }
        transitions.append(compared)
    }

    /// Reports under identifiers with the app's prefix that no geofence has are false, unless they explain a missed transition.
    private mutating func addUnknownReports(_ explainer: MissExplainer) {
        for (index, report) in evidence.unknownReports.enumerated() where report.isOurs && !explainer.usedUnknown.contains(index)
        {
            guard isWithinTrack(report.at) else {
                remarks.outsideTrack += 1
                continue
            }
            var compared = ComparedTransition(
                geofenceID: report.id.shortText, kind: report.kind, outcome: .false, at: report.at, reportedAt: report.at,
                reason: .orphanedIdentifier)
            compared.evidence.identifier = report.id.text
            compared.evidence.since = report.at
            transitions.append(compared)
        }
    }

    // MARK: - The report

    private mutating func report(device: Device) -> ComparisonReport {
        // At the same time: missed, then reported, then false, for a stable order.
        transitions.sort {
            ($0.at, $0.geofenceID, $0.kind.rawValue, $0.outcome.rawValue)
                < ($1.at, $1.geofenceID, $1.kind.rawValue, $1.outcome.rawValue)
        }
        let names = Dictionary(fences.entries.map { ($0.id, $0.name) }) { first, _ in first }
        let rows = Dictionary(grouping: transitions, by: \.geofenceID).sorted { $0.key < $1.key }.map {
            GeofenceComparison(geofenceID: $0.key, name: names[$0.key] ?? $0.key, tally: ComparisonTally($0.value))
        }
        evidence.addIdentifiers(to: &remarks)
        remarks.longestGap = transitions.filter { $0.outcome == .missed && $0.reason == .logGap }
            .compactMap { evidence.gap(at: $0.at) }.max { $0.upperBound - $0.lowerBound < $1.upperBound - $1.lowerBound }
        return ComparisonReport(
            platform: options.profile.platform, deviceID: device.id.isEmpty ? nil : device.id, span: phone.span,
            fixCount: phone.fixes.count, geofenceCount: fences.entries.count, maxDelay: options.maxDelay, geofences: rows,
            transitions: transitions, remarks: remarks)
    }
}
