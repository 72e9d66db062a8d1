import Geodesy
import Model
import Registry

/// Compares the regions that a device's operating system holds with the regions that should be registered. Health and repair are both
/// derived from the same assessment, so they never disagree.
public struct Assessment: Sendable {
    /// The result of comparing one registered Picket region with the selection.
    enum RegionComparison: Hashable {
        case right
        /// The region has to be registered again under the same identifier.
        case wrong(Finding.Kind, Finding.Cause)
        /// The region has to be removed.
        case unwanted(Finding.Kind, Finding.Cause)
    }

    /// A registered region that belongs to Picket.
    struct OwnRegion: Sendable {
        var region: Region
        /// The geofence's number among the candidates, whether the geofence is active or not; nil for the sentinel and for removed
        /// geofences.
        var number: Int?
        var verdict: RegionComparison
    }

    /// A selected region that is not registered.
    struct MissingRegion: Sendable {
        /// The geofence's number among the candidates; nil for the sentinel.
        var number: Int?
        var region: Region
        var cause: Finding.Cause
    }

    /// What was known about the device.
    public let context: DeviceContext
    /// The geofences that were compared.
    public let candidates: RegionCandidates
    /// What the registry contained.
    public let snapshot: RegistrySnapshot
    /// What was recorded about the registrations.
    public let journal: RegistryJournal
    /// The geofences that should be registered.
    public let selection: RegionSelection
    /// Picket's regions that are registered, sorted by identifier. If the list cannot be read, the regions that the journal vouches for.
    private(set) var ownRegions: [OwnRegion] = []
    /// Selected regions that are not registered: the sentinel first, then by rank.
    private(set) var missing: [MissingRegion] = []
    /// Identifiers of registered regions that do not belong to Picket.
    public private(set) var foreignRegionIDs: [RegionID] = []
    /// Picket's regions that may or may not still be registered. Each of them is counted as holding a slot.
    private(set) var uncertainRegionIDs: [RegionID] = []
    /// The number of active geofences that apply to the device.
    public let savedCount: Int
    let fences: DeviceFences

    /// How the device's operating system handles regions.
    public var profile: PlatformProfile { candidates.profile }

    /// Assesses a snapshot. If the snapshot has no list of regions, the journal is used instead.
    ///
    /// - Parameters:
    ///   - snapshot: What the registry contains now.
    ///   - context: What is known about the device now.
    ///   - candidates: The geofences, as the device's platform watches them.
    ///   - journal: The device's journal as it was saved last.
    ///   - listing: The maximum number of left-out geofences to list.
    /// - Complexity: O(log n + k) for n geofences and k registered regions and listed geofences.
    public init(
        of snapshot: RegistrySnapshot, in context: DeviceContext, candidates: RegionCandidates, journal: RegistryJournal,
        listing: Int = 25
    ) {
        self.init(of: snapshot, in: context, candidates: candidates, journal: journal, listing: listing, intendedSentinel: nil)
    }

