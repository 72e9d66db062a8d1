import Geodesy
import Model
import Registry

/// Whether a device's operating system watches the regions that it should, and if not, what is wrong and what the person can do.
public struct GeofenceHealthStatus: Sendable {
    /// The device.
    public let device: Device
    /// The platform's name as its vendor writes it; nil if Picket does not manage the device's registrations.
    public let system: String?
    /// Picket's registered regions, sorted by identifier. If the list cannot be read, the regions that the journal vouches for.
    public internal(set) var registeredWithOS: [RegionID] = []
    /// The number of active geofences that apply to the device.
    public internal(set) var savedCount = 0
    /// The short identifiers of regions that are selected but not registered.
    public internal(set) var missingFromOS: [String] = []
    /// The short identifiers of regions that Picket registered and that no longer belong to an active geofence of the device.
    public internal(set) var orphanedInOS: [String] = []
    /// Nil if the registry gave no answer.
    public internal(set) var authorizationStatus: Authorization?
    /// Nil if the registry gave no answer.
    public internal(set) var locationServicesEnabled: Bool?
    /// The most severe finding first.
    public internal(set) var findings: [Finding] = []
    /// The number of geofences that are not registered because of the platform's limit. The nearest of them have findings.
    public internal(set) var overBudgetCount = 0
    /// The number of unregistered geofences whose reports no selection can guarantee.
    public internal(set) var atRiskCount = 0
    /// Whether the regions were selected without a fix.
    public internal(set) var lacksFix = false
    /// When the device's app last reported its regions; nil for other registries, and before the first report.
    public internal(set) var reportedAt: Instant?
    /// When that report will be too old to describe the device's current state; nil if it never will be.
    public internal(set) var staleAt: Instant?
    /// Whether the app's last report is too old to describe the device's current state.
    public internal(set) var isStale = false
    /// For each geofence, how many of its enters and exits the app has reported; empty if the registry has no such reports.
    public var reported: [ReportedTransitions] = []
    /// Nil if the registry gave no answer.
    public internal(set) var isHealthy: Bool?
    /// The most important statement that applies.
    public internal(set) var summary: HealthSummary
    let profile: PlatformProfile?
    let fences: DeviceFences?

    /// Whether Picket manages the device's registrations. Devices that it does not manage are excluded from all totals.
    public var isManaged: Bool { profile != nil }

    /// The ids of the active geofences that apply to the device, ascending.
    ///
    /// - Complexity: O(n) for n geofences.
    public var savedInApp: [String] { fences.map { fences in fences.numbers.map { fences.entries[$0].id } } ?? [] }

    /// The summary in English.
    public var statusSummary: String { summary.sentence() }

    /// The findings that make the device unhealthy.
    public var unhealthyFindings: [Finding] { findings.filter { $0.kind.severity == .unhealthy } }

    /// The problem to show to the person; nil if the device is healthy or not managed.
    public var problem: Problem? {
        guard isManaged, isHealthy != true else { return nil }
        if isStale, let reportedAt { return .registryStale(reportedAt: reportedAt) }
        guard isHealthy != nil else {
            return .registryUnavailable(
                details: device.registry == .owntracks
                    ? Phrase("the OwnTracks app has not answered; its settings have to allow remote commands") : .systemSilent)
        }
        if locationServicesEnabled == false { return .locationServicesDisabled }
        if let status = authorizationStatus, status != .always { return .authorizationRequired(status: status.rawValue) }
        if !missingFromOS.isEmpty || !orphanedInOS.isEmpty {
            return .registrationIncomplete(missing: missingFromOS.count, orphaned: orphanedInOS.count)
        }
        if case .noRoom = summary, let profile { return .regionLimitReached(limit: profile.limit) }
        // A repair can fix listed regions that are not watched as they should be. Only the person can fix everything else.
        let isRepairable = unhealthyFindings.contains { $0.recoveryAction == .fixRegistration }
        return isRepairable
            ? .regionMonitoringFailed(details: summary.phrase) : .regionMonitoringDenied(details: summary.phrase)
    }

    // MARK: - Making

    /// The health of a device whose registry is `none`.
    public static func notManaged(_ device: Device) -> GeofenceHealthStatus {
        GeofenceHealthStatus(device: device, system: nil, summary: .notManaged, profile: nil, fences: nil)
    }

    /// The health of a device whose registry gave no answer.
    public static func unknown(_ context: DeviceContext, _ candidates: RegionCandidates) -> GeofenceHealthStatus {
        let fences = candidates.fences(for: context.device)
        var status = GeofenceHealthStatus(
            device: context.device, system: candidates.profile.name, summary: .unknown(lastReported: nil),
            profile: candidates.profile,
            fences: fences)
        status.savedCount = fences.count
        return status
    }

