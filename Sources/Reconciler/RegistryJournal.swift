import Geodesy
import Model
import Registry

/// What Picket itself knows of a device's registrations: what it registered, what it is about to, and what the system told.
///
/// It is written before the first call of a repair and after its last, so that a repair that was killed is finished by the next
/// one. Where a system's list cannot be read it stands in for the list, as far as it can be trusted.
public struct RegistryJournal: Hashable, Sendable {
    /// A registration of ours.
    public struct Entry: Hashable, Sendable {
        public enum Phase: String, Sendable {
            case registered
            /// About to be registered: whether the system took it is not known.
            case starting
            /// About to be removed: whether it is gone is not known.
            case stopping
        }

        public var region: Region
        /// The geofence's name, for when the fence is gone.
        public var name: String
        public var phase: Phase
        /// When it was last known to be as it is here.
        public var at: Instant
        /// When the call that registered it returned; a system that said otherwise before that had not been asked.
        public var addedAt: Instant
        /// What was registered under the same identifier before, while `starting`.
        public var previous: Region?
        /// Whether the system's state of it was asked for since it was added.
        public var isStateKnown: Bool

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

    /// Where the system said that the device is.
    public struct ReportedState: Hashable, Sendable {
        public var state: RegionState
        public var at: Instant

        public init(state: RegionState, at: Instant) {
            self.state = state
            self.at = at
        }
    }

    /// A region that the system named to be watched in another's place.
    public struct Alternative: Hashable, Sendable {
        /// The place and size asked for; with other ones the alternative is void.
        public var wanted: Circle
        public var region: Region

        public init(wanted: Circle, region: Region) {
            self.wanted = wanted
            self.region = region
        }
    }

    /// How many regions of ours a system took before it refused one more.
    public struct Capacity: Hashable, Sendable {
        public var count: Int
        public var at: Instant

        public init(count: Int, at: Instant) {
            self.count = count
            self.at = at
        }
    }

    public var entries: [RegionID: Entry] = [:]
    public var told: [RegionID: ReportedState] = [:]
    public var alternatives: [RegionID: Alternative] = [:]
    public var room: Capacity?

    public init() {}

    /// Seconds for which an entry is trusted without a sign.
    public static let trust = 7 * 86_400.0
    /// Seconds for which a learned limit counts.
    public static let roomLasts = 86_400.0

    /// Takes in what the system told by itself. For each report, also between repairs: an enter or exit is proof that the region
    /// is watched, and the sentinel's exit is not known otherwise where the list cannot be read.
    public mutating func note(_ report: RegistryReport) {
        switch report.kind {
        case .entered, .exited:
            told[report.region] = ReportedState(state: report.kind == .entered ? .inside : .outside, at: report.at)
            if let entry = entries[report.region], entry.phase == .registered {
                entries[report.region]?.at = max(entry.at, report.at)
            }
        case .failed: break
        }
    }

    /// Whether a repair was begun and not finished.
    public var isOpen: Bool { entries.values.contains { $0.phase != .registered } }
}

/// Where the journal of one device is kept. Nothing else writes it while a repair of the device runs.
public protocol RepairJournal: Sendable {
    func load() async throws -> RegistryJournal
    /// Returns when it is on disk.
    func save(_ journal: RegistryJournal) async throws
}

// MARK: - What a repair does to it

extension RegistryJournal {
    /// Writes down what is about to be done.
    mutating func intend(_ operations: [RegistryOperation], at now: Instant) {
        for operation in operations {
            switch operation.kind {
            case .start(var region):
                region.initialTrigger = []
                let before = entries[region.id]
                entries[region.id] = Entry(
                    region: region, name: operation.name, phase: .starting, at: now, addedAt: before?.addedAt,
                    previous: before?.phase == .starting ? before?.previous : before?.region, isStateKnown: false)
                told[region.id] = nil
            case .stop(let id):
                if entries[id] != nil { entries[id]?.phase = .stopping }
            case .requestState: break
            }
        }
    }

    /// The call returned normally.
    mutating func finished(_ operation: RegistryOperation, at now: Instant) {
        switch operation.kind {
        case .start(let region):
            entries[region.id]?.phase = .registered
            entries[region.id]?.previous = nil
            entries[region.id]?.at = now
            entries[region.id]?.addedAt = now
        case .stop(let id):
            entries[id] = nil
            told[id] = nil
            alternatives[id] = nil
        case .requestState: break
        }
    }

    /// The call failed, or was not made after all: a registration that failed leaves the owned set, one that was to be replaced is
    /// still what it was.
    mutating func abandoned(_ operation: RegistryOperation) {
        switch operation.kind {
        case .start(let region): failed(region.id)
        case .stop(let id): if entries[id]?.phase == .stopping { entries[id]?.phase = .registered }
        case .requestState: break
        }
    }

    mutating func failed(_ id: RegionID) {
        guard let entry = entries[id] else { return }
        if let previous = entry.previous {
            entries[id] = Entry(region: previous, name: entry.name, at: entry.at, addedAt: entry.addedAt)
        } else {
            entries[id] = nil
        }
    }

    /// Brings the entries in line with a list that was read, or drops those that the system has surely dropped.
    mutating func align(with snapshot: RegistrySnapshot, _ profile: PlatformProfile) {
        if let room, snapshot.takenAt - room.at > Self.roomLasts || snapshot.disruptions.contains(where: { $0.value > room.at }) {
            self.room = nil
        }
        guard let listed = snapshot.regions else {
            for (id, entry) in entries {
                if case .gone = JournalConfidence(of: entry, told: told[id], snapshot, profile) { forget(id) }
            }
            return
        }
        var present: Set<RegionID> = []
        for region in listed where region.id.isOurs {
            present.insert(region.id)
            if var entry = entries[region.id] {
                entry.phase = .registered
                entry.previous = nil
                entry.region = region
                entries[region.id] = entry
            } else {
                // Nobody knows since when.
                entries[region.id] = Entry(
                    region: region, name: region.id.shortText, at: snapshot.takenAt, addedAt: .earliest)
            }
        }
        for id in entries.keys where !present.contains(id) { forget(id) }
    }

    /// Writes down what the fences are called, for when they are gone.
    mutating func name(by assessment: Assessment) {
        for (id, entry) in entries {
            guard let number = assessment.catalogue.number(of: id) else { continue }
            let name = assessment.catalogue.entries[number].name
            if entry.name != name { entries[id]?.name = name }
        }
    }

    private mutating func forget(_ id: RegionID) {
        entries[id] = nil
        told[id] = nil
    }
}
