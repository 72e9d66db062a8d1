import Geodesy
import Model
import Registry
import SimulatedOS
import Testing

@testable import Reconciler

/// A device whose slots are all taken by regions of other SDKs.
@Suite struct NoRoomTests {
    /// A phone near five geofences, none of which has a slot.
    private static func fullWorld(_ profile: PlatformProfile) -> World {
        var world = RepairTests.worldWithFiveFences(profile, limit: 3)
        for number in 0..<3 {
            world.os.add(Region(id: RegionID("sdk/\(number)"), circle: Circle(center: World.home, radius: 200)))
        }
        return world
    }

    @Test(arguments: [PlatformProfile.ios, .android])
    func deviceWithoutRoomIsNotHealthy(_ profile: PlatformProfile) throws {
        var world = Self.fullWorld(profile)
        _ = try world.repaired()
        let health = world.health()
        #expect(health.isHealthy == false)
        #expect(health.statusSummary == "No room for geofences in \(profile.name)")
        let degrading = health.findings.filter { $0.kind == .degraded }
        #expect(degrading.map(\.cause) == [.noSlots] && degrading.map(\.recoveryAction) == [.fixRegistration])
        #expect(degrading.first?.words(profile) == "other SDKs in the app use all slots")
        #expect(health.problem == .regionLimitReached(limit: 3))
        #expect(health.atRiskCount == 5)
    }

    @Test(arguments: [PlatformProfile.ios, .android])
    func repairRegistersGeofencesWhenRoomWasMade(_ profile: PlatformProfile) throws {
        var world = Self.fullWorld(profile)
        _ = try world.repaired()
        world.os.dropRegions((0..<3).map { RegionID("sdk/\($0)") })
        // Where the list cannot be read, an empty capacity is tried again after a while.
        world.os.advance(to: world.os.now + 3600)
        let report = try world.repaired()
        #expect(report.after.isHealthy == true && !report.after.registeredWithOS.isEmpty)
    }

    @Test func deviceWithoutGeofencesNeedsNoRoom() {
        var world = Self.fullWorld(.ios)
        world.fences = []
        #expect(world.health().statusSummary == "No active geofences" && world.health().isHealthy == true)
    }
}