    /// The health of a device whose app has not reported for too long.
    ///
    /// - Parameters:
    ///   - context: What is known about the device now.
    ///   - candidates: The geofences, as the device's platform watches them.
    ///   - reportedAt: The time of the app's last report.
    ///   - staleAt: When that report became too old; nil if it is not known.
    public static func stale(
        _ context: DeviceContext, _ candidates: RegionCandidates, reportedAt: Instant, staleAt: Instant? = nil
    ) -> GeofenceHealthStatus {
        var status = unknown(context, candidates)
        status.reportedAt = reportedAt
        status.staleAt = staleAt
        status.isStale = true
        status.summary = .unknown(lastReported: reportedAt)
        return status
    }

    /// A copy that states when the app reported its regions.
    ///
    /// - Parameters:
    ///   - moment: When the app made the report.
    ///   - staleAt: When the report will be too old; nil if it never will be.
    public func reported(at moment: Instant, staleAt: Instant? = nil) -> GeofenceHealthStatus {
        var status = self
        status.reportedAt = moment
        status.staleAt = staleAt
        return status
    }

    private init(device: Device, system: String?, summary: HealthSummary, profile: PlatformProfile?, fences: DeviceFences?) {
        self.device = device
        self.system = system
        self.summary = summary
        self.profile = profile
        self.fences = fences
    }

    /// The health that follows from an assessment.
    ///
    /// - Complexity: O(k) for k registered regions and listed fences.
    public init(_ assessment: Assessment) {
        let profile = assessment.profile
        self.init(
            device: assessment.context.device, system: profile.name, summary: .healthy, profile: profile,
            fences: assessment.fences)
        registeredWithOS = assessment.ownRegions.map(\.region.id)
        savedCount = assessment.savedCount
        missingFromOS = assessment.missing.filter { $0.number != nil }.map(\.region.id.shortText).sorted()
        authorizationStatus = assessment.snapshot.authorization
        locationServicesEnabled = assessment.snapshot.locationServicesEnabled
        overBudgetCount = assessment.selection.leftOutCount
        atRiskCount = assessment.selection.atRiskCount
        lacksFix = assessment.context.fix == nil
        findings = assessment.findings
        orphanedInOS = findings.filter { $0.kind == .orphaned }.compactMap(\.geofenceID)
        isHealthy = !findings.contains { $0.kind.severity == .unhealthy }
        summary = evaluateSummary(system: profile.name)
    }

    private func evaluateSummary(system: String) -> HealthSummary {
        if locationServicesEnabled == false { return .locationServicesDisabled }
        if authorizationStatus != .always { return .needsAlwaysAuthorization }
        if !missingFromOS.isEmpty { return .notRegistered(count: missingFromOS.count, system: system) }
        if !orphanedInOS.isEmpty { return .orphaned(count: orphanedInOS.count, system: system) }
        // The only region that can still be missing here is the sentinel, which is not a geofence.
        let wrong = findings.count { [.drifted, .deaf, .zombie, .unmonitored, .missing].contains($0.kind) }
        if wrong > 0 { return .misregistered(count: wrong, system: system) }
        if findings.contains(where: { $0.kind == .degraded && $0.cause == .noSlots }) { return .noRoom(system: system) }
        if let degraded = findings.lazy.compactMap(\.cause.degradation).first { return degraded }
        return savedCount == 0 ? .noActiveGeofences : .healthy
    }
}

extension Finding.Cause {
    /// The summary of a device that this cause degrades; nil for a cause that is about one region.
    fileprivate var degradation: HealthSummary? {
        switch self {
        case .imprecise: .preciseLocationOff
        case .noBackgroundRefresh: .backgroundRefreshOff
        case .batteryOptimized: .batteryOptimized
        default: nil
        }
    }
}

