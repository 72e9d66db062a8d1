import Geodesy
import Model
import Registry
import TestSupport
import Testing

@testable import Reconciler

@Suite struct ChoiceTests {
    static let device = Device(id: "phone", groups: ["family"], platform: .ios, registry: .simulated)

    static func fix(_ east: Double, _ north: Double = 0, accuracy: Double? = 5) -> Fix {
        Fix(time: World.noon, coordinate: World.place(east, north), accuracy: accuracy)
    }

    static func choose(
        _ fences: [Geofence], _ fix: Fix?, budget: Int = 20, holding: [String] = [], sentinel: Region? = nil,
        visits: [String] = [], profile: PlatformProfile = .ios
    ) -> (choice: RegionSelection, ids: [String], candidates: RegionCandidates) {
        let candidates = RegionCandidates(fences, profile: profile)
        func numbers(_ ids: [String]) -> Set<Int> {
            Set(
                ids.compactMap { candidates.number(of: RegionID(geofence: $0)) }
                    .filter { candidates.entries[$0].watchability.isWatchable })
        }
        let choice = RegionSelector(
            candidates: candidates, fences: candidates.fences(for: device), fixes: fix.map { [$0] } ?? [],
            openVisits: numbers(visits),
            holding: HeldRegions(fences: numbers(holding), sentinel: sentinel), budget: budget, listing: 25
        ).select()
        return (choice, choice.chosen.map { candidates.entries[$0.number].id }, candidates)
    }

    static func fencesInRow(_ count: Int, every: Double = 1000) -> [Geofence] {
        (1...count).map { World.fence("f\($0 < 10 ? "0" : "")\($0)", Double($0) * every) }
    }

    @Test func withRoomForAllEveryFenceIsChosenWithoutSentinel() {
        let (choice, ids, _) = Self.choose(Self.fencesInRow(20), Self.fix(0))
        #expect(ids.count == 20)
        #expect(choice.sentinel == nil)
        #expect(choice.basis == .everythingFits)
    }

    /// The ids of the geofences whose boundary a selection's sentinel does not exclude.
    static func unguarded(_ choice: RegionSelection, _ candidates: RegionCandidates) throws -> Set<String> {
        let sentinel = try #require(choice.sentinel)
        let center = EarthVector(sentinel.circle.center)
        return Set(
            candidates.entries.filter { entry in
                let chord = center.chordSquared(to: EarthVector(entry.circle.center)).squareRoot()
                let radius = candidates.profile.usedRadius(entry.circle.radius)
                let boundary = max(chord - radius, radius - EarthVector.longestGeodesic(chord: chord))
                return entry.watchability != .malformed && boundary <= sentinel.circle.radius + candidates.profile.exitBuffer
            }.map(\.id))
    }

    @Test func withoutRoomForAllOnlyFencesThatNoSentinelGuardsAreChosen() throws {
        let (choice, ids, candidates) = Self.choose(Self.fencesInRow(21), Self.fix(0))
        #expect(ids.isEmpty)
        #expect(choice.leftOutCount == 21)
        #expect(choice.leftOut.first.map { candidates.entries[$0.number].id } == "f01")
        let sentinel = try #require(choice.sentinel)
        #expect(sentinel.notifyOnExit && !sentinel.notifyOnEntry)
        #expect(try Self.unguarded(choice, candidates).isEmpty)
        // The device is in the geofence in the middle, with neighbors on both sides.
        let (between, chosen, row) = Self.choose(Self.fencesInRow(41, every: 500), Self.fix(10_000))
        #expect(chosen.first == "f20" && between.chosen.first?.reason == .pinned)
        #expect(try Self.unguarded(between, row).isSubset(of: chosen))
    }

