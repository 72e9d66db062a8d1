import Geodesy
import Registry
import Testing

@testable import SimulatedOS

/// Tests the documented rules about limits, sizes and identifiers.
@Suite struct LimitTests {
    @Test func regionBeyondLimitFailsLaterOnIOS() {
        var phone = Phone(.ios)
        for number in 1...20 { #expect(phone.start(Phone.region("f\(number)")) == nil) }
        #expect(phone.start(Phone.region("f21")) == nil)
        #expect(phone.takeReportTexts().isEmpty)
        #expect(phone.wait(until: 5) == ["failed f21 5"])
        #expect(phone.os.regions.count == 20)
        #expect((try? phone.os.snapshot())?.failures.map(\.id) == [RegionID(geofence: "f21")])
    }

    @Test func regionBeyondLimitFailsTheCallOnAndroid() {
        var phone = Phone(.android)
        for number in 1...100 { #expect(phone.start(Phone.region("f\(number)")) == nil) }
        #expect(phone.start(Phone.region("f101")) == 1001)
        #expect(phone.os.regions.count == 100)
    }

    @Test func foreignRegionsShareTheLimit() {
        var phone = Phone(.ios)
        for number in 1...20 {
            let added = phone.os.add(Region(id: RegionID("com.other/\(number)"), circle: .init(center: Phone.home, radius: 100)))
            #expect(added)
        }
        #expect(phone.start(Phone.region()) == nil)
        #expect(phone.wait(until: 5) == ["failed home 5"])
    }

    @Test func radiusIsLimitedOnIOSOnly() {
        var ios = Phone(.ios)
        #expect(ios.start(Phone.region("largest", radius: 100_000)) == nil)
        #expect(ios.start(Phone.region("larger", radius: 100_001)) == nil)
        #expect(ios.wait(until: 5) == ["failed larger 5"])
        #expect(ios.names == ["largest"])
        var android = Phone(.android)
        #expect(android.start(Phone.region("huge", radius: 10_000_000)) == nil)
    }

    @Test func smallRadiusIsTreatedAs100MetersOnIOS() {
        var phone = Phone(.ios)
        _ = phone.observe(1000, at: 0)
        #expect(phone.start(Phone.region(radius: 10)) == nil)
        _ = phone.observe(99, at: 10)
        #expect(phone.wait(until: 30) == ["entered home@30"])
        #expect(phone.os.regions.first?.circle.radius == 10)
    }

    @Test func smallRadiusIsTakenAsGivenOnAndroid() {
        var phone = Phone(.android)
        _ = phone.observe(1000, at: 0)
        #expect(phone.start(Phone.region(radius: 10)) == nil)
        #expect(phone.observe(11, at: 10).isEmpty)
        #expect(phone.observe(9, at: 20) == ["entered home@20"])
    }

    @Test(arguments: [PlatformProfile.ios, .android])
    func sameIdentifierReplaces(_ profile: PlatformProfile) {
        var phone = Phone(profile)
        #expect(phone.start(Phone.region(radius: 200)) == nil)
        #expect(phone.start(Phone.region(radius: 300)) == nil)
        #expect(phone.os.regions.map(\.circle.radius) == [300])
    }

    @Test func replacingNeedsNoSlot() {
        var phone = Phone(.ios)
        for number in 1...20 { _ = phone.start(Phone.region("f\(number)")) }
        #expect(phone.start(Phone.region("f7", radius: 500)) == nil)
        #expect(phone.wait(until: 10).isEmpty)
        #expect(phone.os.regions.filter { $0.circle.radius == 500 }.count == 1)
    }

    @Test(arguments: [0.0, -5, .nan, .infinity])
    func invalidRadiusIsRefused(_ radius: Double) {
        var ios = Phone(.ios)
        #expect(ios.start(Phone.region(radius: radius)) == nil)
        #expect(ios.wait(until: 5) == ["failed home 5"])
        #expect(ios.names.isEmpty)
        var android = Phone(.android)
        #expect(android.start(Phone.region(radius: radius)) == 10)
        #expect(android.names.isEmpty)
    }

    @Test func longIdentifiersAreRefusedOnAndroidOnly() {
        let long = Phone.region(String(repeating: "x", count: 1000))
        var ios = Phone(.ios)
        #expect(ios.start(long) == nil)
        #expect(ios.names.count == 1)
        var android = Phone(.android)
        #expect(android.start(long) == 10)
    }

    @Test func controlCharactersInAnIdentifierAreKept() throws {
        var phone = Phone(.ios)
        #expect(phone.start(Phone.region("a\u{0}\n\u{7F}")) == nil)
        let again = try SimulatedOS(json: phone.os.json)
        #expect(again.regions == phone.os.regions)
    }

    @Test func regionListIsReadableOnIOSOnly() throws {
        var ios = Phone(.ios)
        _ = ios.start(Phone.region())
        #expect(try ios.os.snapshot().regions?.count == 1)
        var android = Phone(.android)
        _ = android.start(Phone.region())
        #expect(try android.os.snapshot().regions == nil)
        #expect(android.os.regions.count == 1)
    }
}
