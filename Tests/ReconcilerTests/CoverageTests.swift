import Foundation
import Geodesy
import Model
import Registry
import SimulatedOS
import TestSupport
import Testing

@testable import Reconciler

/// Tests the purpose of the selection: with a small limit and a repair after every exit from the sentinel, the phone reports every
/// transition that it would report with all geofences registered.
@Suite struct CoverageTests {
    /// A simulated device with a small limit, next to an identical one that has all geofences registered.
    struct DevicePair {
        var world: World
        var ideal: SimulatedOS
        /// The states that the ideal operating system has reported since the last comparison.
        var idealStates: [String: RegionState] = [:]
        /// The geofences that the selection has at some time counted as at risk.
        var excused: Set<String> = []
        var checks = 0
        var repairs = 0
        /// Whether each exit from the sentinel leads to a repair.
        var isAnswered = true

        init(seed: UInt64, profile: PlatformProfile) {
            var random = SeededRandom(seed: seed)
            var profile = profile
            profile.limit = Int.random(in: 2...7, using: &random)
            world = World(profile, limit: profile.limit, seed: seed)
            profile.limit = .max
            ideal = SimulatedOS(profile, seed: seed, at: World.noon)
            let patience = Double([0, 20, 60].randomElement(using: &random)!)
            world.os.setPatience(patience)
            ideal.setPatience(patience)
            let spread = [2000.0, 5000, 30_000].randomElement(using: &random)!
            for number in 0..<Int.random(in: 3...25, using: &random) {
                world.fences.append(
                    World.fence(
                        "f\(number)", .random(in: -spread...spread, using: &random),
                        .random(in: -spread...spread, using: &random),
                        radius: Int.random(in: 0..<6, using: &random) == 0
                            ? .random(in: 1000...spread, using: &random) : .random(in: 100...500, using: &random),
                        priority: Int.random(in: 0...2, using: &random)))
            }
        }

        /// Registers all geofences with the ideal operating system.
        mutating func registerAllWithIdeal() throws {
            for region in ideal.regions { try ideal.stopMonitoring(region.id) }
            for fence in world.fences { try add(fence) }
            storeIdealReports()
        }

        private mutating func add(_ fence: Geofence) throws {
            guard case .circle(let circle) = fence.shape else { return }
            try ideal.startMonitoring(Region(id: RegionID(geofence: fence.id), circle: circle))
        }

        /// Moves, creates or removes a geofence close to the device, and repairs at once, as a running service does.
        mutating func edit() throws {
            let id = "f\(Int.random(in: 0..<25, using: &world.random))"
            world.fences.removeAll { $0.id == id }
            try ideal.stopMonitoring(RegionID(geofence: id))
            world.setVisit(id, false)
            if Int.random(in: 0..<4, using: &world.random) > 0, let fix = world.fixes.last {
                var fence = World.fence(id, 0, radius: .random(in: 100...2000, using: &world.random))
                let center = Coordinate(
                    latitude: fix.coordinate.latitude + .random(in: -0.03...0.03, using: &world.random),
                    longitude: fix.coordinate.longitude + .random(in: -0.05...0.05, using: &world.random))
                if case .circle(let circle) = fence.shape { fence.shape = .circle(Circle(center: center, radius: circle.radius)) }
                world.fences.append(fence)
                try add(fence)
            }
            try repair()
        }

        /// Stores the states that the ideal operating system has reported.
        mutating func storeIdealReports() {
            for report in ideal.takeReports() {
                guard let id = report.region.geofence, report.isTransition else { continue }
                idealStates[id] = report.kind == .entered ? .inside : .outside
            }
        }

        /// Advances both operating systems to a time, and repairs at once after each exit from the sentinel.
        mutating func advance(to moment: Instant) throws {
            while let due = [world.os.nextDeadline, ideal.nextDeadline].compactMap({ $0 }).min(), due <= moment {
                world.os.advance(to: due)
                ideal.advance(to: due)
                try handleReports()
            }
            world.os.advance(to: moment)
            ideal.advance(to: moment)
            try handleReports()
        }

        /// Advances to the time of a fix and gives the fix to both operating systems.
        mutating func observe(_ fix: Fix) throws {
            try advance(to: fix.time)
            ideal.observe(fix)
            world.os.observe(fix)
            world.fixes.append(fix)
            try handleReports()
        }

        /// Processes the reports of both operating systems, repairs if the device has left the sentinel, and compares.
        mutating func handleReports() throws {
            storeIdealReports()
            if storeLimitedReports() && isAnswered { try repair() }
            compare()
        }

        /// Processes the reports of the limited operating system. Returns whether the device has left the sentinel.
        private mutating func storeLimitedReports() -> Bool {
            var isLeft = false
            for report in world.takeReports() {
                if report.region == .sentinel && report.kind == .exited { isLeft = true }
                guard let id = report.region.geofence, report.isTransition else { continue }
                let isInside = report.kind == .entered
                // The operating system can repeat a report. Only a changed state counts as a transition.
                if world.openVisits.contains(id) != isInside { world.setVisit(id, isInside) }
            }
            return isLeft
        }

