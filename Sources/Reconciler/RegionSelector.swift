import Geodesy
import Model
import Registry

/// Decides which of a device's geofences should be registered now, with as few calls as possible.
///
/// The selection must lose no report: the device must not be able to reach the boundary of a geofence that is left out without first
/// leaving a registered region. If all geofences fit, all are selected. Otherwise one slot is used for a sentinel, a circle around the
/// device that ends, including the operating system's exit buffer, before every boundary that is left out. The proof is the triangle
/// inequality of chords: every point inside a geofence is at least as far from the sentinel's center as the geofence's boundary is. The
/// operating system reports both after the same delay, so the sentinel's exit is never reported later than the enter of a geofence that was
/// left out.
///
/// Only geofences that the sentinel cannot guard are added, and a registered geofence stays until its slot is needed. Slots can stay free.
struct RegionSelector {
    private typealias Found = BoundaryTree.NearbyCircle

    let candidates: RegionCandidates
    let fences: DeviceFences
    /// The device's recent fixes, oldest first.
    let fixes: [Fix]
    /// The numbers of the geofences with an open visit.
    let openVisits: Set<Int>
    let holding: HeldRegions
    let budget: Int
    /// The maximum number of geofences left out that are listed.
    let listing: Int

    private var profile: PlatformProfile { candidates.profile }
    private var fix: Fix? { fixes.last }

    /// Selects the regions.
    func select() -> RegionSelection {
        guard budget > 0 else { return emptySelection() }
        let total = fences.watchableCount
        let guarded = fences.hasTooLarge && (fix != nil || holding.sentinel != nil)
        if total + (guarded ? 1 : 0) <= budget {
            var choice = RegionSelection(budget: budget, basis: .everythingFits)
            choice.chosen = allRanked(total)
            return guarded ? placeSentinel(choice) : choice
        }
        guard let fix else { return selectByPriority(total) }
        return selectAround(fix, slots: budget - 1, of: total)
            ?? placeSentinel(
                selectByDistance(from: EarthVector(fix.coordinate), accuracy: fix.accuracyOrZero, slots: budget - 1, of: total))
    }

    // MARK: - The fewest changes

    /// The selection that keeps what is registered and adds only what the sentinel needs; nil if no sentinel can guard everything left out.
    private func selectAround(_ fix: Fix, slots: Int, of total: Int) -> RegionSelection? {
        let here = EarthVector(fix.coordinate)
        let accuracy = fix.accuracyOrZero
        let isCoarse = 2 * accuracy > RegionSelection.margin
        let pinned = fencesAround(here, accuracy, isCoarse: isCoarse)
        var choice = RegionSelection(budget: budget, basis: isCoarse ? .coarseFix(accuracy) : .fix)
        let needed: Set<Int>
        let center: EarthVector
        if let sentinel = holding.sentinel ?? holding.intendedSentinel,
            let wanted = fencesNeeded(by: sentinel, here, accuracy, slots),
            wanted.union(pinned).count <= slots
        {
            needed = wanted.union(pinned)
            center = EarthVector(sentinel.circle.center)
            choice.sentinel = sentinel
            choice.keepsSentinel = holding.sentinel != nil
        } else {
            func search(accuracy: Double) -> SentinelSearch.Placement? {
                SentinelSearch(
                    fences: fences, profile: profile, place: fix.coordinate, accuracy: accuracy, heading: Heading(of: fixes),
                    held: holding.fences, pinned: pinned, slots: slots
                ).best()
            }
            // Around a coarse fix there can be too many geofences. Then the sentinel guards what is around the fix itself.
            guard let placement = search(accuracy: accuracy) ?? search(accuracy: 0) else { return nil }
            needed = placement.needed
            center = EarthVector(placement.center)
            choice.sentinel = Region(
                id: .sentinel, circle: Circle(center: placement.center, radius: placement.radius), notifyOnEntry: false,
                notifyOnExit: true)
        }
        func nearest(_ numbers: Set<Int>, to place: EarthVector) -> [Found] {
            numbers.map { found($0, place) }.sorted(by: Found.isNearer)
        }
        let kept = nearest(holding.fences.subtracting(needed), to: center).prefix(slots - needed.count).map(\.number)
        let chosen = needed.union(kept)
        choice.chosen = nearest(chosen, to: here).map { found in
            let isPinned = pinned.contains(found.number)
            return RegionSelection.SelectedFence(
                number: found.number,
                reason: isPinned ? .pinned : needed.contains(found.number) ? .near(found.distance) : .stays(found.distance))
        }.sorted { ($0.reason == .pinned ? 0 : 1) < ($1.reason == .pinned ? 0 : 1) }
        choice.leftOutCount = total - chosen.count
        let left = fences.nearest(chosen.count + listing + 1, to: here).filter { !chosen.contains($0.number) }
        choice.nearestLeftOut = left.first?.distance ?? .infinity
        choice.leftOut = left.prefix(listing).map {
            RegionSelection.LeftOut(number: $0.number, distance: $0.distance, isAtRisk: false)
        }
        // A coarse fix does not show whether the device is in a geofence already, or on which side of the sentinel it is.
        if isCoarse {
            let around =
                choice.keepsSentinel ? fences.containing(here) : fences.within(accuracy, of: here) + fences.containing(here)
            let risks = Set(
                around.map(\.number).filter { !chosen.contains($0) && candidates.entries[$0].watchability.isWatchable })
            markAtRisk(nearest(risks, to: here).map(\.number), in: &choice, from: here)
        }
        return choice
    }

