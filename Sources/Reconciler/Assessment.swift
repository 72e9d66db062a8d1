import Geodesy
import Model
import Registry

/// A device's registrations, judged: what should be there, what is, and what is wrong with it. Health and repair both follow from
/// it, so they never disagree.
public struct Assessment: Sendable {
    /// What is to be said of a region of ours that is registered.
    enum Verdict: Hashable {
        case right
        /// To be registered anew under the same identifier.
        case wrong(Finding.Kind, Finding.Cause)
        /// To be removed.
        case unwanted(Finding.Kind, Finding.Cause)
    }

    struct Known: Sendable {
        var region: Region
        /// The fence's number in the catalogue, active or not.
        var number: Int?
        var verdict: Verdict
    }

    struct Missing: Sendable {
        /// Nil for the sentinel.
        var number: Int?
        var region: Region
        var cause: Finding.Cause
    }

    public let context: DeviceContext
    public let catalogue: FenceCatalogue
    public let snapshot: RegistrySnapshot
    public let journal: RegistryJournal
    public let choice: RegionSelection
    /// Ours, as far as is known, by identifier.
    private(set) var known: [Known] = []
    /// Those of the chosen that are not registered, by rank; the sentinel first.
    private(set) var missing: [Missing] = []
    /// Identifiers of regions that are not ours.
    public private(set) var foreign: [RegionID] = []
    /// Regions of ours that may hold a slot, though nobody can say so.
    private(set) var doubtful: [RegionID] = []
    /// How many active fences are for the device.
    public let savedCount: Int
    let fences: DeviceFences

    public var profile: PlatformProfile { catalogue.profile }

    /// Judges a snapshot that was taken just now. Where the list cannot be read, the journal stands in for it.
    ///
    /// - Parameter listing: how many of the fences that are left out are named.
    /// - Complexity: O(log n + k) for n fences and k registered regions and listed fences.
    public init(
        _ snapshot: RegistrySnapshot, _ context: DeviceContext, _ catalogue: FenceCatalogue, _ journal: RegistryJournal,
        listing: Int = 25
    ) {
        self.snapshot = snapshot
        self.context = context
        self.catalogue = catalogue
        self.journal = journal
        let profile = catalogue.profile
        fences = catalogue.audience(of: context.device)
        savedCount = fences.count

        // What is registered.
        var ours: [Region] = []
        var causes: [RegionID: Finding.Cause] = [:]
        var budget = profile.limit
        if let listed = snapshot.regions {
            for region in listed { if region.id.isOurs { ours.append(region) } else { foreign.append(region.id) } }
            for (id, entry) in journal.entries where entry.phase == .starting { causes[id] = .interrupted }
            budget -= foreign.count
        } else {
            for (id, entry) in journal.entries {
                let trust = JournalConfidence(of: entry, told: journal.told[id], snapshot, profile)
                switch (trust, entry.phase) {
                case (.gone(let disruption), _): causes[id] = .mayHaveBeenDropped(disruption)
                case (.doubtful(let disruption), _):
                    causes[id] = .mayHaveBeenDropped(disruption)
                    doubtful.append(id)
                case (.sure, .starting):
                    causes[id] = .interrupted
                    doubtful.append(id)
                case (.sure, .registered), (.sure, .stopping): ours.append(entry.region)
                }
            }
            if let room = journal.room { budget = min(budget, room.count) }
        }
        ours.sort { $0.id < $1.id }
        doubtful.sort()
        // What was about to be registered was chosen; that it is in doubt is no reason to choose otherwise.
        let begun = snapshot.regions == nil ? doubtful.filter { journal.entries[$0]?.phase == .starting } : []
        for failure in snapshot.failures { causes[failure.id] = .refused(failure.error) }

        // What should be.
        let evidence = FixEvidence(profile, context.fixes, snapshot, journal)
        var holding = Holding()
        func eligible(_ id: RegionID) -> Int? {
            guard let number = catalogue.number(of: id), catalogue.entries[number].watchability.isWatchable,
                catalogue.entries[number].applies(to: context.device)
            else { return nil }
            return number
        }
        if let region = ours.first(where: { $0.id == .sentinel }), region.notifyOnExit,
            evidence.state(of: region.id) != .outside, evidence.zombie(region) == nil
        {
            holding.sentinel = region
        }
        holding.fences = Set(ours.compactMap { eligible($0.id) } + begun.compactMap(eligible))
        let visits = Set(context.openVisits.compactMap { eligible(RegionID(geofence: $0)) })
        choice = RegionSelector(
            catalogue: catalogue, fences: fences, fix: context.fix, openVisits: visits, holding: holding, budget: budget,
            listing: listing
        ).choose()

        // What is wrong.
        var chosen = Set(choice.chosen.map(\.number))
        for region in ours {
            let number = catalogue.number(of: region.id)
            known.append(Known(region: region, number: number, verdict: judge(region, number, chosen, evidence)))
            if let number { chosen.remove(number) }
        }
        if let sentinel = choice.sentinel, !ours.contains(where: { $0.id == .sentinel }) {
            missing.append(Missing(number: nil, region: sentinel, cause: causes[.sentinel] ?? .notListed))
        }
        for pick in choice.chosen where chosen.contains(pick.number) {
            let region = wanted(pick.number)
            missing.append(Missing(number: pick.number, region: region, cause: causes[region.id] ?? .notListed))
        }
    }

