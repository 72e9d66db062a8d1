import Geodesy
import Model
import Registry
import SimulatedOS
import Testing

@testable import Reconciler

/// Tests the order of the operations.
@Suite struct PlanTests {
    static func lines(_ world: inout World) -> [String] { world.assess().plan.map { "\($0.verb) \($0.id)" } }

    @Test func fullRegistryFirstMakesRoomForSentinelThenForNewRegions() {
        var world = World(.ios, limit: 6)
        world.fences = (1...4).map { World.fence("old\($0)", 0, Double($0) * 1000) } + [World.fence("keep", 1000)]
        world.observe(0)
        world.os.add(Region(id: RegionID("sdk/a"), circle: Circle(center: World.home, radius: 200)))
        world.repair()
        #expect(world.os.regions.count == 6)
        // Three of the old geofences are removed, and two of the new ones are around the device.
        world.fences.removeAll { ["old1", "old2", "old3"].contains($0.id) }
        world.fences += (1...6).map { World.fence("new\($0)", $0 > 2 ? 2000 * Double($0) : 0, 10 - Double($0)) }
        #expect(Self.lines(&world) == ["stop old1", "start #sentinel", "stop old2", "stop old3", "start new1", "start new2"])
    }

    @Test func aReplacementNeedsNoRemoval() {
        var world = HealthTests.healthy(limit: 5)
        world.fences[2] = World.fence("f3", 3000, radius: 400)
        #expect(Self.lines(&world) == ["start f3"])
    }

    @Test func correctRegionsAreNotInThePlan() {
        var world = HealthTests.healthy()
        #expect(Self.lines(&world).isEmpty)
        world.fences.append(World.fence("f6", 100))
        #expect(Self.lines(&world) == ["start f6"])
        world.fences.removeAll { $0.id == "f1" }
        #expect(Self.lines(&world) == ["start f6", "stop f1"])
    }

    @Test func eachOperationHasAReason() {
        var world = HealthTests.healthy(limit: 5)
        world.fences.removeAll { $0.id == "f5" }
        world.fences += [World.fence("f6", 0), World.fence("f7", 6000)]
        #expect(
            world.assess().plan.map { "\($0.verb) \($0.id): \($0.words(.ios))" } == [
                "stop f5: there is no longer a geofence with this identifier",
                "start #sentinel: some geofences are not registered; when the device leaves this circle, Picket chooses again",
                "stop f4: its boundary is 3.9 km away, and other geofences need the slots",
                "start f6: it should be registered, but is not",
            ])
    }
}
