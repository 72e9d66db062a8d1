import Geodesy
import Model
import Registry

/// What the fixes say of a region, held against what the system says.
struct FixEvidence {
    let profile: PlatformProfile
    private let fixes: [(place: EarthVector, accuracy: Double, time: Instant)]
    private let snapshot: RegistrySnapshot
    private let journal: RegistryJournal

    init(_ profile: PlatformProfile, _ fixes: [Fix], _ snapshot: RegistrySnapshot, _ journal: RegistryJournal) {
        self.profile = profile
        self.fixes = fixes.map { (EarthVector($0.coordinate), $0.reckonedAccuracy, $0.time) }
        self.snapshot = snapshot
        self.journal = journal
    }

    /// Where the system believes the device to be: what it says now, else what it told last.
    func state(of id: RegionID) -> RegionState {
        if let state = snapshot.states[id], state != .unknown { return state }
        return journal.told[id]?.state ?? .unknown
    }

    /// Seconds after which a system that watches a region has told of a change: its greatest patience, and a minute.
    private var reaction: Double { profile.patience.upperBound + 60 }

    /// Why the system cannot be watching a region: for longer than it ever takes to notice, every fix was deep inside or far outside
    /// of it, against what the system believes. Nil when nothing speaks against it.
    func zombie(_ region: Region) -> Finding.Cause? {
        let believed = state(of: region.id)
        guard believed != .unknown, !fixes.isEmpty else { return nil }
        let center = EarthVector(region.circle.center)
        let radius = profile.usedRadius(region.circle.radius)
        var since: Instant?
        for fix in fixes.reversed() {
            let chord = fix.place.chordSquared(to: center).squareRoot()
            // Deep: by 100 m, or by half the radius of a small region. Far: 100 m past where leaving is told.
            let isDeep = EarthVector.longestGeodesic(chord: chord) + fix.accuracy <= radius - min(100, radius / 2)
            let isFar = chord - fix.accuracy >= radius + profile.exitCushion + 100
            guard believed == .inside ? isFar : isDeep else { break }
            since = fix.time
        }
        // What it told since, and what it was asked to watch only since then, it could not have noticed before.
        let asked = [journal.entries[region.id]?.addedAt, journal.told[region.id]?.at].compactMap { $0 }
        guard let since, snapshot.takenAt - asked.reduce(since, max) >= reaction else { return nil }
        return .contradicted(by: believed == .inside ? .outside : .inside, though: believed)
    }
}
