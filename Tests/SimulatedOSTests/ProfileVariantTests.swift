import Geodesy
import Model
import Registry
import Testing

@testable import SimulatedOS

/// Tests the rules of the non-standard profiles.
@Suite struct ProfileVariantTests {
    static func phone(limit: Int = 2) -> Phone {
        var profile = PlatformProfile.clmonitor
        profile.limit = limit
        return Phone(profile)
    }

    @Test func addingALiveIdentifierHasNoEffect() throws {
        var phone = Self.phone()
        #expect(phone.start(Phone.region(radius: 200)) == nil)
        #expect(phone.start(Phone.region(radius: 300)) == nil)
        #expect(phone.os.regions.map(\.circle.radius) == [200])
        #expect(phone.wait(until: 60).isEmpty)
        try phone.os.stopMonitoring(RegionID(geofence: "home"))
        #expect(phone.start(Phone.region(radius: 300)) == nil)
        #expect(phone.os.regions.map(\.circle.radius) == [300])
    }

    @Test func regionOverTheLimitIsListedAndMonitoredWhenASlotIsFree() throws {
        var phone = Self.phone()
        _ = phone.observe(0, at: 0)
        for number in 1...4 { #expect(phone.start(Phone.region("f\(number)", east: number == 3 ? 0 : 5000)) == nil) }
        _ = phone.takeReportTexts()
        let snapshot = try phone.os.snapshot()
        #expect(snapshot.regions?.count == 4)
        #expect(snapshot.unmonitored == [RegionID(geofence: "f3"), RegionID(geofence: "f4")])
        #expect(try phone.os.requestState(RegionID(geofence: "f3")) == .unknown)
        #expect(!phone.os.isMonitoring(RegionID(geofence: "f3")))
        // The first one that was added over the limit comes first.
        try phone.os.stopMonitoring(RegionID(geofence: "f1"))
        #expect(phone.takeReportTexts() == ["entered f3@0"])
        #expect(try phone.os.snapshot().unmonitored == [RegionID(geofence: "f4")])
        phone.os.dropRegions([RegionID(geofence: "f2")])
        #expect(try phone.os.snapshot().unmonitored.isEmpty)
    }

    @Test func regionOverTheLimitReportsNothing() {
        var phone = Self.phone(limit: 1)
        _ = phone.observe(5000, at: 0)
        _ = phone.start(Phone.region("other", east: 50_000))
        _ = phone.start(Phone.region())
        _ = phone.takeReportTexts()
        #expect(phone.observe(0, at: 10).isEmpty && phone.wait(until: 100).isEmpty)
    }

    @Test func theFirstStateIsReported() {
        var phone = Self.phone()
        _ = phone.start(Phone.region())
        #expect(phone.observe(0, at: 10) == ["entered home@10"])
        _ = phone.start(Phone.region("far", east: 5000))
        #expect(phone.takeReportTexts() == ["exited far@10"])
    }

    @Test func aConditionHasNoOptionsForItsNotifications() {
        var phone = Self.phone()
        var region = Phone.region()
        region.notifyOnEntry = false
        _ = phone.start(region)
        phone.os.deafen(region.id)
        #expect(phone.os.regions.first?.notifyOnEntry == true)
    }

    @Test func aCustomProfileHasItsOwnLimits() {
        var phone = Phone(.custom(.ios, limit: 2, largestRadius: 1000, exitBuffer: 10))
        for number in 1...3 { _ = phone.start(Phone.region("f\(number)")) }
        _ = phone.start(Phone.region("f1", radius: 1001))
        #expect(phone.wait(until: 10).sorted() == ["failed f1 5", "failed f3 5"])
        _ = phone.observe(0, at: 20)
        _ = phone.observe(215, at: 30)
        #expect(phone.wait(until: 60) == ["exited f2@50", "exited f1@50"].sorted())
    }

    static let profiles: [PlatformProfile] = [
        .ios, .android, .clmonitor, .custom(.ios, limit: 7, largestRadius: 900, exitBuffer: 0), .custom(.android, limit: 3),
    ]

    @Test(arguments: profiles)
    func theProfileIsSavedWithThePhone(_ profile: PlatformProfile) throws {
        var phone = Phone(profile)
        for number in 1...(profile.limit + 2) { _ = phone.start(Phone.region("f\(number)")) }
        let again = try SimulatedOS(json: JSONParser.parse(phone.os.json.description))
        #expect(again.profile == profile)
        #expect(again.json.description == phone.os.json.description)
        #expect(again.currentSnapshot == phone.os.currentSnapshot)
    }

    @Test func anotherProfileMakesItAnotherPhone() {
        var phone = Phone(.ios)
        _ = phone.start(Phone.region())
        phone.os.use(.clmonitor)
        #expect(phone.os.profile == .clmonitor)
        #expect(phone.names.isEmpty)
        #expect(phone.os.currentSnapshot.disruptions[.reinstall] == Phone.noon)
    }
}

extension PlatformProfile: CustomTestStringConvertible {
    public var testDescription: String { fullName }
}
