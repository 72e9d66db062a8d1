import Model
import Registry
import SimulatedOS
import TestSupport
import Testing

@testable import Reconciler

/// Repairs soon after a reboot, while the operating system's list is empty although its regions still hold their slots.
@Suite struct EmptyRegionListTests {
    private static func rebooted(_ world: inout World) {
        world.os.policies.reboot = .emptyAtFirst
        world.os.reboot()
    }

    @Test func repairAfterRebootWaitsForListAndMakesNoCall() throws {
        var world = RepairTests.worldWithFiveFences(limit: 5)
        _ = try world.repaired()
        Self.rebooted(&world)
        #expect(world.health().missingFromOS.count == 5)
        let report = try world.repaired()
        #expect(report.isComplete)
        #expect(report.steps.map { "\($0.operation.verb) \($0.operation.id)" } == [])
        #expect(world.held == RepairTests.all)
    }

    @Test func repairAfterRebootMakesOnlyTheCallsThatAreNeeded() throws {
        var world = RepairTests.worldWithFiveFences(limit: 5)
        _ = try world.repaired()
        Self.rebooted(&world)
        world.fences.removeAll { $0.id == "f5" }
        world.fences.append(World.fence("g", 500))
        let report = try world.repaired()
        #expect(report.isComplete && report.steps.allSatisfy { $0.outcome == .done })
        let changes = report.steps.map { "\($0.operation.verb) \($0.operation.id)" }.filter { !$0.hasPrefix("requestState") }
        #expect(changes == ["stop f5", "start g"])
    }

    @Test func waitEndsWhenTheRegionsAreGoneForGood() throws {
        var world = RepairTests.worldWithFiveFences(limit: 5)
        _ = try world.repaired()
        world.os.policies.reboot = .drop
        world.os.reboot()
        let begun = world.os.now
        #expect(try world.repaired().isComplete)
        #expect(world.held == RepairTests.all)
        #expect(world.os.now - begun < 150)
    }

    @Test func emptyListIsBelievedLongAfterRebootAndAfterReinstallation() throws {
        for isReinstalled in [false, true] {
            var world = RepairTests.worldWithFiveFences(limit: 5)
            _ = try world.repaired()
            world.os.policies.reboot = .drop
            world.os.reboot()
            if isReinstalled { world.os.reinstall() } else { world.os.advance(to: world.os.now + 3600) }
            let begun = world.os.now
            let report = try world.repaired()
            #expect(report.steps.first.map { $0.at - begun < 1 } == true)
        }
    }

    @Test func repairAfterRebootIsNeverRefused() throws {
        for seed in Histories.seeds(0...999) {
            var world = PropertyTests.world(seed, profiles: [.ios])
            _ = try world.repaired()
            // A phone without Picket's regions gives no sign of what its list hides.
            guard !world.held.isEmpty else { continue }
            for _ in 0..<Int.random(in: 0...4, using: &world.random) { PropertyTests.causeRandomEvent(&world, faults: false) }
            Self.rebooted(&world)
            world.os.advance(to: world.os.now + Double.random(in: 0...59, using: &world.random))
            let report = try world.repaired()
            let refused = report.steps.filter { $0.error != nil }
            #expect(refused.isEmpty, "seed \(seed): \(refused.map { "\($0.operation.verb) \($0.operation.id)" })")
            #expect(report.isComplete, "seed \(seed): \(report.after.statusSummary)")
            #expect(try PropertyTests.difference(&world) == nil, "seed \(seed)")
        }
    }
}
