import Geodesy
import Model
import Registry

/// Picket's own record of a device's registrations: what it registered, what it is about to register, and what the operating system
/// reported.
///
/// The journal is saved before a repair's first call and after its last one, so that the next repair finishes one that was killed. Where
/// the operating system's list cannot be read, the journal replaces it as far as `JournalConfidence` allows.
public struct RegistryJournal: Hashable, Sendable {
    /// A region that Picket registered.
    public struct Registration: Hashable, Sendable {
        /// The progress of the registration.
        public enum Phase: String, Sendable {
            /// The region is registered, as far as is known.
            case registered
            /// The `start` call is about to be made or was interrupted, so whether the region is registered is unknown.
            case starting
            /// The `stop` call is about to be made or was interrupted, so whether the region is still registered is unknown.
            case stopping
        }

        /// The region as it was registered.
        public var region: Region
        /// The geofence's name, kept for the time after the geofence is removed.
        public var name: String
        /// The progress of the registration.
        public var phase: Phase
        /// The last time at which the region was known to be registered like this.
        public var at: Instant
        /// When the `start` call returned. Reports from before that time say nothing about this registration.
        public var addedAt: Instant
        /// The region that was registered under the same identifier before; set only while the phase is `starting`.
        public var previous: Region?
        /// Whether the region's state was requested after the region was added.
        public var isStateKnown: Bool

        /// Creates an entry. Without `addedAt`, the region was added at `at`.
        public init(
            region: Region, name: String, phase: Phase = .registered, at: Instant, addedAt: Instant? = nil,
            previous: Region? = nil, isStateKnown: Bool = true
        ) {
            self.region = region
            self.name = name
            self.phase = phase
            self.at = at
            self.addedAt = addedAt ?? at
            self.previous = previous
            self.isStateKnown = isStateKnown
        }
    }

    /// Where the operating system said that the device is, relative to a region.
    public struct ReportedState: Hashable, Sendable {
        /// Where the device is, relative to the region.
        public var state: RegionState
        /// When the operating system reported it.
        public var at: Instant

        /// Creates a reported state.
        public init(state: RegionState, at: Instant) {
            self.state = state
            self.at = at
        }
    }

    /// A region that the operating system proposed instead of the requested one.
    public struct Alternative: Hashable, Sendable {
        /// The requested circle. If the geofence's circle changes, the alternative no longer applies.
        public var wanted: Circle
        /// The proposed region.
        public var region: Region

        /// Creates an alternative to a requested circle.
        public init(wanted: Circle, region: Region) {
            self.wanted = wanted
            self.region = region
        }
    }

    /// The number of Picket's regions that the operating system held when it refused another one.
    public struct Capacity: Hashable, Sendable {
        /// The number of Picket's regions.
        public var count: Int
        /// When the operating system refused another one.
        public var at: Instant

        /// Creates a learned limit.
        public init(count: Int, at: Instant) {
            self.count = count
            self.at = at
        }
    }

    /// The error with which the operating system refused a registration.
    public struct Refusal: Hashable, Sendable {
        /// The error of the call.
        public var error: RegistryError
        /// When the call failed.
        public var at: Instant

        /// Creates a refusal.
        public init(error: RegistryError, at: Instant) {
            self.error = error
            self.at = at
        }
    }

    /// The regions that Picket has registered or is about to register.
    public var entries: [RegionID: Registration] = [:]
    /// The latest state that the operating system reported for each region.
    public var reportedStates: [RegionID: ReportedState] = [:]
    /// The regions that the operating system proposed instead of requested ones.
    public var alternatives: [RegionID: Alternative] = [:]
    /// The limit that was learned from a refusal; nil if there was none, or if the list can be read.
    public var capacity: Capacity?
    /// The registrations that the operating system refused by an error of the call, until they succeed or a disruption makes the error
    /// obsolete. Errors that arrive after the call are in `RegistrySnapshot.failures` instead.
    public var refusals: [RegionID: Refusal] = [:]
    /// Whether the previous journal was lost, so that the operating system may hold regions that this journal does not know.
    public var isDistrusted = false