    /// The numbers of the geofences that must be registered if a registered sentinel stays; nil if it cannot stay.
    private func fencesNeeded(by held: Region, _ here: EarthVector, _ accuracy: Double, _ slots: Int) -> Set<Int>? {
        let center = EarthVector(held.circle.center)
        let radius = profile.usedRadius(held.circle.radius)
        let away = EarthVector.longestGeodesic(chord: center.chordSquared(to: here).squareRoot())
        let reach = radius + profile.exitBuffer + RegionSelection.slack
        guard profile.accepts(radius: held.circle.radius), away - accuracy <= radius,
            fences.nearestTooLarge(to: center)?.distance ?? .infinity >= reach
        else { return nil }
        let near = fences.nearest(slots + 1, to: center).prefix { $0.distance < reach }
        return near.count > slots ? nil : Set(near.map(\.number))
    }

    // MARK: - Ranking

    private func emptySelection() -> RegionSelection {
        var choice = RegionSelection(budget: budget, basis: .noRoom)
        choice.leftOutCount = fences.watchableCount
        choice.atRiskCount = choice.leftOutCount
        choice.leftOut = fences.ranked(listing).map {
            RegionSelection.LeftOut(number: $0, distance: distance($0), isAtRisk: true)
        }
        return choice
    }

    /// All geofences, by rank.
    private func allRanked(_ count: Int) -> [RegionSelection.SelectedFence] {
        let all = fences.ranked(count)
        guard let fix else { return all.map { RegionSelection.SelectedFence(number: $0, reason: .everythingFits) } }
        let place = EarthVector(fix.coordinate)
        let ranked = all.map { Found(number: $0, distance: candidates.entries[$0].distance(from: place)) }
        return ranked.sorted { a, b in
            let (first, second) = (openVisits.contains(a.number), openVisits.contains(b.number))
            return first != second ? first : Found.isNearer(a, b)
        }.map { RegionSelection.SelectedFence(number: $0.number, reason: .everythingFits) }
    }

    /// The selection without a fix: by priority, then by id. A registered sentinel keeps its slot.
    private func selectByPriority(_ total: Int) -> RegionSelection {
        var choice = RegionSelection(budget: budget, basis: .noFix)
        choice.sentinel = holding.sentinel
        choice.keepsSentinel = holding.sentinel != nil
        let slots = budget - (holding.sentinel == nil ? 0 : 1)
        let ranked = fences.ranked(slots + listing)
        choice.chosen = ranked.prefix(slots).map { RegionSelection.SelectedFence(number: $0, reason: .priority) }
        choice.leftOutCount = total - choice.chosen.count
        choice.leftOut = ranked.dropFirst(slots).map { RegionSelection.LeftOut(number: $0, distance: nil, isAtRisk: false) }
        return choice
    }

    /// A geofence that may be selected.
    private struct RankedFence {
        var found: Found
        /// The distance in meters used for ranking: for a registered geofence the margin is subtracted.
        var effective: Double
        var isPinned: Bool
        /// The boundary is so close that no sentinel fits between it and the device.
        var isUrgent: Bool

        static func isNearer(_ a: RankedFence, _ b: RankedFence) -> Bool {
            a.effective != b.effective ? a.effective < b.effective : a.found.number < b.found.number
        }
    }