        /// Applies the newest fix to the geofences that are not registered.
        ///
        /// The selection uses a fix, and the engine also makes events from each fix. Around the device there can be more unregistered
        /// geofences than slots, and the fix decides about these.
        private mutating func applyNewestFix() {
            guard let fix = world.fixes.last else { return }
            let held = Set(world.os.regions.map(\.id))
            for fence in world.fences where !held.contains(RegionID(geofence: fence.id)) {
                guard case .circle(let circle) = fence.shape else { continue }
                let chord = EarthVector(fix.coordinate).chordSquared(to: EarthVector(circle.center)).squareRoot()
                let distance = EarthVector.longestGeodesic(chord: chord)
                if distance <= circle.radius { world.setVisit(fence.id, true) }
                if distance > circle.radius + world.os.profile.exitBuffer { world.setVisit(fence.id, false) }
            }
        }

        /// Repairs the limited operating system, and keeps the clock of the ideal one in step.
        mutating func repair() throws {
            let now = world.os.now
            // The engine has evaluated the newest fix before the repair begins, so the repair knows the visits that it has ended.
            applyNewestFix()
            // A repair of a real phone takes time. The simulated one must take none, so that the two clocks do not diverge.
            _ = try world.repaired()
            repairs += 1
            recordRisks()
            _ = storeLimitedReports()
            if world.os.now > now { ideal.advance(to: world.os.now) }
            storeIdealReports()
            applyNewestFix()
            recordRisks()
        }

        /// Excuses the geofences that health now reports as at risk.
        private mutating func recordRisks() {
            let assessment = world.assess()
            for left in assessment.selection.leftOut where left.isAtRisk {
                excused.insert(assessment.candidates.entries[left.number].id)
            }
        }

        /// Checks that every state that the ideal operating system has reported is also known from the limited one.
        private mutating func compare() {
            for (id, state) in idealStates where !excused.contains(id) {
                checks += 1
                if (state == .inside) != world.openVisits.contains(id) { missed.insert("\(id) \(state) at \(world.os.now)") }
            }
            idealStates = [:]
        }

        /// Describes each state that the limited operating system did not report.
        var missed: Set<String> = []
    }

    /// Simulates a path with series of fixes at walking to driving speed, pauses and sharp turns.
    static func simulatePath(seed: UInt64, profile: PlatformProfile, isAnswered: Bool = true) throws -> DevicePair {
        var twin = DevicePair(seed: seed, profile: profile)
        twin.isAnswered = isAnswered
        var (east, north) = (0.0, 0.0)
        try twin.observe(Fix(time: World.noon + 60, coordinate: World.place(east, north), accuracy: 5))
        try twin.registerAllWithIdeal()
        try twin.repair()
        try twin.advance(to: twin.world.os.now)
        for _ in 0..<Int.random(in: 2...8, using: &twin.world.random) {
            let speed = Double.random(in: 1...40, using: &twin.world.random)
            let course = Double.random(in: 0..<(2 * .pi), using: &twin.world.random)
            let pause = [1.0, 5, 15, 30, 120].randomElement(using: &twin.world.random)!
            for _ in 0..<Int.random(in: 3...40, using: &twin.world.random) {
                east += speed * pause * sin(course)
                north += speed * pause * cos(course)
                try twin.observe(
                    Fix(
                        time: max(twin.world.os.now, twin.ideal.now) + pause, coordinate: World.place(east, north),
                        accuracy: .random(in: 3...60, using: &twin.world.random)))
            }
            if isAnswered && Bool.random(using: &twin.world.random) { try twin.edit() }
            if Int.random(in: 0..<3, using: &twin.world.random) == 0 { try twin.advance(to: twin.world.os.now + 600) }
            if isAnswered && Int.random(in: 0..<3, using: &twin.world.random) == 0 { try twin.repair() }
        }
        return twin
    }

    @Test(arguments: Histories.parts)
    func eachTransitionIsReportedExactlyOnce(part: Int) throws {
        let profiles = PropertyTests.readable + [.android]
        var checks = 0
        var repairs = 0
        var count = 0
        for seed in Histories.seeds(0...9999, part: part) {
            count += 1
            let profile = profiles[Int(seed / UInt64(Histories.parts.count) % UInt64(profiles.count))]
            let twin = try Self.simulatePath(seed: seed, profile: profile)
            #expect(twin.missed.isEmpty, "seed \(seed): \(twin.missed.sorted())")
            #expect(twin.world.repeated.isEmpty, "seed \(seed): \(twin.world.repeated)")
            checks += twin.checks
            repairs += twin.repairs
        }
        // Make sure that there were transitions to report and that the device left the sentinel.
        #expect(checks > count * 2, "\(checks) reports")
        #expect(repairs > count * 2, "\(repairs) repairs")
    }

    @Test func withoutRepairsAfterSentinelExitsManyTransitionsAreMissed() throws {
        var missed = 0
        var checks = 0
        for seed in UInt64(0)..<100 {
            let twin = try Self.simulatePath(seed: seed, profile: seed % 2 == 0 ? .ios : .android, isAnswered: false)
            missed += twin.missed.count
            checks += twin.checks
        }
        #expect(missed * 10 > checks, "\(missed) of \(checks)")
    }
}
