import Geodesy
import Model
import Registry
import TestSupport
import Testing

@testable import Reconciler

@Suite("Region candidates")
struct RegionCandidatesTests {
    private static func fence(_ number: Int, _ random: inout SeededRandom) -> Geofence {
        let radius = [0.0, 50, 300, 20_000, 200_000].randomElement(using: &random)!
        var fence = Geofence(
            id: "f\(number)", name: "Fence \(number)",
            shape: .circle(Circle(center: BoundaryTreeTests.randomCoordinate(&random), radius: radius)))
        fence.isActive = Int.random(in: 0..<8, using: &random) > 0
        fence.priority = Int.random(in: 0...2, using: &random)
        if Bool.random(using: &random) { fence.devices = ["phone", "other"].shuffled(using: &random).dropLast() }
        if Bool.random(using: &random) { fence.groups = ["family", "fleet"].filter { _ in Bool.random(using: &random) } }
        return fence
    }

    /// The health statuses of a phone at some places, according to the candidates.
    private static func health(_ candidates: RegionCandidates, _ places: [Coordinate]) -> [GeofenceHealthStatus] {
        let device = Device(id: "phone", groups: ["family"], platform: .ios, registry: .simulated)
        return places.map { place in
            let context = DeviceContext(device: device, fixes: [Fix(time: World.noon, coordinate: place, accuracy: 5)])
            let snapshot = RegistrySnapshot(takenAt: World.noon, authorization: .always, regions: [])
            return GeofenceHealthStatus(Assessment(of: snapshot, in: context, candidates: candidates, journal: RegistryJournal()))
        }
    }

    @Test("Candidates that were edited step by step equal new candidates of the same geofences")
    func edits() {
        for seed in Histories.seeds(0...39) {
            var random = SeededRandom(seed: seed)
            // In some cases nearly all geofences are of one kind, so that lists are truncated.
            let most = [3, 60, 400].randomElement(using: &random)!
            var fences: [String: Geofence] = [:]
            for number in 0..<Int.random(in: 0...most, using: &random) { fences["f\(number)"] = Self.fence(number, &random) }
            var candidates = RegionCandidates(fences.values, profile: .ios)
            for _ in 0..<6 {
                var put: [String: Geofence] = [:]
                for _ in 0..<[1, 2, 40, 300].randomElement(using: &random)! {
                    let fence = Self.fence(.random(in: 0..<2 * most, using: &random), &random)
                    put[fence.id] = fence
                }
                let removed = Set(fences.keys.filter { _ in Int.random(in: 0..<8, using: &random) == 0 } + ["none"])
                    .subtracting(put.keys)
                candidates.apply(put: put.values, removed: removed)
                fences.merge(put) { $1 }
                for id in removed { fences[id] = nil }
                let fresh = RegionCandidates(fences.values, profile: .ios)
                #expect(candidates.entries.map(\.id) == fresh.entries.map(\.id), "seed \(seed)")
                let places = (0..<3).map { _ in BoundaryTreeTests.randomCoordinate(&random) }
                for (changed, new) in zip(Self.health(candidates, places), Self.health(fresh, places)) {
                    #expect(changed.json() == new.json() && changed.savedInApp == new.savedInApp, "seed \(seed)")
                }
                for number in 0..<2 * most {
                    #expect(candidates["f\(number)"]?.circle == fences["f\(number)"].flatMap { Circle(of: $0) }, "seed \(seed)")
                }
            }
        }
    }
}

extension Circle {
    fileprivate init?(of fence: Geofence) {
        guard case .circle(let circle) = fence.shape else { return nil }
        self = circle
    }
}
