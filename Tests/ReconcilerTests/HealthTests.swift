import Geodesy
import Model
import Registry
import SimulatedOS
import Testing

@testable import Reconciler

@Suite struct HealthTests {
    /// A phone with five geofences, all of them registered.
    static func healthy(_ profile: PlatformProfile = .ios, limit: Int? = nil) -> World {
        var world = RepairTests.worldWithFiveFences(profile, limit: limit)
        world.repair()
        return world
    }

    // MARK: - The summary, in order of precedence

    /// Creates every kind of problem and then fixes one after the other. Each time the summary names the most important remaining problem.
    @Test func summaryNamesTheMostImportantFinding() throws {
        var world = Self.healthy()
        world.os.drift(RegionID(geofence: "f1"), meters: 100)
        world.os.add(Region(id: RegionID(geofence: "old"), circle: Circle(center: World.place(0, 9000), radius: 200)))
        world.os.dropRegions([RegionID(geofence: "f2"), RegionID(geofence: "f3")])
        world.os.setPreciseLocation(false)
        world.os.authorize(.whenInUse)
        world.os.setLocationServices(false)
        #expect(GeofenceHealthStatus.unknown(world.context, world.candidates).statusSummary == "Unknown")
        #expect(world.health().statusSummary == "Location services disabled")
        world.os.setLocationServices(true)
        #expect(world.health().statusSummary == "Needs 'Always' authorization")
        world.os.authorize(.always)
        #expect(world.health().statusSummary == "2 geofence(s) not registered with iOS")
        for name in ["f2", "f3"] {
            world.os.add(Region(id: RegionID(geofence: name), circle: world.candidates[name]!.circle))
        }
        #expect(world.health().statusSummary == "1 orphan region(s) in iOS")
        world.os.dropRegions([RegionID(geofence: "old")])
        #expect(world.health().statusSummary == "1 region(s) wrong in iOS")
        world.os.add(Region(id: RegionID(geofence: "f1"), circle: world.candidates["f1"]!.circle))
        #expect(world.health().statusSummary == "Precise location off")
        world.os.setPreciseLocation(true)
        #expect(world.health().statusSummary == "Healthy")
        world.fences = []
        world.os.dropRegions(world.os.regions.map(\.id))
        #expect(world.health().statusSummary == "No active geofences")
        #expect(world.health().isHealthy == true)
    }

    @Test func summaryNamesAndroid() {
        var world = Self.healthy(.android)
        world.os.reboot()
        #expect(world.health().statusSummary == "5 geofence(s) not registered with Android")
    }

    @Test(arguments: [
        ("Background refresh off", PlatformProfile.ios, { @Sendable (os: inout SimulatedOS) in os.setBackgroundRefresh(false) }),
        ("Battery optimized", .android, { @Sendable (os: inout SimulatedOS) in os.setBatteryOptimized(true) }),
    ])
    func whatDegradesIsNamed(_ summary: String, _ profile: PlatformProfile, _ degrade: @Sendable (inout SimulatedOS) -> Void) {
        var world = Self.healthy(profile)
        degrade(&world.os)
        let status = world.health()
        #expect(status.statusSummary == summary)
        #expect(status.isHealthy == false)
        #expect(status.findings.map(\.kind) == [.degraded])
        #expect(status.findings.first?.recoveryAction == .openSettings)
    }

    @Test func deviceWithUnknownRegistryIsNeitherHealthyNorUnhealthy() {
        let world = Self.healthy()
        let status = GeofenceHealthStatus.unknown(world.context, world.candidates)
        #expect(status.isHealthy == nil && status.isManaged && status.savedCount == 5)
        #expect(status.json()["isHealthy"] == .null)
    }

    @Test func aDeviceWithoutARegistryIsNotManaged() {
        let status = GeofenceHealthStatus.notManaged(Device(id: "tracker"))
        #expect(status.statusSummary == "Not managed")
        #expect(status.isHealthy == nil && !status.isManaged)
        #expect(status.json()["platform"] == .null)
    }

    // MARK: - Findings

    static func finding(_ world: inout World, _ id: String?) -> Finding? { world.health().findings.first { $0.geofenceID == id } }

