import Model
import Registry
import Testing

@testable import SimulatedOS

/// Tests the documented rules about what the operating system reports, and when it reports nothing.
@Suite struct WatchingTests {
    @Test func iOSReportsEnterAtBoundaryAndExit100MetersOutsideAfter20Seconds() {
        var phone = Phone(.ios)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region(radius: 200))
        #expect(phone.observe(201, at: 10).isEmpty)
        #expect(phone.observe(199, at: 20).isEmpty)
        #expect(phone.observe(150, at: 39).isEmpty)
        #expect(phone.observe(150, at: 45) == ["entered home@40"])
        #expect(phone.observe(299, at: 100).isEmpty)
        #expect(phone.wait(until: 200).isEmpty)
        #expect(phone.observe(301, at: 210).isEmpty)
        #expect(phone.wait(until: 229).isEmpty)
        #expect(phone.wait(until: 230) == ["exited home@230"])
    }

    @Test func shortChangeIsNotReported() {
        var phone = Phone(.ios)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region(radius: 200))
        _ = phone.observe(150, at: 10)
        _ = phone.observe(400, at: 25)
        #expect(phone.observe(400, at: 600).isEmpty)
    }

    @Test func androidReportsAfterItsNotificationDelay() {
        var phone = Phone(.android)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region(radius: 200))
        #expect(phone.observe(199, at: 10) == ["entered home@10"])
        #expect(phone.observe(201, at: 20) == ["exited home@20"])
        phone.os.setPatience(120)
        _ = phone.observe(199, at: 30)
        #expect(phone.wait(until: 149).isEmpty)
        #expect(phone.wait(until: 150) == ["entered home@150"])
    }

    @Test func iOSReportsNoEnterForRegionAddedAroundThePhone() throws {
        var phone = Phone(.ios)
        _ = phone.observe(0, at: 0)
        var region = Phone.region()
        region.initialTrigger = .enter
        _ = phone.start(region)
        #expect(phone.wait(until: 60).isEmpty)
        #expect(try phone.os.requestState(region.id) == .inside)
        _ = phone.observe(400, at: 100)
        #expect(phone.wait(until: 120) == ["exited home@120"])
    }

    @Test func androidReportsEnterForRegionAddedAroundThePhoneIfInitialTriggerAsks() {
        var phone = Phone(.android)
        _ = phone.observe(0, at: 0)
        _ = phone.start(Phone.region("quiet"))
        #expect(phone.takeReportTexts().isEmpty)
        var region = Phone.region("asked")
        region.initialTrigger = [.enter, .exit]
        _ = phone.start(region)
        #expect(phone.takeReportTexts() == ["entered asked@0"])
        region = Phone.region("away", east: 1000)
        region.initialTrigger = [.exit]
        _ = phone.start(region)
        #expect(phone.takeReportTexts() == ["exited away@0"])
    }

    @Test func androidDoesNotSupportStateRequests() {
        var phone = Phone(.android)
        _ = phone.start(Phone.region())
        #expect(throws: RegistryError(.unsupported)) { try phone.os.requestState(RegionID(geofence: "home")) }
    }

    /// The situations in which the operating system reports nothing: the platform, a name, and a function that ends (true) or starts
    /// (false) the situation.
    static let deafness: [(PlatformProfile, String, @Sendable (inout SimulatedOS, Bool) -> Void)] = [
        (.ios, "not authorised", { $0.authorize($1 ? .always : .denied) }),
        (.ios, "while in use", { $0.authorize($1 ? .always : .whenInUse) }),
        (.ios, "location off", { $0.setLocationServices($1) }),
        (.ios, "imprecise", { $0.setPreciseLocation($1) }),
        (.ios, "no background refresh", { $0.setBackgroundRefresh($1) }),
    ]

    @Test(arguments: deafness.indices)
    func deafPhoneReportsNothingAndKeepsItsRegions(_ row: Int) {
        let (profile, _, hears) = Self.deafness[row]
        var phone = Phone(profile)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        hears(&phone.os, false)
        #expect(phone.os.isDeaf)
        _ = phone.observe(0, at: 10)
        #expect(phone.wait(until: 100).isEmpty)
        #expect(phone.names == ["home"])
        hears(&phone.os, true)
        _ = phone.observe(0, at: 110)
        #expect(phone.wait(until: 130) == ["entered home@130"])
    }

    @Test func registrationWithoutAuthorizationFailsLaterOnIOS() {
        var phone = Phone(.ios)
        phone.os.authorize(.denied)
        #expect(phone.start(Phone.region()) == nil)
        #expect(phone.names == ["home"])
        #expect(phone.wait(until: 5) == ["failed home 4"])
    }

    @Test(arguments: Authorization.allCases.filter { $0 != .always })
    func registrationWithoutAuthorizationFailsTheCallOnAndroid(_ status: Authorization) {
        var phone = Phone(.android)
        phone.os.authorize(status)
        #expect(phone.start(Phone.region()) == 1004)
        #expect(phone.names.isEmpty)
    }

    @Test func locationServicesOffRemovesAllAndRefusesNewRegionsOnAndroid() {
        var phone = Phone(.android)
        _ = phone.start(Phone.region())
        phone.os.setLocationServices(false)
        #expect(phone.names.isEmpty)
        #expect(phone.start(Phone.region()) == 1000)
        phone.os.setLocationServices(true)
        #expect(phone.start(Phone.region()) == nil)
    }

    @Test func batteryOptimizationDelaysReportsByMinutes() {
        var phone = Phone(.android)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        phone.os.setBatteryOptimized(true)
        #expect(phone.observe(0, at: 10).isEmpty)
        #expect(phone.wait(until: 189).isEmpty)
        #expect(phone.wait(until: 190) == ["entered home@190"])
    }

    @Test func eachReportContainsTheFix() {
        var phone = Phone(.ios)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        _ = phone.observe(50, at: 10)
        phone.os.advance(to: Phone.at(40))
        let report = phone.os.takeReports().first
        #expect(report?.fix?.time == Phone.at(10))
        #expect(report?.fix?.accuracy == 5)
    }

    @Test func deafRegionReportsNothingAndKnowsItsState() throws {
        var phone = Phone(.ios)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        phone.os.deafen(RegionID(geofence: "home"))
        _ = phone.observe(0, at: 10)
        #expect(phone.wait(until: 60).isEmpty)
        #expect(try phone.os.requestState(RegionID(geofence: "home")) == .inside)
    }

    @Test func oldFixIsIgnored() {
        var phone = Phone(.android)
        _ = phone.observe(500, at: 100)
        _ = phone.start(Phone.region())
        #expect(phone.observe(0, at: 50).isEmpty)
    }
}
