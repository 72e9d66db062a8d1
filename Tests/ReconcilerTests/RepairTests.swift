import Geodesy
import Model
import Registry
import SimulatedOS
import Testing

@testable import Reconciler

@Suite struct RepairTests {
    /// A phone near five geofences, none of them registered.
    static func worldWithFiveFences(_ profile: PlatformProfile = .ios, limit: Int? = nil) -> World {
        var world = World(profile, limit: limit)
        world.fences = (1...5).map { World.fence("f\($0)", Double($0) * 1000) }
        world.observe(0)
        return world
    }

    static let all = ["f1", "f2", "f3", "f4", "f5"]

    @Test(arguments: [PlatformProfile.ios, .android])
    func missingRegionsAreAddedAndSecondRepairMakesNoCall(_ profile: PlatformProfile) throws {
        var world = Self.worldWithFiveFences(profile)
        let report = try world.repaired()
        #expect(report.before.isHealthy == false)
        #expect(report.after.isHealthy == true)
        #expect(report.steps.filter { $0.operation.verb == "start" }.map(\.operation.id.shortText) == Self.all)
        #expect(report.remainingFindings.isEmpty && report.isComplete && report.problem == nil)
        #expect(world.held == Self.all)
        let saves = world.saves
        let second = try world.repaired()
        #expect(second.callCount == 0)
        #expect(world.saves == saves)
    }

    @Test func statesOfAddedRegionsAreRequestedAndContradictionsReturned() throws {
        var world = Self.worldWithFiveFences()
        world.fences.append(World.fence("here", 0))
        // The fix is so old that the device may be anywhere now.
        world.os.advance(to: world.os.now + 10_800)
        let report = try world.repaired()
        #expect(report.steps.count { $0.operation.verb == "requestState" } == 6)
        #expect(report.reconciled.map(\.geofenceID) == ["here"])
        #expect(report.reconciled.first?.state == .inside)
        #expect(world.openVisits == ["here"])
    }

    @Test func statesThatTheNewestFixTellsAreNotRequested() throws {
        var world = Self.worldWithFiveFences()
        world.fences.append(World.fence("here", 0))
        world.openVisits = ["here"]
        let report = try world.repaired()
        #expect(report.steps.allSatisfy { $0.operation.verb == "start" })
        #expect(world.journal.entries.values.allSatisfy { $0.isStateKnown })
        // A device that moves fast may have reached f3 and its neighbors since its fix.
        var fast = World()
        fast.fences = world.fences
        fast.observe(-3000)
        fast.observe(0, after: 60)
        fast.os.advance(to: fast.os.now + 30)
        let asked = try fast.repaired().steps.filter { $0.operation.verb == "requestState" }.map(\.operation.id.shortText)
        #expect(asked == ["f1", "f2", "here"])
    }

    @Test func contradictedVisitIsReturnedAsAnExit() throws {
        var world = Self.worldWithFiveFences()
        world.openVisits = ["f3"]
        let report = try world.repaired()
        #expect(report.reconciled.map(\.geofenceID) == ["f3"])
        #expect(report.reconciled.first?.state == .outside)
    }

    @Test func initialTriggerReplacesStateRequestsOnAndroid() throws {
        var world = Self.worldWithFiveFences(.android)
        world.fences.append(World.fence("here", 0))
        world.openVisits = ["f3"]
        let report = try world.repaired()
        #expect(report.steps.allSatisfy { $0.operation.verb == "start" })
        let reports = world.takeReports().map { "\($0.region) \($0.kind == .entered)" }
        #expect(reports.sorted() == ["f3 false", "here true"])
    }

    @Test func aWrongRegionIsReplacedAndNeverStopped() throws {
        var world = Self.worldWithFiveFences()
        world.repair()
        world.os.drift(RegionID(geofence: "f2"), meters: 50)
        world.os.deafen(RegionID(geofence: "f3"))
        let report = try world.repaired()
        #expect(report.before.statusSummary == "2 region(s) wrong in iOS")
        #expect(report.steps.map { "\($0.operation.verb) \($0.operation.id)" }.prefix(2) == ["start f2", "start f3"])
        #expect(report.steps.allSatisfy { $0.operation.verb != "stop" })
        #expect(report.after.isHealthy == true)
    }