    @Test func missingAndOrphanedRegionsAreNamed() throws {
        var world = Self.healthy()
        world.fences.removeAll { $0.id == "f1" }
        world.fences[0].isActive = false
        world.fences[1].devices = ["other"]
        world.os.dropRegions([RegionID(geofence: "f4")])
        let status = world.health()
        #expect(status.missingFromOS == ["f4"])
        #expect(status.orphanedInOS == ["f1", "f2", "f3"])
        #expect(status.findings.map(\.name) == ["Fence f4", "Fence f1", "Fence f2", "Fence f3"])
        #expect(
            status.findings.map { $0.words(.ios) } == [
                "it is not registered with iOS", "there is no longer a geofence with this identifier",
                "its geofence is switched off",
                "its geofence is not for this device",
            ])
        #expect(status.findings.allSatisfy { $0.recoveryAction == .fixRegistration })
        #expect(status.registeredWithOS.map(\.shortText) == ["f1", "f2", "f3", "f5"])
        #expect(status.savedInApp == ["f4", "f5"])
    }

    @Test func driftWithinToleranceIsNotFound() {
        var world = Self.healthy()
        var region = world.os.regions[0]
        region.circle.center.latitude += 0.9e-7
        region.circle.radius += 0.4
        world.os.add(region)
        #expect(world.health().isHealthy == true)
        region.circle.radius += 0.2
        world.os.add(region)
        #expect(Self.finding(&world, "f1")?.kind == .drifted)
        region.circle.radius -= 0.6
        region.circle.center.latitude += 1e-7
        world.os.add(region)
        #expect(Self.finding(&world, "f1")?.kind == .drifted)
    }

    @Test func smallRadiusIsComparedAsTheSystemUsesIt() {
        var world = RepairTests.worldWithFiveFences()
        world.fences[0] = World.fence("f1", 1000, radius: 30)
        world.repair()
        var region = world.os.regions[0]
        region.circle.radius = 80
        world.os.add(region)
        let status = world.health()
        #expect(status.isHealthy == true)
        #expect(status.findings.map(\.kind) == [.unsupported])
        #expect(status.findings.first?.words(.ios) == "its radius of 30 m is watched as 100 m")
    }

    @Test func aDeafRegionIsFound() {
        var world = Self.healthy()
        world.os.deafen(RegionID(geofence: "f2"))
        #expect(Self.finding(&world, "f2")?.kind == .deaf)
    }

    @Test func aZombieIsFoundWhenFixesContradictTheSystemForLongEnough() {
        var world = Self.healthy()
        world.os.zombify(RegionID(geofence: "f2"))
        world.observe(2000, after: 600)
        #expect(world.health().isHealthy == true)
        world.observe(2010, after: 60)
        #expect(world.health().isHealthy == true)
        world.observe(1995, after: 30)
        #expect(Self.finding(&world, "f2")?.kind == .zombie)
        #expect(
            Self.finding(&world, "f2")?.words(.ios) == "positions show the device inside, but iOS still has the state outside")
        world.repair()
        #expect(world.health().isHealthy == true)
        #expect(world.openVisits == ["f2"])
    }

    @Test func regionWithPendingEnterIsNotAZombie() {
        var world = Self.healthy()
        world.observe(2000, after: 600)
        world.os.advance(to: world.os.now + 15)
        #expect(world.health().isHealthy == true)
        world.os.advance(to: world.os.now + 1000)
        #expect(world.health().isHealthy == true)
    }

    @Test(arguments: Authorization.allCases.filter { $0 != .always })
    func authorizationBelowAlwaysNeedsAPerson(_ status: Authorization) {
        var world = Self.healthy()
        world.os.authorize(status)
        let health = world.health()
        #expect(health.findings.first?.kind == .blocked)
        #expect(health.findings.first?.recoveryAction == (status == .restricted ? .openSettings : .grantAlways))
        #expect(health.authorizationStatus == status)
    }

    @Test func foreignRegionsAreNamedAndDoNotAffectHealth() {
        var world = Self.healthy()
        world.os.add(Region(id: RegionID("com.other/\u{1}x"), circle: Circle(center: World.home, radius: 200)))
        let status = world.health()
        #expect(status.isHealthy == true)
        #expect(status.findings.map(\.kind) == [.foreign])
        #expect(status.findings.first?.name == "com.other/\\u{1}x")
    }

    @Test func fullPhoneIsHealthyAndNamesTheGeofencesLeftOut() {
        var world = World(.ios)
        // Nineteen geofences around the device, and as many around another place.
        world.fences = (1...38).map { World.fence("f\($0)", $0 > 19 ? 60_000 : 0, Double($0 % 19) * 10) }
        world.observe(0)
        world.repair()
        let status = world.health()
        #expect(status.isHealthy == true && status.statusSummary == "Healthy")
        #expect(status.registeredWithOS.count == 20)
        #expect(status.registeredWithOS.contains(.sentinel))
        #expect(status.overBudgetCount == 19)
        #expect(status.findings.count { $0.kind == .overBudget } == 19)
        #expect(status.missingFromOS.isEmpty && status.orphanedInOS.isEmpty)
        // At the other place those are needed, and the registered ones become surplus. A minute is too short for the exits.
        world.openVisits = []
        world.observe(60_000, after: 600)
        let moved = world.health()
        #expect(moved.isHealthy == false)
        #expect(moved.findings.contains { $0.kind == .surplus })
        #expect(moved.findings.contains { $0.kind == .drifted && $0.geofenceID == "#sentinel" })
    }

    @Test func polygonsAreReportedAsMonitoredByTheirCircle() {
        var world = RepairTests.worldWithFiveFences()
        world.fences.append(
            Geofence(
                id: "park", name: "Park",
                shape: .polygons([
                    Polygon(exterior: [
                        World.place(0, 1000), World.place(500, 1000), World.place(500, 1500), World.place(0, 1500),
                    ])
                ])))
        world.repair()
        let status = world.health()
        #expect(status.isHealthy == true)
        #expect(status.findings.map(\.kind) == [.unsupported])
        #expect(world.os.regions.first { $0.id.shortText == "park" }?.circle.radius ?? 0 > 350)
    }

    @Test func geofencesBeyondTheLimitAroundTheDeviceAreAtRisk() {
        var world = World(.ios, limit: 4)
        world.fences = (0..<8).map { World.fence("f\($0)", 150, Double($0) * 5, radius: 120, priority: $0) }
        world.observe(0)
        world.repair()
        let status = world.health()
        #expect(status.isHealthy == true)
        #expect(status.atRiskCount == 5)
        #expect(status.findings.count { $0.kind == .atRisk } == 5)
    }

    @Test func healthSaysThatThereIsNoFix() {
        var world = World(.ios, limit: 3)
        world.fences = (1...5).map { World.fence("f\($0)", Double($0) * 1000) }
        world.repair()
        let status = world.health()
        #expect(status.lacksFix && status.isHealthy == true)
        #expect(status.findings.first?.words(.ios).contains("no position yet") == true)
        #expect(world.held == ["f1", "f2", "f3"])
    }

    @Test func longIDsAndControlCharactersAreReported() {
        var world = Self.healthy()
        let long = "x\u{0}" + String(repeating: "y", count: 1000)
        world.os.add(Region(id: RegionID(geofence: long), circle: Circle(center: World.home, radius: 200)))
        let status = world.health()
        #expect(status.orphanedInOS == [long])
        #expect(status.findings.first?.name?.count == 84)
        #expect(throws: Never.self) { try JSONParser.parse(status.json().description) }
        world.repair()
        #expect(world.held == RepairTests.all)
    }

    // MARK: - JSON

    @Test func jsonHasTheDocumentedMembersAndNamesTheirValues() throws {
        var world = Self.healthy()
        world.os.dropRegions([RegionID(geofence: "f2")])
        let json = world.health().json()
        let names = json.members?.map(\.name) ?? []
        for name in [
            "deviceId", "platform", "registeredWithOS", "savedInApp", "missingFromOS", "orphanedInOS", "authorizationStatus",
            "locationServicesEnabled", "isHealthy", "statusSummary", "findings",
        ] { #expect(names.contains(name), "\(name)") }
        #expect(json["missingFromOS"] == ["f2"])
        #expect(json["isHealthy"] == false)
        let finding = try #require(json["findings"]?.array?.first)
        #expect(finding.members?.map(\.name) == ["finding", "geofenceId", "name", "cause", "recoveryAction"])
        #expect(finding["recoveryAction"] == "fixRegistration")
    }

    @Test func jsonOfReportHasTheDocumentedMembers() throws {
        var world = Self.healthy()
        world.os.dropRegions([RegionID(geofence: "f2")])
        let planned = RepairOutcome(planned: world.assess()).json()
        #expect(planned["calls"]?.double == 0)
        #expect(planned["operations"]?.array?.first?["outcome"] == "planned")
        let done = try world.repaired().json()
        #expect(
            done.members?.map(\.name).filter { ["deviceId", "before", "operations", "after", "calls", "left"].contains($0) }.count
                == 6)
        #expect(done["operations"]?.array?.first?["identifier"] == "f2")
        #expect(done["operations"]?.array?.first?["outcome"] == "done")
        #expect(done["left"] == [])
    }

    // MARK: - Explain

    @Test func explanationGivesTheStatusOfEachFence() {
        var world = World(.ios, limit: 4)
        world.fences = (1...6).map { World.fence("f\($0)", Double($0) * 1000) } + [World.fence("near", 0, 300)]
        world.fences.append(World.fence("big", 0, radius: 200_000))
        world.fences.append(World.fence("off", 0))
        world.fences[8].isActive = false
        world.fences.append(World.fence("theirs", 0))
        world.fences[9].devices = ["other"]
        world.fences.append(World.fence("here", 0))
        world.observe(0)
        let before = world.assess()
        #expect(
            before.registrationReason(of: "here").words(.ios)
                == "missing: it should be registered, because the device is in it, so its exit must be reported")
        world.repair()
        let assessment = world.assess()
        func words(_ id: String) -> String { assessment.registrationReason(of: id).words(.ios) }
        #expect(words("here") == "registered: the device is in it, so its exit must be reported")
        #expect(words("near") == "registered: its boundary is 150 m away, too close for the sentinel to guard it")
        world.fences.removeAll { $0.id == "near" }
        world.os.add(world.candidates["f5"]!.region)
        #expect(
            world.assess().registrationReason(of: "f5").words(.ios)
                == "registered: its boundary is 4.9 km away, and no other geofence needs its slot more")
        #expect(words("f6").hasPrefix("not registered: its boundary is 5.9 km away; Picket chooses again"))
        #expect(words("big") == "never registered: its radius of 200 km is larger than iOS watches; only positions decide")
        #expect(words("off") == "not registered: it is switched off")
        #expect(words("theirs") == "not registered: it is not for this device")
        #expect(words("nowhere") == "there is no such geofence")
    }
}