    /// Creates the journal of a device for which nothing was registered yet.
    public init() {}

    /// An empty journal in place of one that cannot be read. It is filled from the operating system's list, if that can be read; otherwise
    /// every region is registered again.
    public static var replacingDamaged: RegistryJournal {
        var journal = RegistryJournal()
        journal.isDistrusted = true
        return journal
    }

    /// Seconds for which an entry is reliable without any new report: one week.
    public static let trustPeriod = 7 * 86_400.0
    /// Seconds for which a learned limit applies: one day.
    public static let capacityLifetime = 86_400.0
    /// Seconds for which a learned limit of no regions applies: a quarter of an hour. Such a device watches nothing, so a repair tries more
    /// often whether there is room again.
    public static let emptyCapacityLifetime = 900.0

    /// Records an enter or exit that the operating system reported, even between repairs. The report proves that the region is
    /// watched. Where the list cannot be read, the report is the only way to learn that the device left the sentinel.
    public mutating func record(_ report: RegistryReport) {
        switch report.kind {
        case .entered, .exited:
            reportedStates[report.region] = ReportedState(state: report.kind == .entered ? .inside : .outside, at: report.at)
            if let entry = entries[report.region], entry.phase == .registered {
                entries[report.region]?.at = max(entry.at, report.at)
            }
        case .failed: break
        }
    }

    /// Whether a repair was begun and not finished.
    public var isOpen: Bool { entries.values.contains { $0.phase != .registered } }

    /// The registered regions whose state was neither requested nor reported since they were added.
    package var regionsOfUnknownState: Set<RegionID> {
        Set(entries.values.lazy.filter { $0.phase == .registered && !$0.isStateKnown }.map(\.region.id))
    }

    /// Records that reports show the states of regions whose state cannot be requested.
    package mutating func recordStates(from reports: [RegistryReport]) {
        for report in reports {
            switch report.kind {
            case .entered, .exited: entries[report.region]?.isStateKnown = true
            case .failed: break
            }
        }
    }

    /// The refusals that no disruption has made obsolete.
    func validRefusals(in snapshot: RegistrySnapshot) -> [RegionID: Refusal] {
        refusals.filter { _, refusal in !snapshot.disruptions.values.contains { $0 >= refusal.at } }
    }
}

// MARK: - Changes by a repair

extension RegistryJournal {
    /// Records the operations that are about to be made.
    mutating func recordIntent(_ operations: [RegistryOperation], at now: Instant) {
        for operation in operations {
            switch operation.kind {
            case .start(var region):
                region.initialTrigger = []
                let before = entries[region.id]
                entries[region.id] = Registration(
                    region: region, name: operation.name, phase: .starting, at: now, addedAt: before?.addedAt,
                    previous: before?.phase == .starting ? before?.previous : before?.region, isStateKnown: false)
                reportedStates[region.id] = nil
            case .stop(let id):
                if entries[id] != nil { entries[id]?.phase = .stopping }
            case .requestState: break
            }
        }
    }

    /// Records that a call returned normally.
    mutating func recordSuccess(_ operation: RegistryOperation, at now: Instant) {
        switch operation.kind {
        case .start(let region):
            entries[region.id]?.phase = .registered
            entries[region.id]?.previous = nil
            entries[region.id]?.at = now
            entries[region.id]?.addedAt = now
            refusals[region.id] = nil
        case .stop(let id):
            reportedStates[id] = nil
            refusals[id] = nil
            // If the region is about to be added again, there is no earlier entry to restore.
            if entries[id]?.phase == .starting {
                entries[id]?.previous = nil
            } else {
                entries[id] = nil
                alternatives[id] = nil
            }
        case .requestState: break
        }
    }

    /// Records that a call failed or was not made. A region whose registration failed is no longer Picket's; a region that was to be
    /// replaced is as before.
    mutating func recordAbandonment(_ operation: RegistryOperation) {
        switch operation.kind {
        case .start(let region): recordFailure(region.id)
        case .stop(let id): if entries[id]?.phase == .stopping { entries[id]?.phase = .registered }
        case .requestState: break
        }
    }