    @Test func orphansAreRemovedAndForeignRegionsAreNot() throws {
        var world = Self.worldWithFiveFences()
        world.repair()
        world.os.add(Region(id: RegionID(geofence: "old"), circle: Circle(center: World.place(9000), radius: 200)))
        world.os.add(Region(id: RegionID("com.other/x"), circle: Circle(center: World.place(9000), radius: 200)))
        let report = try world.repaired()
        #expect(report.steps.map { "\($0.operation.verb) \($0.operation.id)" } == ["stop old"])
        #expect(world.os.regions.contains { $0.id.text == "com.other/x" })
    }

    // MARK: - Errors and their effects

    @Test func withoutAuthorizationNoRegionIsAddedAndThePersonIsAsked() throws {
        var world = Self.worldWithFiveFences()
        world.os.authorize(.whenInUse)
        world.os.add(Region(id: RegionID(geofence: "old"), circle: Circle(center: World.place(9000), radius: 200)))
        let report = try world.repaired()
        #expect(report.steps.map(\.operation.verb) == ["stop"])
        #expect(report.problem == .authorizationRequired(status: "whenInUse"))
        #expect(report.remainingFindings.first?.recoveryAction == .grantAlways)
        #expect(try world.repaired().callCount == 0)
        world.os.authorize(.always)
        #expect(try world.repaired().isComplete == true)
    }

    @Test(arguments: [
        (PlatformProfile.ios, RegistryError.Code.regionMonitoringDenied), (.android, .insufficientLocationPermission),
    ])
    func aDenialWaitsForThePerson(_ profile: PlatformProfile, _ code: RegistryError.Code) throws {
        var world = Self.worldWithFiveFences(profile)
        world.os.faults.next = [.refuse(code)]
        let report = try world.repaired()
        #expect(!report.isComplete)
        #expect(report.problem?.code == "regionMonitoringDenied")
        #expect(report.steps.contains { $0.error?.code == code })
        // The repair does not try again after the denial.
        #expect(report.steps.count { $0.operation.id.shortText == "f1" && $0.operation.verb == "start" } == 1)
    }

    @Test(arguments: [
        (PlatformProfile.ios, RegistryError.Code.regionMonitoringSetupDelayed), (.ios, .regionMonitoringResponseDelayed),
        (.ios, .regionMonitoringFailure), (.android, .geofenceNotAvailable), (.android, .requestTooFrequent),
    ])
    func aPassingFailureIsWaitedOut(_ profile: PlatformProfile, _ code: RegistryError.Code) throws {
        var world = Self.worldWithFiveFences(profile)
        world.os.faults.next = [.refuse(code), .refuse(code), .refuse(code)]
        let begun = world.os.now
        let report = try world.repaired()
        #expect(report.isComplete)
        #expect(world.held == Self.all)
        #expect(report.steps.contains { $0.outcome == .failed && $0.error?.code == code })
        #expect(world.os.now - begun >= 1)
        #expect(try world.repaired().callCount == 0)
    }

    @Test func alternativeRegionOfAnErrorIsTriedAndKept() throws {
        var world = Self.worldWithFiveFences()
        world.os.faults.next = [.refuse(.regionMonitoringResponseDelayed)]
        #expect(try world.repaired().isComplete == true)
        #expect(world.os.regions.first { $0.id.shortText == "f1" }?.circle.radius == 225)
        #expect(try world.repaired().callCount == 0)
        // A different circle for the geofence makes the alternative obsolete.
        world.fences[0] = World.fence("f1", 1000, radius: 300)
        #expect(try world.repaired().isComplete == true)
        #expect(world.os.regions.first { $0.id.shortText == "f1" }?.circle.radius == 300)
    }

    @Test(arguments: [Faults.Fault.loseStart, .loseStop, .noAnswer, .noState])
    func lostCallsAreFoundWhenTheRegistryIsReadBack(_ fault: Faults.Fault) throws {
        var world = Self.worldWithFiveFences()
        world.os.advance(to: world.os.now + 3600)
        world.os.add(Region(id: RegionID(geofence: "old"), circle: Circle(center: World.place(9000), radius: 200)))
        world.os.faults.next = [fault, fault]
        let report = try world.repaired()
        #expect(report.isComplete)
        #expect(world.held == Self.all)
        #expect(world.os.faults.next.isEmpty)
        #expect(try world.repaired().callCount == 0)
    }

    @Test func registryThatNeverAnswersIsUnknown() throws {
        var world = Self.worldWithFiveFences()
        world.os.faults.next = Array(repeating: .noAnswer, count: 20)
        let report = try world.repaired()
        #expect(report.after.isHealthy == nil)
        #expect(report.after.statusSummary == "Unknown")
        #expect(report.problem?.code == "registryUnavailable")
        #expect(report.callCount == 0)
    }

