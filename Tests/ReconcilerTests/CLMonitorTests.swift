import Geodesy
import Model
import Registry
import SimulatedOS
import Testing

@testable import Reconciler

/// Tests health and repair where a live region cannot be replaced, and regions over the limit are listed.
@Suite struct CLMonitorTests {
    static func healthy(limit: Int = 5) -> World {
        var world = World(.clmonitor, limit: limit)
        world.fences = (1...limit).map { World.fence("f\($0)", 1000 * Double($0)) }
        world.observe(0)
        world.repair()
        return world
    }

    @Test func aWrongRegionIsStoppedRightBeforeItIsAdded() throws {
        var world = Self.healthy()
        world.fences[2] = World.fence("f3", 3000, radius: 400)
        #expect(PlanTests.lines(&world) == ["stop f3", "start f3"])
        let report = try world.repaired()
        #expect(report.isComplete)
        #expect(report.steps.map(\.operation.verb).prefix(2) == ["stop", "start"])
        #expect(try world.repaired().callCount == 0)
    }

    @Test func anUnmonitoredRegionIsNotHealthyAndGetsTheSlotOfAnOrphan() throws {
        var world = Self.healthy()
        let region = try #require(world.os.regions.first { $0.id == RegionID(geofence: "f1") })
        world.os.dropRegions([region.id])
        world.os.add(Region(id: RegionID(geofence: "gone"), circle: Circle(center: World.home, radius: 200)))
        world.os.add(region)
        let finding = try #require(world.health().findings.first { $0.geofenceID == "f1" })
        #expect(finding.kind == .unmonitored && finding.kind.severity == .unhealthy)
        #expect(finding.words(world.os.profile) == "iOS lists it, but does not monitor it, because there are more than 5 regions")
        #expect(finding.recoveryAction == .fixRegistration)
        #expect(PlanTests.lines(&world) == ["stop gone"])
        let report = try world.repaired()
        #expect(report.isComplete && world.os.isMonitoring(region.id))
        #expect(try world.repaired().callCount == 0)
    }

    @Test func anUnmonitoredSentinelIsReplaced() throws {
        var world = Self.healthy()
        world.fences.append(World.fence("f6", 6000))
        world.repair()
        let sentinel = try #require(world.os.regions.first { $0.id == .sentinel })
        world.os.dropRegions([.sentinel])
        world.os.add(Region(id: RegionID(geofence: "gone"), circle: Circle(center: World.home, radius: 200)))
        world.os.add(sentinel)
        #expect(PlanTests.lines(&world) == ["stop gone", "stop #sentinel", "start #sentinel"])
        #expect(try world.repaired().isComplete && world.os.isMonitoring(.sentinel))
    }

    @Test func aRepairThatIsKilledBetweenStopAndStartIsFinishedByTheNext() throws {
        for point in 0...8 {
            var world = Self.healthy()
            world.fences[2] = World.fence("f3", 3000, radius: 400)
            world.repair(killedAt: point)
            #expect(try world.repaired().isComplete, "killed at \(point)")
            #expect(world.held.count == 5 && !world.journal.isOpen, "killed at \(point)")
        }
    }
}