    /// The selection where no sentinel can guard everything left out: geofences that the device is inside of, then by distance to the
    /// boundary, then by id. A registered geofence stays unless another one is closer by more than the margin. If more boundaries than slots
    /// are so close that no sentinel fits, the priority decides.
    private func selectByDistance(from place: EarthVector, accuracy: Double, slots: Int, of total: Int) -> RegionSelection {
        // A coarse fix proves neither that the device is inside a geofence nor that it is close to a boundary.
        let isCoarse = 2 * accuracy > RegionSelection.margin
        let margin = max(RegionSelection.margin, 2 * accuracy)
        let need = RegionSelection.smallestSentinel + profile.exitBuffer + accuracy + RegionSelection.slack
        let pinned = fencesAround(place, accuracy, isCoarse: isCoarse)
        func ranked(_ found: Found) -> RankedFence {
            RankedFence(
                found: found, effective: found.distance - (holding.fences.contains(found.number) ? margin : 0),
                isPinned: pinned.contains(found.number), isUrgent: !isCoarse && found.distance < need)
        }

        // Only geofences that are registered, pinned, or among the nearest can be selected.
        var ranking = fences.nearest(slots + listing + 1, to: place).map(ranked)
        var known = Set(ranking.map(\.found.number))
        for number in holding.fences.union(pinned) where known.insert(number).inserted {
            ranking.append(ranked(Found(number: number, distance: candidates.entries[number].distance(from: place))))
        }
        ranking.sort(by: RankedFence.isNearer)
        let urgent = ranking.filter(\.isUrgent)
        let isCrowded = urgent.count > slots
        var chosen: [RankedFence]
        if isCrowded {
            let crowd = fences.within(need, of: place).filter { candidates.entries[$0.number].watchability.isWatchable }
            chosen = Array(crowd.map(ranked).filter(\.isUrgent).sorted(by: isPreferred).prefix(slots))
        } else {
            let inside = ranking.filter { $0.isPinned && !$0.isUrgent }
            let rest = ranking.lazy.filter { !$0.isPinned && !$0.isUrgent }
            chosen = urgent + inside.prefix(slots - urgent.count)
            chosen += rest.prefix(slots - chosen.count)
        }
        chosen.sort { a, b in a.isPinned != b.isPinned ? a.isPinned : Found.isNearer(a.found, b.found) }

        var choice = RegionSelection(budget: budget, basis: isCoarse ? .coarseFix(accuracy) : .fix)
        choice.chosen = chosen.map { RegionSelection.SelectedFence(number: $0.found.number, reason: reason($0, isCrowded)) }
        choice.leftOutCount = total - chosen.count
        let taken = Set(chosen.map(\.found.number))
        let left = ranking.lazy.filter { !taken.contains($0.found.number) }.map(\.found).sorted(by: Found.isNearer)
        choice.nearestLeftOut = left.first?.distance ?? .infinity
        choice.leftOut = left.prefix(listing).map {
            RegionSelection.LeftOut(number: $0.number, distance: $0.distance, isAtRisk: false)
        }
        return choice
    }

    /// The order in a crowd: by descending priority, then geofences that the device is inside of, then by distance.
    private func isPreferred(_ a: RankedFence, _ b: RankedFence) -> Bool {
        let (high, low) = (candidates.entries[a.found.number].priority, candidates.entries[b.found.number].priority)
        if high != low { return high > low }
        return a.isPinned != b.isPinned ? a.isPinned : RankedFence.isNearer(a, b)
    }

    private func reason(_ ranked: RankedFence, _ isCrowded: Bool) -> RegionSelection.Reason {
        let distance = ranked.found.distance
        if ranked.isPinned { return .pinned }
        if isCrowded { return .crowded(distance) }
        return holding.fences.contains(ranked.found.number) ? .stays(distance) : .near(distance)
    }

    // MARK: - The sentinel