    @Test func sentinelLiesAheadOfADeviceThatMoves() throws {
        let fences = Self.fencesInRow(30).map { World.fence($0.id, 0, 30_000 + Double($0.id.dropFirst())! * 1000) }
        func center(from east: Double) throws -> Double {
            let candidates = RegionCandidates(fences, profile: .ios)
            let fixes = [Self.fix(east), Self.fix(0)]
            let choice = RegionSelector(
                candidates: candidates, fences: candidates.fences(for: Self.device), fixes: fixes, openVisits: [],
                holding: HeldRegions(),
                budget: 20, listing: 25
            ).select()
            return try #require(choice.sentinel).circle.center.longitude - World.home.longitude
        }
        let (east, west) = (try center(from: -1000), try center(from: 1000))
        #expect(east > west)
        // Two fixes of the same place show no heading.
        #expect(Heading(of: [Self.fix(0), Self.fix(50)]) == nil && Heading(of: []) == nil)
        let heading = try #require(Heading(of: [Self.fix(-500), Self.fix(0, 40), Self.fix(0)]))
        #expect(heading.cosine(to: Heading(east: 1, north: 0)) > 0.9999)
        #expect(heading.turned(by: Heading(east: 1, north: 0)).north < -0.9999)
    }

    @Test func distanceIsMeasuredToTheBoundary() throws {
        // The center of the large geofence is farther away, but its boundary is near.
        let fences = [
            World.fence("small", 2000, radius: 100), World.fence("large", 5000, radius: 4900), World.fence("far", 9000),
        ]
        let (choice, ids, candidates) = Self.choose(fences, Self.fix(60), budget: 2)
        #expect(!ids.contains("small"))
        #expect(try Self.unguarded(choice, candidates).isSubset(of: ids))
    }

    @Test func fencesAroundTheDeviceArePinned() {
        var fences = Self.fencesInRow(25)
        fences.append(World.fence("city", 0, 5000, radius: 60_000))
        let (choice, ids, _) = Self.choose(fences, Self.fix(0))
        #expect(ids.first == "city")
        #expect(choice.chosen.first?.reason == .pinned)
        #expect(Self.choose(fences, Self.fix(0), visits: ["f25"]).ids.contains("f25"))
    }

    @Test func registeredFenceGivesItsSlotOnlyToOneThatIsNeeded() {
        let fences = [World.fence("a", 0), World.fence("b", 2150), World.fence("c", 2300)]
        #expect(Self.choose(fences, Self.fix(1000), budget: 2, holding: ["c"]).ids == ["c"])
        let (choice, ids, candidates) = Self.choose(fences, Self.fix(0), budget: 2, holding: ["c"])
        #expect(ids == ["a"])
        #expect(choice.leftOut.map { candidates.entries[$0.number].id } == ["b", "c"])
        // Of two registered ones, the farther one gives its slot.
        let more = fences + [World.fence("d", 0, 50), World.fence("e", 9000)]
        #expect(Self.choose(more, Self.fix(0), budget: 4, holding: ["b", "c"]).ids == ["d", "a", "b"])
    }

    @Test func coarseFixReplacesNoFence() {
        let fences = [World.fence("a", 2000), World.fence("b", 3000), World.fence("c", 9000)]
        let coarse = Self.choose(fences, Self.fix(0, accuracy: 800), budget: 2, holding: ["b"])
        #expect(coarse.ids == ["b"])
        #expect(coarse.choice.basis == .coarseFix(800))
    }

    @Test func fencesAroundACoarseFixThatAreLeftOutAreAtRisk() {
        // The device may be in any of them, and there is no room for all.
        let fences = (0..<6).map { World.fence("f\($0)", Double($0) * 50, radius: 400) } + Self.fencesInRow(3, every: 9000)
        let (choice, ids, candidates) = Self.choose(fences, Self.fix(0, accuracy: 900), budget: 4)
        let risks = Set(choice.leftOut.filter(\.isAtRisk).map { candidates.entries[$0.number].id })
        #expect(risks == Set((0..<6).map { "f\($0)" }).subtracting(ids))
        #expect(choice.atRiskCount == risks.count && risks.count >= 3)
    }