    /// - Parameter intendedSentinel: The sentinel that the repair in progress has begun to register.
    init(
        of snapshot: RegistrySnapshot, in context: DeviceContext, candidates: RegionCandidates, journal: RegistryJournal,
        listing: Int = 25, intendedSentinel: Region?
    ) {
        self.snapshot = snapshot
        self.context = context
        self.candidates = candidates
        self.journal = journal
        let profile = candidates.profile
        fences = candidates.fences(for: context.device)
        savedCount = fences.count

        var ours: [Region] = []
        var causes: [RegionID: Finding.Cause] = [:]
        var budget = profile.limit
        if let listed = snapshot.regions {
            for region in listed { if region.id.isOurs { ours.append(region) } else { foreignRegionIDs.append(region.id) } }
            for (id, entry) in journal.entries where entry.phase == .starting { causes[id] = .interrupted }
            budget -= foreignRegionIDs.count
        } else {
            for (id, entry) in journal.entries {
                let trust = JournalConfidence(of: entry, reported: journal.reportedStates[id], snapshot, profile)
                switch (trust, entry.phase) {
                case (.gone(let disruption), _): causes[id] = .mayHaveBeenDropped(disruption)
                case (.doubtful(let disruption), _):
                    causes[id] = .mayHaveBeenDropped(disruption)
                    uncertainRegionIDs.append(id)
                case (.sure, .starting):
                    causes[id] = .interrupted
                    uncertainRegionIDs.append(id)
                case (.sure, .registered), (.sure, .stopping): ours.append(entry.region)
                }
            }
            if let room = journal.capacity { budget = min(budget, room.count) }
        }
        ours.sort { $0.id < $1.id }
        uncertainRegionIDs.sort()
        // A region whose registration was interrupted had been selected. It counts as held, so that the interruption does not change the
        // selection.
        let begun =
            snapshot.regions == nil
            ? uncertainRegionIDs.filter { journal.entries[$0]?.phase == .starting }
            : journal.interruptedReplacements(in: snapshot, profile).sorted()
        for (id, refusal) in journal.validRefusals(in: snapshot) { causes[id] = .refused(refusal.error) }
        for failure in snapshot.failures { causes[failure.id] = .refused(failure.error) }
        let unexplained: Finding.Cause =
            if journal.isDistrusted && snapshot.regions == nil {
                .recordLost
            } else if snapshot.regions != nil, profile.locationOffRemoves, snapshot.disruptions[.locationOff] != nil {
                .mayHaveBeenDropped(.locationOff)
            } else {
                .notListed
            }

        let evidence = FixEvidence(for: profile, fixes: context.fixes, snapshot: snapshot, journal: journal)
        var holding = HeldRegions()
        if evidence.state(of: .sentinel) != .outside { holding.intendedSentinel = intendedSentinel }
        func eligible(_ id: RegionID) -> Int? {
            guard let number = candidates.number(of: id), candidates.entries[number].watchability.isWatchable,
                candidates.entries[number].applies(to: context.device)
            else { return nil }
            return number
        }
        if let region = ours.first(where: { $0.id == .sentinel }), region.notifyOnExit, !snapshot.unmonitored.contains(region.id),
            evidence.state(of: region.id) != .outside, evidence.zombieCause(region) == nil
        {
            holding.sentinel = region
        }
        holding.fences = Set(ours.compactMap { eligible($0.id) } + begun.compactMap(eligible))
        let visits = Set(context.openVisits.compactMap { eligible(RegionID(geofence: $0)) })
        selection = RegionSelector(
            candidates: candidates, fences: fences, fixes: context.fixes, openVisits: visits, holding: holding, budget: budget,
            listing: listing
        ).select()

        var chosen = Set(selection.chosen.map(\.number))
        for region in ours {
            let number = candidates.number(of: region.id)
            ownRegions.append(OwnRegion(region: region, number: number, verdict: compare(region, number, chosen, evidence)))
            if let number { chosen.remove(number) }
        }
        if let sentinel = selection.sentinel, !ours.contains(where: { $0.id == .sentinel }) {
            missing.append(MissingRegion(number: nil, region: sentinel, cause: causes[.sentinel] ?? unexplained))
        }
        for pick in selection.chosen where chosen.contains(pick.number) {
            let region = wantedRegion(for: pick.number)
            missing.append(MissingRegion(number: pick.number, region: region, cause: causes[region.id] ?? unexplained))
        }
    }

    /// The region that should be registered for a geofence: its own circle, or the alternative that the operating system proposed for that
    /// circle.
    func wantedRegion(for number: Int) -> Region {
        let entry = candidates.entries[number]
        if let alternative = journal.alternatives[entry.regionID], alternative.wanted == entry.circle {
            return alternative.region
        }
        return entry.region
    }