    @Test func failingOperationIsAbandonedAfterLimitAndReported() throws {
        var world = Self.worldWithFiveFences()
        world.os.faults.next =
            Array(repeating: .refuse(.regionMonitoringSetupDelayed), count: 0)
            + Array(repeating: .loseStart, count: 200)
        let report = try world.repaired()
        #expect(!report.isComplete)
        #expect(report.remainingFindings.count == 5)
        #expect(report.callCount == 5 * Repair.mostAttempts)
    }

    @Test func slotTakenByAnotherSDKDuringRepairReducesBudget() throws {
        var world = Self.worldWithFiveFences(limit: 5)
        // After the registry was read and before the first call, another SDK takes two slots.
        var repair = Repair(of: world.context, candidates: world.candidates, journal: world.journal)
        var action = repair.handle(.begin, at: world.os.now, using: &world.random)
        var hasStolen = false
        while action != .finish {
            var event = Repair.Event.woke
            switch action {
            case .read: event = .read(try world.os.snapshot())
            case .save: event = .saved
            case .perform(let operation):
                if !hasStolen {
                    hasStolen = true
                    for name in ["a", "b"] {
                        world.os.add(Region(id: RegionID("sdk/\(name)"), circle: Circle(center: World.home, radius: 200)))
                    }
                }
                event = .done(nil)
                switch operation.kind {
                case .start(let region): try world.os.startMonitoring(region)
                case .stop(let id): try world.os.stopMonitoring(id)
                case .requestState(let id): event = .done(try world.os.requestState(id))
                }
            case .wait(let deadline): world.os.advance(to: deadline)
            case .recordStates: event = .statesRecorded
            case .finish: break
            }
            action = repair.handle(event, at: world.os.now, using: &world.random)
        }
        #expect(repair.report.isComplete)
        #expect(world.held == ["#sentinel", "f1", "f2"])
        #expect(world.os.regions.count == 5)
    }

    @Test func repairOnFullAndroidUsesTheFreeSlots() throws {
        var world = Self.worldWithFiveFences(.android, limit: 6)
        for name in ["a", "b", "c"] {
            world.os.add(Region(id: RegionID("sdk/\(name)"), circle: Circle(center: World.home, radius: 200)))
        }
        let report = try world.repaired()
        #expect(report.steps.contains { $0.error?.code == .tooManyGeofences })
        #expect(report.isComplete)
        #expect(world.held == ["#sentinel", "f1", "f2"])
        #expect(try world.repaired().callCount == 0)
    }

    @Test func regionsAreRegisteredAgainAfterRebootOnAndroid() throws {
        var world = Self.worldWithFiveFences(.android)
        world.repair()
        world.os.reboot()
        let status = world.health()
        #expect(status.missingFromOS == Self.all)
        #expect(status.findings.first?.words(.android) == "the OS may have dropped it: the device was restarted")
        #expect(try world.repaired().isComplete == true)
        #expect(world.held == Self.all)
        #expect(try world.repaired().callCount == 0)
    }

    @Test func repairSucceedsWhenListReadsEmptyAfterReboot() throws {
        var world = Self.worldWithFiveFences(limit: 5)
        world.repair()
        world.os.policies.reboot = .emptyAtFirst
        world.os.reboot()
        world.fences[4] = World.fence("f9", 5000)
        #expect(try world.repaired().isComplete == true)
        #expect(world.held == ["f1", "f2", "f3", "f4", "f9"])
        #expect(try world.repaired().callCount == 0)
    }

    @Test func eventThatDoesNotAnswerTheActionIsIgnored() {
        var world = Self.worldWithFiveFences()
        var repair = Repair(of: world.context, candidates: world.candidates, journal: world.journal)
        let first = repair.handle(.begin, at: world.os.now, using: &world.random)
        #expect(first == .read)
        #expect(repair.handle(.statesRecorded, at: world.os.now, using: &world.random) == .read)
        #expect(repair.handle(.saved, at: world.os.now, using: &world.random) == .read)
    }

    @Test func journalIsWrittenBeforeFirstCallAndAfterLast() throws {
        var world = Self.worldWithFiveFences()
        var wasWritten: Bool?
        let saves = world.saves
        var count = 0
        world.repair { _, _ in
            count += 1
            if wasWritten == nil { wasWritten = true }
        }
        #expect(world.saves == saves + 2)
        #expect(!world.journal.isOpen)
        #expect(world.journal.entries.count == 5)
        let again = try RegistryJournal(json: JSONParser.parse(world.journal.json.description))
        #expect(again == world.journal)
    }
}