    @Test func singleSlotGoesToTheSentinel() {
        let (choice, ids, _) = Self.choose(Self.fencesInRow(3, every: 3000), Self.fix(0), budget: 1)
        #expect(ids.isEmpty)
        #expect(choice.sentinel != nil && choice.atRiskCount == 0)
    }

    @Test func withoutSlotsEveryFenceIsAtRisk() {
        let (choice, ids, _) = Self.choose(Self.fencesInRow(3), Self.fix(0), budget: 0)
        #expect(ids.isEmpty && choice.sentinel == nil)
        #expect(choice.atRiskCount == 3 && choice.leftOut.allSatisfy(\.isAtRisk))
    }

    @Test func amongNearbyFencesPriorityDecidesAndTheOthersAreAtRisk() {
        let fences = (0..<10).map { World.fence("f\($0)", 200 + Double($0), radius: 100, priority: $0) }
        let (choice, ids, candidates) = Self.choose(fences, Self.fix(0), budget: 4)
        #expect(Set(ids) == ["f9", "f8", "f7"])
        #expect(choice.sentinel?.circle.radius == 100)
        #expect(choice.atRiskCount == 7)
        #expect(Set(choice.leftOut.filter(\.isAtRisk).map { candidates.entries[$0.number].id }) == Set((0...6).map { "f\($0)" }))
    }

    @Test func withoutAFixPriorityDecides() {
        var fences = Self.fencesInRow(25)
        fences[24].priority = 5
        fences[23].priority = 1
        let (choice, ids, _) = Self.choose(fences, nil, budget: 4)
        #expect(ids == ["f25", "f24", "f01", "f02"])
        #expect(choice.sentinel == nil && choice.basis == .noFix)
    }

    @Test func sentinelIsKeptWhileItGuardsTheDevice() throws {
        let fences = Self.fencesInRow(30)
        let first = try #require(Self.choose(fences, Self.fix(0)).choice.sentinel)
        let moved = Self.choose(fences, Self.fix(-500), holding: (1...19).map { "f\($0 < 10 ? "0" : "")\($0)" }, sentinel: first)
        #expect(moved.choice.sentinel == first && moved.choice.keepsSentinel)
        let left = Self.choose(fences, Self.fix(-200_000), sentinel: first)
        #expect(left.choice.sentinel != first && !left.choice.keepsSentinel)
    }

    @Test func fenceTooLargeToRegisterIsGuardedByTheSentinel() throws {
        var fences = Self.fencesInRow(3)
        fences.append(World.fence("country", 0, radius: 150_000))
        let (choice, ids, _) = Self.choose(fences, Self.fix(0))
        #expect(ids == ["f01", "f02", "f03"])
        #expect(try #require(choice.sentinel).circle.radius == 100_000)
        let near = Self.choose(fences, Self.fix(-148_000)).choice
        #expect((100...2500).contains(try #require(near.sentinel).circle.radius))
    }

    @Test func onlyTheFencesOfTheDeviceAreChosen() {
        var fences = Self.fencesInRow(5)
        fences[0].devices = ["other"]
        fences[1].devices = ["phone"]
        fences[2].groups = ["family", "fleet"]
        fences[3].groups = ["fleet"]
        fences[4].isActive = false
        fences.append(World.fence("both", 100))
        fences[5].devices = ["phone"]
        fences[5].groups = ["family"]
        #expect(Self.choose(fences, Self.fix(0)).ids.sorted() == ["both", "f02", "f03"])
        #expect(Self.choose(fences, Self.fix(0), budget: 2).choice.leftOutCount == 2)
    }

    @Test(arguments: [0.0, -5, .nan, .infinity, 10_000_000])
    func fenceWithInvalidRadiusIsNeverChosenAndDoesNotAffectOthers(_ radius: Double) {
        var fences = Self.fencesInRow(3)
        fences.append(World.fence("odd", 50, radius: radius))
        #expect(Self.choose(fences, Self.fix(0)).ids == ["f01", "f02", "f03"])
        #expect(Self.choose(fences, nil).ids == ["f01", "f02", "f03"])
    }