    /// The region with the initial trigger that the `start` operation asks for: an exit if Picket has an open visit, otherwise an enter.
    func withInitialTrigger(_ region: Region) -> Region {
        var region = region
        if profile.hasInitialTrigger, let id = region.id.geofence {
            region.initialTrigger = context.openVisits.contains(id) ? .exit : .enter
        }
        return region
    }

    private func compare(_ region: Region, _ number: Int?, _ chosen: Set<Int>, _ evidence: FixEvidence) -> RegionComparison {
        if region.id == .sentinel { return compareSentinel(region, evidence) }
        guard let number else { return .unwanted(.orphaned, .fenceRemoved) }
        let entry = candidates.entries[number]
        guard entry.isActive else { return .unwanted(.orphaned, .fenceInactive) }
        guard entry.applies(to: context.device) else { return .unwanted(.orphaned, .fenceNotForDevice) }
        guard chosen.contains(number) else {
            let distance = context.fix.map { entry.distance(from: EarthVector($0.coordinate)) }
            return .unwanted(.surplus, distance == nil ? .lowerPriority : .fartherThanChosen(distance: distance))
        }
        let wanted = wantedRegion(for: number)
        if let cause = drift(from: wanted, of: region) { return .wrong(.drifted, cause) }
        if !region.notifyOnEntry { return .wrong(.deaf, .withoutEntry) }
        if !region.notifyOnExit { return .wrong(.deaf, .withoutExit) }
        if snapshot.unmonitored.contains(region.id) { return .wrong(.unmonitored, .overSystemLimit) }
        if let cause = evidence.zombieCause(region) { return .wrong(.zombie, cause) }
        return .right
    }

    private func compareSentinel(_ region: Region, _ evidence: FixEvidence) -> RegionComparison {
        guard selection.sentinel != nil else { return .unwanted(.surplus, .sentinelNotNeeded) }
        if selection.keepsSentinel { return .right }
        if !region.notifyOnExit { return .wrong(.deaf, .withoutExit) }
        if snapshot.unmonitored.contains(region.id) { return .wrong(.unmonitored, .overSystemLimit) }
        if let cause = evidence.zombieCause(region) { return .wrong(.zombie, cause) }
        if let fix = context.fix {
            let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(region.circle.center)).squareRoot()
            if EarthVector.longestGeodesic(chord: chord) - fix.accuracyOrZero > region.circle.radius
                || evidence.state(of: region.id) == .outside
            {
                return .wrong(.drifted, .sentinelLeft)
            }
        }
        return .wrong(.drifted, .sentinelGuardsTooLittle)
    }

    /// How a registered region differs from the wanted one beyond the profile's tolerances; nil if it does not.
    private func drift(from wanted: Region, of held: Region) -> Finding.Cause? {
        let (a, b) = (wanted.circle.center, held.circle.center)
        let turn = abs(a.longitude - b.longitude)
        if !(abs(a.latitude - b.latitude) <= profile.centerTolerance
            && min(turn, abs(360 - turn)) <= profile.centerTolerance)
        {
            let chord = EarthVector(a).chordSquared(to: EarthVector(b)).squareRoot()
            return .otherCenter(distance: EarthVector.longestGeodesic(chord: chord))
        }
        let (used, meant) = (profile.usedRadius(held.circle.radius), profile.usedRadius(wanted.circle.radius))
        return abs(used - meant) <= profile.radiusTolerance ? nil : .otherRadius(registered: used, needed: meant)
    }

    /// Whether there are geofences to register, but none of them has a slot.
    public var lacksRoom: Bool { selection.basis == .noRoom && fences.watchableCount > 0 }

    /// Why nothing can work until the person acts: location services are off, or the authorization is not `always`. Nil if neither is the
    /// case.
    public var blockingCause: Finding.Cause? {
        if !snapshot.locationServicesEnabled { return .locationOff }
        return snapshot.authorization == .always ? nil : .authorization(snapshot.authorization)
    }
}