    /// Records that the operating system refused a registration. A registry that gave no answer, or does not know the call, refused nothing.
    mutating func recordRefusal(_ operation: RegistryOperation, _ error: RegistryError, at now: Instant) {
        guard case .start(let region) = operation.kind, error.code != .unavailable, error.code != .unsupported else { return }
        refusals[region.id] = Refusal(error: error, at: now)
    }

    /// Records that a registration failed, possibly after its call had returned.
    mutating func recordFailure(_ id: RegionID) {
        guard let entry = entries[id] else { return }
        if let previous = entry.previous {
            entries[id] = Registration(region: previous, name: entry.name, at: entry.at, addedAt: entry.addedAt)
        } else {
            entries[id] = nil
        }
    }

    /// Updates the entries from a list that was read. If the list cannot be read, only removes the entries that a disruption has surely
    /// dropped.
    mutating func align(with snapshot: RegistrySnapshot, _ profile: PlatformProfile) {
        if let capacity,
            snapshot.takenAt - capacity.at > (capacity.count == 0 ? Self.emptyCapacityLifetime : Self.capacityLifetime)
                || snapshot.disruptions.contains(where: { $0.value >= capacity.at })
        {
            self.capacity = nil
        }
        refusals = validRefusals(in: snapshot)
        guard let listed = snapshot.regions else {
            for (id, entry) in entries {
                if case .gone = JournalConfidence(of: entry, reported: reportedStates[id], snapshot, profile) { forget(id) }
            }
            return
        }
        isDistrusted = false
        var present: Set<RegionID> = []
        for region in listed where region.id.isOurs {
            present.insert(region.id)
            refusals[region.id] = nil
            if var entry = entries[region.id] {
                entry.phase = .registered
                entry.previous = nil
                entry.region = region
                entries[region.id] = entry
            } else {
                // The time of registration is unknown.
                entries[region.id] = Registration(
                    region: region, name: region.id.shortText, at: snapshot.takenAt, addedAt: .earliest)
            }
        }
        let interrupted = interruptedReplacements(in: snapshot, profile)
        for id in entries.keys where !present.contains(id) && !interrupted.contains(id) { forget(id) }
    }

    /// The regions that a repair removed to add them again, when it was killed in between. Only where a live region cannot be replaced.
    func interruptedReplacements(in snapshot: RegistrySnapshot, _ profile: PlatformProfile) -> Set<RegionID> {
        guard !profile.replacesLiveRegions, let listed = snapshot.regions else { return [] }
        let begun = entries.values.filter { $0.phase == .starting && $0.previous != nil }
        return begun.isEmpty ? [] : Set(begun.map(\.region.id)).subtracting(listed.map(\.id))
    }

    /// Forgets the interrupted replacements that are not in a plan.
    mutating func forgetInterruptedReplacements(
        in snapshot: RegistrySnapshot, besides plan: [RegistryOperation], _ profile: PlatformProfile
    ) {
        for id in interruptedReplacements(in: snapshot, profile).subtracting(plan.map(\.id)) { forget(id) }
    }

    /// Records the names of the geofences, for the time after they are removed.
    mutating func updateNames(from assessment: Assessment) {
        for (id, entry) in entries {
            guard let number = assessment.candidates.number(of: id) else { continue }
            let name = assessment.candidates.entries[number].name
            if entry.name != name { entries[id]?.name = name }
        }
    }

    /// Forgets the refusals of regions that are registered, or that the device no longer needs.
    mutating func forgetRefusals(obsoleteIn assessment: Assessment) {
        if refusals.isEmpty { return }
        let registered = Set(assessment.ownRegions.map(\.region.id))
        refusals = refusals.filter { id, _ in
            if registered.contains(id) { return false }
            if id == .sentinel { return assessment.selection.sentinel != nil }
            guard let number = assessment.candidates.number(of: id) else { return false }
            return assessment.candidates.entries[number].applies(to: assessment.context.device)
        }
    }

    private mutating func forget(_ id: RegionID) {
        entries[id] = nil
        reportedStates[id] = nil
    }
}
