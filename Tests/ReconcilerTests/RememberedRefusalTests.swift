import Geodesy
import Model
import Registry
import SimulatedOS
import Testing

@testable import Reconciler

/// What health says about regions whose registration the operating system refused.
@Suite struct RememberedRefusalTests {
    /// The causes of all missing regions.
    private static func causesOfMissing(_ world: inout World) -> [Finding.Cause] {
        world.health().findings.filter { $0.kind == .missing }.map(\.cause)
    }

    @Test(arguments: [
        (RegistryError.Code.insufficientLocationPermission, Problem.RecoveryAction.openSettings),
        (.geofenceNotAvailable, .openSettings), (.requestTooFrequent, .fixRegistration),
    ])
    func healthNamesRefusalThatStoppedRepair(_ code: RegistryError.Code, _ action: Problem.RecoveryAction) throws {
        var world = RepairTests.worldWithFiveFences(.android)
        world.os.faults.next = Array(repeating: .refuse(code), count: 200)
        #expect(try !world.repaired().isComplete)
        world.os.faults.next = []
        let health = world.health()
        let missing = health.findings.filter { $0.kind == .missing }
        #expect(missing.map(\.cause) == Array(repeating: .refused(RegistryError(code)), count: 5))
        #expect(missing.allSatisfy { $0.recoveryAction == action })
        #expect(missing.first?.words(.android) == "Android refused it: \(RegistryError(code))")
        #expect(try RegistryJournal(json: JSONParser.parse(world.journal.json.description)) == world.journal)
    }

    @Test func laterSuccessEndsRefusal() throws {
        var world = RepairTests.worldWithFiveFences(.android)
        world.os.faults.next = [.refuse(.insufficientLocationPermission)]
        _ = try world.repaired()
        #expect(Self.causesOfMissing(&world).count == 5)
        #expect(try world.repaired().isComplete)
        #expect(world.journal.refusals.isEmpty)
        // What the operating system drops afterward was not refused.
        world.os.reboot()
        #expect(Self.causesOfMissing(&world).allSatisfy { $0 == .mayHaveBeenDropped(.reboot) })
    }

    @Test func disruptionEndsRefusal() throws {
        var world = RepairTests.worldWithFiveFences(.android)
        world.os.faults.next = [.refuse(.insufficientLocationPermission)]
        _ = try world.repaired()
        world.os.advance(to: world.os.now + 60)
        world.os.reboot()
        #expect(Self.causesOfMissing(&world).allSatisfy { $0 == .notListed })
    }

    @Test func geofenceLeftOutAfterRefusalForTheLimitNamesRefusal() throws {
        var world = World(.android, limit: 4)
        world.fences = (1...5).map { World.fence("f\($0)", 10 * Double($0)) }
        world.observe(0)
        for number in 0..<2 {
            world.os.add(Region(id: RegionID("sdk/\(number)"), circle: Circle(center: World.home, radius: 200)))
        }
        _ = try world.repaired()
        let refused = world.health().findings.filter { $0.cause == .refused(RegistryError(.tooManyGeofences)) }
        #expect(!refused.isEmpty && refused.allSatisfy { $0.kind == .overBudget || $0.kind == .missing })
    }

    @Test func refusalOfRemovedGeofenceIsForgotten() throws {
        var world = RepairTests.worldWithFiveFences(.android)
        world.os.faults.next = [.refuse(.insufficientLocationPermission)]
        _ = try world.repaired()
        world.fences.removeAll { $0.id == "f1" }
        world.os.faults.next = [.refuse(.insufficientLocationPermission)]
        _ = try world.repaired()
        #expect(Set(world.journal.refusals.keys.map(\.shortText)) == ["f2", "f3", "f4", "f5"])
    }
}