extension Assessment {
    /// All findings: those about the whole device first, then the unhealthy ones, then the others.
    public var findings: [Finding] {
        let blocked = blockingCause
        // Nothing can be repaired before the person acts, so the other findings recommend that action as well.
        let blockedAction = blocked.map(Self.action)
        let repair = blockedAction ?? .fixRegistration
        var device: [Finding] = []
        var unhealthy: [Finding] = []
        var others: [Finding] = []

        if let blocked {
            device.append(Finding(.blocked, geofenceID: nil, name: nil, cause: blocked, action: Self.action(blocked)))
        }
        if lacksRoom {
            device.append(Finding(.degraded, geofenceID: nil, name: nil, cause: .noSlots, action: repair))
        }
        if !snapshot.preciseLocation {
            device.append(Finding(.degraded, geofenceID: nil, name: nil, cause: .imprecise, action: .openSettings))
        }
        if snapshot.backgroundRefresh == false {
            device.append(Finding(.degraded, geofenceID: nil, name: nil, cause: .noBackgroundRefresh, action: .openSettings))
        }
        if snapshot.batteryOptimized == true {
            device.append(Finding(.degraded, geofenceID: nil, name: nil, cause: .batteryOptimized, action: .openSettings))
        }

        for missing in missing {
            let name = missing.number.map { candidates.entries[$0].name } ?? Finding.sentinelName
            var action = repair
            if blockedAction == nil, case .refused(let error) = missing.cause {
                let advised = error.problem(profile).recoveryAction
                if advised == .openSettings || advised == .grantAlways { action = advised }
            }
            unhealthy.append(
                Finding(.missing, geofenceID: missing.region.id.shortText, name: name, cause: missing.cause, action: action))
        }
        for known in ownRegions {
            let id = known.region.id
            let name = name(of: known)
            switch known.verdict {
            case .right: break
            case .wrong(let kind, let cause):
                unhealthy.append(Finding(kind, geofenceID: id.shortText, name: name, cause: cause, action: repair))
            // Removing an orphan requires no permission.
            case .unwanted(.orphaned, let cause):
                unhealthy.append(Finding(.orphaned, geofenceID: id.shortText, name: name, cause: cause, action: .fixRegistration))
            case .unwanted(let kind, let cause):
                others.append(Finding(kind, geofenceID: id.shortText, name: name, cause: cause, action: repair))
            }
        }
        unhealthy.sort { ($0.kind.order, $0.geofenceID ?? "") < ($1.kind.order, $1.geofenceID ?? "") }

        for left in selection.leftOut where left.isAtRisk {
            let entry = candidates.entries[left.number]
            let cause: Finding.Cause =
                switch selection.basis {
                case .noRoom: .noSlots
                case .coarseFix(let accuracy): .coarseFix(accuracy: accuracy)
                default: .tooManyNearby
                }
            others.append(Finding(.atRisk, geofenceID: entry.id, name: entry.name, cause: cause, action: .editInput))
        }
        for number in poorlyWatchedNumbers {
            let entry = candidates.entries[number]
            let cause: Finding.Cause =
                switch entry.watchability {
                case .small: .belowReliableRadius(radius: entry.circle.radius)
                case .tooLarge: .tooLarge(radius: entry.circle.radius)
                case .malformed: .malformed
                case .enclosed, .well: .watchedByEnclosingCircle
                }
            others.append(
                Finding(
                    .unsupported, geofenceID: entry.id, name: entry.name, cause: cause,
                    action: entry.watchability == .enclosed ? .dismiss : .editInput))
        }
        let refusals = journal.validRefusals(in: snapshot)
        for left in selection.leftOut where candidates.entries[left.number].watchability.isWatchable {
            let entry = candidates.entries[left.number]
            var cause: Finding.Cause = left.distance == nil ? .lowerPriority : .fartherThanChosen(distance: left.distance)
            if let refusal = refusals[entry.regionID] { cause = .refused(refusal.error) }
            others.append(
                Finding(
                    .overBudget, geofenceID: entry.id, name: entry.name, cause: selection.basis == .noRoom ? .noSlots : cause,
                    action: .dismiss))
        }
        for id in foreignRegionIDs {
            others.append(Finding(.foreign, geofenceID: id.text, name: id.description, cause: .otherSDK, action: .dismiss))
        }
        return device + unhealthy + others
    }

    /// The numbers of geofences that the operating system cannot watch well, among those that are selected or listed.
    private var poorlyWatchedNumbers: [Int] {
        var numbers = selection.chosen.map(\.number).filter { candidates.entries[$0].watchability != .well }
        numbers += selection.leftOut.map(\.number).filter { candidates.entries[$0].watchability.isWatchable }
            .filter { candidates.entries[$0].watchability != .well }
        numbers += fences.unwatchable
        return Set(numbers).sorted()
    }

    private static func action(_ blocked: Finding.Cause) -> Problem.RecoveryAction {
        if case .authorization(let status) = blocked, status != .restricted { .grantAlways } else { .openSettings }
    }
}

extension Finding.Kind {
    /// The position of this kind in a sorted list of findings.
    fileprivate var order: Int { Self.allCases.firstIndex(of: self) ?? 0 }
}
