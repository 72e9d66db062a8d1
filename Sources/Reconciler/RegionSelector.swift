import Geodesy
import Model
import Registry

/// Decides which of a device's fences should be registered now.
///
/// No report may be lost: the device must not reach the boundary of a fence that is left out without leaving a registered region
/// first. With room for all, all are chosen. Otherwise a sentinel takes one of the slots: a circle around the device that ends,
/// with the system's cushion, short of every boundary left out. The proof is the triangle inequality of chords: what is inside a fence
/// lies at least as far from the sentinel's centre as the fence's boundary does. The system tells both after the same patience, so
/// the sentinel's exit is never told later than the enter it stands for.
struct RegionSelector {
    private typealias Found = BoundaryTree.Found

    let catalogue: FenceCatalogue
    let fences: DeviceFences
    let fix: Fix?
    /// Numbers of the fences with an open visit.
    let openVisits: Set<Int>
    let holding: Holding
    let budget: Int
    /// How many of those left out are listed.
    let listing: Int

    private var profile: PlatformProfile { catalogue.profile }

    func choose() -> RegionSelection {
        guard budget > 0 else { return nothing() }
        let total = fences.watchableCount
        let guarded = fences.hasTooLarge && (fix != nil || holding.sentinel != nil)
        if total + (guarded ? 1 : 0) <= budget {
            var choice = RegionSelection(budget: budget, basis: .everythingFits)
            choice.chosen = everything(total)
            return guarded ? place(choice) : choice
        }
        guard let fix else { return byPriority(total) }
        return place(byDistance(from: EarthVector(fix.coordinate), accuracy: fix.reckonedAccuracy, slots: budget - 1, of: total))
    }

    // MARK: - Who

    private func nothing() -> RegionSelection {
        var choice = RegionSelection(budget: budget, basis: .noRoom)
        choice.leftOutCount = fences.watchableCount
        choice.atRiskCount = choice.leftOutCount
        choice.leftOut = fences.ranked(listing).map {
            RegionSelection.LeftOut(number: $0, distance: distance($0), isAtRisk: true)
        }
        return choice
    }

    /// All of them, by rank.
    private func everything(_ count: Int) -> [RegionSelection.Pick] {
        let all = fences.ranked(count)
        guard let fix else { return all.map { RegionSelection.Pick(number: $0, reason: .everythingFits) } }
        let place = EarthVector(fix.coordinate)
        let ranked = all.map { Found(number: $0, distance: catalogue.entries[$0].distance(from: place)) }
        return ranked.sorted { a, b in
            let (first, second) = (openVisits.contains(a.number), openVisits.contains(b.number))
            return first != second ? first : Found.isNearer(a, b)
        }.map { RegionSelection.Pick(number: $0.number, reason: .everythingFits) }
    }

    /// Without a fix: by priority, then by id. A sentinel that is there keeps its slot.
    private func byPriority(_ total: Int) -> RegionSelection {
        var choice = RegionSelection(budget: budget, basis: .noFix)
        choice.sentinel = holding.sentinel
        choice.keepsSentinel = holding.sentinel != nil
        let slots = budget - (holding.sentinel == nil ? 0 : 1)
        let ranked = fences.ranked(slots + listing)
        choice.chosen = ranked.prefix(slots).map { RegionSelection.Pick(number: $0, reason: .priority) }
        choice.leftOutCount = total - choice.chosen.count
        choice.leftOut = ranked.dropFirst(slots).map { RegionSelection.LeftOut(number: $0, distance: nil, isAtRisk: false) }
        return choice
    }

    /// A fence that may be among the chosen.
    private struct Candidate {
        var found: Found
        /// Metres that count: a fence that is held is closer by the margin.
        var effective: Double
        var isPinned: Bool
        /// So close that no sentinel fits in between.
        var isUrgent: Bool

        static func isNearer(_ a: Candidate, _ b: Candidate) -> Bool {
            a.effective != b.effective ? a.effective < b.effective : a.found.number < b.found.number
        }
    }

