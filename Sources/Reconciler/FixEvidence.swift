import Geodesy
import Model
import Registry

/// Compares the recent fixes with the states that the operating system reports for its regions.
struct FixEvidence {
    let profile: PlatformProfile
    private let fixes: [(place: EarthVector, accuracy: Double, time: Instant)]
    private let snapshot: RegistrySnapshot
    private let journal: RegistryJournal

    init(for profile: PlatformProfile, fixes: [Fix], snapshot: RegistrySnapshot, journal: RegistryJournal) {
        self.profile = profile
        self.fixes = fixes.map { (EarthVector($0.coordinate), $0.accuracyOrZero, $0.time) }
        self.snapshot = snapshot
        self.journal = journal
    }

    /// Where the operating system believes the device to be relative to a region: the state in the snapshot, otherwise the last one it
    /// reported.
    func state(of id: RegionID) -> RegionState {
        if let state = snapshot.states[id], state != .unknown { return state }
        return journal.reportedStates[id]?.state ?? .unknown
    }

    /// Seconds within which an operating system that watches a region has reported a change: its longest delay plus a minute.
    private var longestReportDelay: Double { profile.reportDelay.upperBound + 60 }

    /// Evidence that the operating system does not watch a region: for longer than it ever takes to report a change, every fix was deep
    /// inside or far outside the region, contrary to the state that the operating system believes. Nil if there is no such evidence.
    func zombieCause(_ region: Region) -> Finding.Cause? {
        let believed = state(of: region.id)
        guard believed != .unknown, !fixes.isEmpty else { return nil }
        let center = EarthVector(region.circle.center)
        let radius = profile.usedRadius(region.circle.radius)
        var since: Instant?
        for fix in fixes.reversed() {
            let chord = fix.place.chordSquared(to: center).squareRoot()
            // Deep inside: by 100 m, or by half the radius of a small region. Far outside: 100 m beyond the distance at which the exit is
            // reported.
            let isDeep = EarthVector.longestGeodesic(chord: chord) + fix.accuracy <= radius - min(100, radius / 2)
            let isFar = chord - fix.accuracy >= radius + profile.exitBuffer + 100
            guard believed == .inside ? isFar : isDeep else { break }
            since = fix.time
        }
        // The time counts only from the last report and from the registration on: before those, the operating system had no reason to
        // report.
        let asked = [journal.entries[region.id]?.addedAt, journal.reportedStates[region.id]?.at].compactMap { $0 }
        guard let since, snapshot.takenAt - asked.reduce(since, max) >= longestReportDelay else { return nil }
        return .stateContradicted(byFixes: believed == .inside ? .outside : .inside, reported: believed)
    }
}