    /// What should be registered for a fence: its own circle, or what the system named in its place.
    func wanted(_ number: Int) -> Region {
        let entry = catalogue.entries[number]
        if let alternative = journal.alternatives[entry.regionID], alternative.wanted == entry.circle {
            return alternative.region
        }
        return entry.region
    }

    /// The operations' region, with what the system should tell at once.
    func started(_ region: Region) -> Region {
        var region = region
        if profile.hasInitialTrigger, let id = region.id.geofence {
            region.initialTrigger = context.openVisits.contains(id) ? .exit : .enter
        }
        return region
    }

    private func judge(_ region: Region, _ number: Int?, _ chosen: Set<Int>, _ evidence: FixEvidence) -> Verdict {
        if region.id == .sentinel { return judgeSentinel(region, evidence) }
        guard let number else { return .unwanted(.orphaned, .fenceRemoved) }
        let entry = catalogue.entries[number]
        guard entry.isActive else { return .unwanted(.orphaned, .fenceInactive) }
        guard entry.applies(to: context.device) else { return .unwanted(.orphaned, .fenceForOthers) }
        guard chosen.contains(number) else {
            let distance = context.fix.map { entry.distance(from: EarthVector($0.coordinate)) }
            return .unwanted(.surplus, distance == nil ? .lowerPriority : .furtherThanChosen(metres: distance))
        }
        let wanted = wanted(number)
        if let cause = drift(from: wanted, of: region) { return .wrong(.drifted, cause) }
        if !region.notifyOnEntry { return .wrong(.deaf, .withoutEntry) }
        if !region.notifyOnExit { return .wrong(.deaf, .withoutExit) }
        if let cause = evidence.zombie(region) { return .wrong(.zombie, cause) }
        return .right
    }

    private func judgeSentinel(_ region: Region, _ evidence: FixEvidence) -> Verdict {
        guard choice.sentinel != nil else { return .unwanted(.surplus, .nothingLeftOut) }
        if choice.keepsSentinel { return .right }
        if !region.notifyOnExit { return .wrong(.deaf, .withoutExit) }
        if let cause = evidence.zombie(region) { return .wrong(.zombie, cause) }
        if let fix = context.fix {
            let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(region.circle.center)).squareRoot()
            if EarthVector.longestGeodesic(chord: chord) - fix.reckonedAccuracy > region.circle.radius
                || evidence.state(of: region.id) == .outside
            {
                return .wrong(.drifted, .sentinelLeft)
            }
        }
        return .wrong(.drifted, .sentinelTooFar)
    }

    /// How a region that is held differs from the one that is wanted, beyond what the profile tolerates.
    private func drift(from wanted: Region, of held: Region) -> Finding.Cause? {
        let (a, b) = (wanted.circle.center, held.circle.center)
        let turn = abs(a.longitude - b.longitude)
        if !(abs(a.latitude - b.latitude) <= profile.centerTolerance
            && min(turn, abs(360 - turn)) <= profile.centerTolerance)
        {
            let chord = EarthVector(a).chordSquared(to: EarthVector(b)).squareRoot()
            return .elsewhere(metres: EarthVector.longestGeodesic(chord: chord))
        }
        let (used, meant) = (profile.usedRadius(held.circle.radius), profile.usedRadius(wanted.circle.radius))
        return abs(used - meant) <= profile.radiusTolerance ? nil : .otherRadius(held: used, wanted: meant)
    }

    /// What keeps everything from working until a person acts; nil when nothing does.
    public var blocked: Finding.Cause? {
        if !snapshot.locationServicesEnabled { return .locationOff }
        return snapshot.authorization == .always ? nil : .authorization(snapshot.authorization)
    }
}