    /// With a fix: pinned ones, then by the distance to their boundary, then by id; who is there stays unless it is beaten by the
    /// margin; and where so many crowd around that no sentinel fits between them, by priority.
    private func byDistance(from place: EarthVector, accuracy: Double, slots: Int, of total: Int) -> RegionSelection {
        // A coarse fix says neither what the device is in nor what is close upon it.
        let isCoarse = 2 * accuracy > RegionSelection.margin
        let margin = max(RegionSelection.margin, 2 * accuracy)
        let need = RegionSelection.smallestSentinel + profile.exitCushion + accuracy + RegionSelection.slack
        var pinned = openVisits
        if !isCoarse { for found in fences.holding(place) { pinned.insert(found.number) } }
        func candidate(_ found: Found) -> Candidate {
            Candidate(
                found: found, effective: found.distance - (holding.fences.contains(found.number) ? margin : 0),
                isPinned: pinned.contains(found.number), isUrgent: !isCoarse && found.distance < need)
        }

        // Whoever can be among the chosen is held, pinned, or among the nearest.
        var candidates = fences.nearest(slots + listing + 1, to: place).map(candidate)
        var known = Set(candidates.map(\.found.number))
        for number in holding.fences.union(pinned) where known.insert(number).inserted {
            candidates.append(candidate(Found(number: number, distance: catalogue.entries[number].distance(from: place))))
        }
        candidates.sort(by: Candidate.isNearer)
        let urgent = candidates.filter(\.isUrgent)
        let isCrowded = urgent.count > slots
        var chosen: [Candidate]
        if isCrowded {
            let crowd = fences.within(need, of: place).filter { catalogue.entries[$0.number].watchability.isWatchable }
            chosen = Array(crowd.map(candidate).filter(\.isUrgent).sorted(by: isPreferred).prefix(slots))
        } else {
            let inside = candidates.filter { $0.isPinned && !$0.isUrgent }
            let rest = candidates.lazy.filter { !$0.isPinned && !$0.isUrgent }
            chosen = urgent + inside.prefix(slots - urgent.count)
            chosen += rest.prefix(slots - chosen.count)
        }
        chosen.sort { a, b in a.isPinned != b.isPinned ? a.isPinned : Found.isNearer(a.found, b.found) }

        var choice = RegionSelection(budget: budget, basis: isCoarse ? .coarseFix(accuracy) : .fix)
        choice.chosen = chosen.map { RegionSelection.Pick(number: $0.found.number, reason: reason($0, isCrowded)) }
        choice.leftOutCount = total - chosen.count
        let taken = Set(chosen.map(\.found.number))
        let left = candidates.lazy.filter { !taken.contains($0.found.number) }.map(\.found).sorted(by: Found.isNearer)
        choice.nearestLeftOut = left.first?.distance ?? .infinity
        choice.leftOut = left.prefix(listing).map {
            RegionSelection.LeftOut(number: $0.number, distance: $0.distance, isAtRisk: false)
        }
        return choice
    }

    /// In a crowd: the higher priority, then what the device is in, then as always.
    private func isPreferred(_ a: Candidate, _ b: Candidate) -> Bool {
        let (high, low) = (catalogue.entries[a.found.number].priority, catalogue.entries[b.found.number].priority)
        if high != low { return high > low }
        return a.isPinned != b.isPinned ? a.isPinned : Candidate.isNearer(a, b)
    }

    private func reason(_ candidate: Candidate, _ isCrowded: Bool) -> RegionSelection.Reason {
        let distance = candidate.found.distance
        if candidate.isPinned { return .pinned }
        if isCrowded { return .crowded(distance) }
        return holding.fences.contains(candidate.found.number) ? .stays(distance) : .near(distance)
    }

    // MARK: - The sentinel