    // MARK: - Comparison with a simple implementation

    /// Chooses by ranking every geofence, as an independent implementation of the selection.
    static func chooseByRankingAll(
        _ fences: [Geofence], _ fix: Fix, slots: Int, holding: Set<String>, visits: Set<String>, profile: PlatformProfile
    ) -> Set<String> {
        let place = EarthVector(fix.coordinate)
        let accuracy = fix.accuracyOrZero
        let isCoarse = accuracy > 100
        var rows: [(id: String, distance: Double, effective: Double, isPinned: Bool, isUrgent: Bool, priority: Int)] = []
        for fence in fences {
            guard case .circle(let circle) = fence.shape, fence.isActive else { continue }
            if let largest = profile.largestRadius, circle.radius > largest { continue }
            let radius = profile.platform == .ios ? max(circle.radius, 100) : circle.radius
            let chord = place.chordSquared(to: EarthVector(circle.center)).squareRoot()
            let arc = EarthVector.longestGeodesic(chord: chord)
            let distance = chord >= radius ? chord - radius : max(0, radius * (1 - 2.5e-5) - arc)
            let margin = max(200, 2 * accuracy)
            rows.append(
                (
                    fence.id, distance, holding.contains(fence.id) ? distance - margin : distance,
                    visits.contains(fence.id) || (!isCoarse && arc <= radius),
                    !isCoarse && distance < 101 + profile.exitBuffer + accuracy, fence.priority
                ))
        }
        let urgent = rows.filter(\.isUrgent)
        if urgent.count > slots {
            return Set(
                urgent.sorted {
                    ($1.priority, $0.isPinned ? 0 : 1, $0.effective, $0.id) < (
                        $0.priority, $1.isPinned ? 0 : 1, $1.effective, $1.id
                    )
                }.prefix(slots).map(\.id))
        }
        let ranked = rows.sorted {
            ($0.isUrgent ? 0 : 1, $0.isPinned ? 0 : 1, $0.effective, $0.id)
                < ($1.isUrgent ? 0 : 1, $1.isPinned ? 0 : 1, $1.effective, $1.id)
        }
        return Set(ranked.prefix(slots).map(\.id))
    }

    /// The number of geofences that must be registered if the smallest sentinel is placed at the fix; nil if a geofence that is too large to
    /// be registered is so close that no sentinel guards it.
    static func countNeeded(around fix: Fix, _ fences: [Geofence], visits: [String], _ profile: PlatformProfile) -> Int? {
        let place = EarthVector(fix.coordinate)
        var needed = 0
        for fence in fences {
            guard case .circle(let circle) = fence.shape else { continue }
            let chord = place.chordSquared(to: EarthVector(circle.center)).squareRoot()
            let (radius, arc) = (profile.usedRadius(circle.radius), EarthVector.longestGeodesic(chord: chord))
            let distance = chord >= radius ? chord - radius : max(0, radius * (1 - 2.5e-5) - arc)
            let isClose = distance < 101 + profile.exitBuffer
            if !profile.accepts(radius: circle.radius) {
                if isClose { return nil }
            } else if isClose || visits.contains(fence.id)
                || (arc <= radius && (fix.accuracyOrZero <= 100 || distance > fix.accuracyOrZero))
            {
                needed += 1
            }
        }
        return needed
    }