    /// Keeps the registered sentinel if it guards everything left out, otherwise places a new one around the device. Marks the geofences
    /// that no sentinel can guard.
    private func placeSentinel(_ choice: RegionSelection) -> RegionSelection {
        var choice = choice
        let taken = Set(choice.chosen.map(\.number))
        guard let fix else {
            choice.sentinel = holding.sentinel
            choice.keepsSentinel = true
            return choice
        }
        let here = EarthVector(fix.coordinate)
        let accuracy = fix.accuracyOrZero
        let kept = holding.sentinel.flatMap { fencesAtRiskIfKept($0, here, accuracy, taken) }
        if let kept, kept.isEmpty {
            choice.sentinel = holding.sentinel
            choice.keepsSentinel = true
            markAtRisk(unseenExits(besides: [], taken), in: &choice, from: here)
            return choice
        }
        let nearest = min(choice.nearestLeftOut, fences.nearestTooLarge(to: here)?.distance ?? .infinity)
        let room = nearest - profile.exitBuffer - accuracy - RegionSelection.slack
        let largest = min(profile.largestRadius ?? RegionSelection.largestSentinel, RegionSelection.largestSentinel)
        let radius = max(RegionSelection.smallestSentinel, min(room, largest).rounded(.down))
        let risks = room < RegionSelection.smallestSentinel ? unguarded(by: here, radius + accuracy, besides: taken) : []
        if let kept, kept.count <= risks.count {
            choice.sentinel = holding.sentinel
            choice.keepsSentinel = true
            markAtRisk(kept + unseenExits(besides: kept, taken), in: &choice, from: here)
        } else {
            choice.sentinel = Region(
                id: .sentinel, circle: Circle(center: fix.coordinate, radius: radius), notifyOnEntry: false, notifyOnExit: true)
            markAtRisk(risks + unseenExits(besides: risks, taken), in: &choice, from: here)
        }
        return choice
    }

    /// The geofences with an open visit that have no slot, so that their exit is not reported.
    private func unseenExits(besides risks: [Int], _ taken: Set<Int>) -> [Int] {
        openVisits.subtracting(taken).subtracting(risks).sorted()
    }

    /// The geofences that would be at risk if the registered sentinel stayed; nil if it cannot stay.
    private func fencesAtRiskIfKept(_ held: Region, _ here: EarthVector, _ accuracy: Double, _ taken: Set<Int>) -> [Int]? {
        let center = EarthVector(held.circle.center)
        let radius = profile.usedRadius(held.circle.radius)
        let away = EarthVector.longestGeodesic(chord: center.chordSquared(to: here).squareRoot())
        guard profile.accepts(radius: held.circle.radius), away - accuracy <= radius else { return nil }
        if nearestLeftOut(from: center, besides: taken) >= radius + profile.exitBuffer + RegionSelection.slack { return [] }
        // In a crowd only the smallest possible sentinel may stay, so that its exit triggers a new selection soon.
        guard radius <= RegionSelection.smallestSentinel else { return nil }
        // The device may be anywhere within the error of its position, even on the other side of the sentinel.
        return Set(unguarded(by: center, radius, besides: taken)).union(unguarded(by: here, accuracy, besides: taken))
            .sorted { Found.isNearer(found($0, here), found($1, here)) }
    }

    private func found(_ number: Int, _ place: EarthVector) -> Found {
        Found(number: number, distance: candidates.entries[number].distance(from: place))
    }

    /// The numbers of the geofences that must be registered because the device is inside: those with an open visit, and those that contain
    /// the position, if its error leaves no doubt.
    private func fencesAround(_ place: EarthVector, _ accuracy: Double, isCoarse: Bool) -> Set<Int> {
        openVisits.union(fences.containing(place).filter { !isCoarse || $0.distance > accuracy }.map(\.number))
    }

    /// Lower bound of the distance in meters to the nearest boundary left out; infinite if none is.
    private func nearestLeftOut(from place: EarthVector, besides taken: Set<Int>) -> Double {
        let watchable = fences.nearest(taken.count + 1, to: place).first { !taken.contains($0.number) }
        let tooLarge = fences.nearestTooLarge(to: place)
        return min(watchable?.distance ?? .infinity, tooLarge?.distance ?? .infinity)
    }

    /// The geofences left out that a sentinel with this radius (meters) does not guard.
    private func unguarded(by center: EarthVector, _ radius: Double, besides taken: Set<Int>) -> [Int] {
        let reach = radius + profile.exitBuffer + RegionSelection.slack
        return fences.within(reach, of: center).filter { $0.distance < reach && !taken.contains($0.number) }.map(\.number)
    }

    private func markAtRisk(_ risks: [Int], in choice: inout RegionSelection, from place: EarthVector) {
        guard !risks.isEmpty else { return }
        let atRisk = Set(risks)
        let listed = choice.leftOut.filter { !atRisk.contains($0.number) }
        choice.atRiskCount = risks.count
        choice.leftOut =
            risks.prefix(listing).map {
                RegionSelection.LeftOut(number: $0, distance: candidates.entries[$0].distance(from: place), isAtRisk: true)
            } + listed
    }

    private func distance(_ number: Int) -> Double? {
        fix.map { candidates.entries[number].distance(from: EarthVector($0.coordinate)) }
    }
}