    /// Puts a sentinel around the device, or keeps the one that is there while it guards what is left out; marks what no sentinel
    /// can guard.
    private func place(_ choice: RegionSelection) -> RegionSelection {
        var choice = choice
        let taken = Set(choice.chosen.map(\.number))
        guard let fix else {
            choice.sentinel = holding.sentinel
            choice.keepsSentinel = true
            return choice
        }
        let here = EarthVector(fix.coordinate)
        let accuracy = fix.reckonedAccuracy
        let kept = holding.sentinel.flatMap { risksKeeping($0, here, accuracy, taken) }
        if let kept, kept.isEmpty {
            choice.sentinel = holding.sentinel
            choice.keepsSentinel = true
            return choice
        }
        let nearest = min(choice.nearestLeftOut, fences.nearestTooLarge(1, to: here).first?.distance ?? .infinity)
        let room = nearest - profile.exitCushion - accuracy - RegionSelection.slack
        let largest = min(profile.largestRadius ?? RegionSelection.largestSentinel, RegionSelection.largestSentinel)
        let radius = max(RegionSelection.smallestSentinel, min(room, largest).rounded(.down))
        let risks = room < RegionSelection.smallestSentinel ? unguarded(by: here, radius + accuracy, besides: taken) : []
        if let kept, kept.count <= risks.count {
            choice.sentinel = holding.sentinel
            choice.keepsSentinel = true
            mark(kept, in: &choice, from: here)
        } else {
            choice.sentinel = Region(
                id: .sentinel, circle: Circle(center: fix.coordinate, radius: radius), notifyOnEntry: false, notifyOnExit: true)
            mark(risks, in: &choice, from: here)
        }
        return choice
    }

    /// What would be at risk if a sentinel stayed where it is; nil when it cannot stay.
    private func risksKeeping(_ held: Region, _ here: EarthVector, _ accuracy: Double, _ taken: Set<Int>) -> [Int]? {
        let center = EarthVector(held.circle.center)
        let radius = profile.usedRadius(held.circle.radius)
        let away = EarthVector.longestGeodesic(chord: center.chordSquared(to: here).squareRoot())
        guard profile.takes(radius: held.circle.radius), away - accuracy <= radius else { return nil }
        if nearestLeftOut(from: center, besides: taken) >= radius + profile.exitCushion + RegionSelection.slack { return [] }
        // In a crowd a sentinel is as small as can be, so that it asks again soon.
        guard radius <= RegionSelection.smallestSentinel else { return nil }
        return unguarded(by: center, radius, besides: taken)
    }

    /// The least that a boundary left out can be away, in metres; infinite when none is.
    private func nearestLeftOut(from place: EarthVector, besides taken: Set<Int>) -> Double {
        let watchable = fences.nearest(taken.count + 1, to: place).first { !taken.contains($0.number) }
        let tooLarge = fences.nearestTooLarge(1, to: place).first
        return min(watchable?.distance ?? .infinity, tooLarge?.distance ?? .infinity)
    }

    /// The fences left out that a sentinel of this radius (metres) does not guard, nearest first.
    private func unguarded(by center: EarthVector, _ radius: Double, besides taken: Set<Int>) -> [Int] {
        let reach = radius + profile.exitCushion + RegionSelection.slack
        return fences.within(reach, of: center).filter { $0.distance < reach && !taken.contains($0.number) }.map(\.number)
    }

    private func mark(_ risks: [Int], in choice: inout RegionSelection, from place: EarthVector) {
        guard !risks.isEmpty else { return }
        let atRisk = Set(risks)
        let listed = choice.leftOut.filter { !atRisk.contains($0.number) }
        choice.atRiskCount = risks.count
        choice.leftOut =
            risks.prefix(listing).map {
                RegionSelection.LeftOut(number: $0, distance: catalogue.entries[$0].distance(from: place), isAtRisk: true)
            } + listed
    }

    private func distance(_ number: Int) -> Double? {
        fix.map { catalogue.entries[number].distance(from: EarthVector($0.coordinate)) }
    }
}