    @Test func selectionGuardsTheOthersOrAgreesWithFullRanking() throws {
        var (guarded, crowded) = (0, 0)
        for seed in Histories.seeds(0...1999) {
            var random = SeededRandom(seed: seed)
            let profile = Bool.random(using: &random) ? PlatformProfile.ios : .android
            let spread = [300.0, 3000, 30_000, 300_000].randomElement(using: &random)!
            let fences = (0..<Int.random(in: 1...120, using: &random)).map { number in
                World.fence(
                    "f\(number)", .random(in: -spread...spread, using: &random), .random(in: -spread...spread, using: &random),
                    radius: [60, 300, spread, 3 * spread].randomElement(using: &random)! * .random(in: 0.5...1, using: &random),
                    priority: Int.random(in: 0...3, using: &random))
            }
            let fix = Self.fix(
                .random(in: -spread...spread, using: &random), .random(in: -spread...spread, using: &random),
                accuracy: [nil, 5, 50, 500, 5000].randomElement(using: &random)!)
            let holding = fences.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }.prefix(20).map(\.id)
            let visits = fences.filter { _ in Int.random(in: 0..<20, using: &random) == 0 }.map(\.id)
            let budget = Int.random(in: 1...25, using: &random)
            let (choice, ids, candidates) = Self.choose(
                fences, fix, budget: budget, holding: holding, visits: visits, profile: profile)
            #expect(ids.count + (choice.sentinel == nil ? 0 : 1) <= budget, "seed \(seed)")
            guard choice.basis != .everythingFits else { continue }

            let sentinel = try #require(choice.sentinel)
            let unguarded = try Self.unguarded(choice, candidates)
            let watchable = Set(candidates.entries.filter(\.watchability.isWatchable).map(\.id))
            let pinned = Set(choice.chosen.filter { $0.reason == .pinned }.map { candidates.entries[$0.number].id })
            #expect(pinned.isSuperset(of: watchable.intersection(visits)) || ids.count == budget - 1, "seed \(seed)")
            let isGuarded =
                unguarded.isSubset(of: ids) && choice.chosen.allSatisfy { if case .crowded = $0.reason { false } else { true } }
            let needed = Self.countNeeded(around: fix, fences, visits: visits, profile)
            #expect(isGuarded || choice.basis != .fix || needed ?? .max > budget - 1, "seed \(seed)")
            if needed ?? .max > budget - 1 {
                crowded += 1
                if !isGuarded, fix.accuracyOrZero <= 100 {
                    let wanted = Self.chooseByRankingAll(
                        fences, fix, slots: budget - 1, holding: Set(holding), visits: Set(visits), profile: profile)
                    #expect(Set(ids) == wanted, "seed \(seed)")
                }
                #expect(unguarded.subtracting(ids).count <= choice.atRiskCount, "seed \(seed)")
            } else {
                // Everything that the sentinel does not guard is chosen. Beyond that, registered geofences stay, and nothing is added.
                guarded += watchable.subtracting(unguarded).count
                #expect(unguarded.intersection(watchable).isSubset(of: ids), "seed \(seed)")
                for id in ids where !pinned.contains(id) && !holding.contains(id) {
                    #expect(Self.isClose(id, to: sentinel, candidates), "seed \(seed): \(id) was added without need")
                }
                let dropped = watchable.intersection(holding).subtracting(ids)
                #expect(dropped.isEmpty || ids.count == budget - 1, "seed \(seed): \(dropped) were dropped without need")
                let here = EarthVector(fix.coordinate)
                let away = here.chordSquared(to: EarthVector(sentinel.circle.center)).squareRoot()
                #expect(away <= sentinel.circle.radius, "seed \(seed): the device is not in the sentinel")
            }

            // A choice with its own result as the registered geofences must not change.
            let again = Self.choose(
                fences, fix, budget: budget, holding: ids, sentinel: sentinel, visits: visits, profile: profile)
            #expect(Set(again.ids) == Set(ids) && again.choice.sentinel == sentinel, "seed \(seed)")
        }
        #expect(guarded > Histories.share(of: 1000, for: 0...1999))
        #expect(crowded > Histories.share(of: 100, for: 0...1999))
    }

    /// Whether a geofence's boundary is in the sentinel or within the exit buffer and two meters of it.
    private static func isClose(_ id: String, to sentinel: Region, _ candidates: RegionCandidates) -> Bool {
        guard let entry = candidates[id] else { return false }
        let center = EarthVector(sentinel.circle.center)
        return entry.distance(from: center) <= sentinel.circle.radius + candidates.profile.exitBuffer + 2
    }
}
