import Registry
import Testing

@testable import SimulatedOS

/// Tests the documented rules about when regions survive.
@Suite struct LifeTests {
    @Test(arguments: PlatformProfile.ios.reboot)
    func rebootFollowsItsPolicyOnIOS(_ policy: PlatformProfile.RebootPolicy) throws {
        var phone = Phone(.ios)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        phone.os.policies.reboot = policy
        phone.os.reboot()
        let listed = try phone.os.snapshot().regions?.count
        _ = phone.observe(0, at: 100)
        let reported = phone.wait(until: 200)
        switch policy {
        case .keep:
            #expect(listed == 1)
            #expect(reported == ["entered home@120"])
        case .drop:
            #expect(listed == 0)
            #expect(reported.isEmpty && phone.names.isEmpty)
        case .emptyAtFirst:
            #expect(listed == 0)
            #expect(try phone.os.snapshot().regions?.count == 1)
            #expect(reported == ["entered home@120"])
        case .zombie:
            #expect(listed == 1)
            #expect(reported.isEmpty)
            #expect(try phone.os.requestState(RegionID(geofence: "home")) == .outside)
            _ = phone.start(Phone.region())
            #expect(try phone.os.requestState(RegionID(geofence: "home")) == .inside)
        }
        #expect(try phone.os.snapshot().disruptions[.reboot] == Phone.noon)
    }

    @Test func hiddenRegionsKeepTheirSlots() {
        var phone = Phone(.ios)
        for number in 1...20 { _ = phone.start(Phone.region("f\(number)")) }
        phone.os.policies.reboot = .emptyAtFirst
        phone.os.reboot()
        _ = phone.start(Phone.region("new"))
        #expect(phone.wait(until: 10) == ["failed new 5"])
        _ = phone.start(Phone.region("f1"))
        #expect((try? phone.os.snapshot())?.regions?.map(\.id.shortText) == ["f1"])
    }

    @Test func rebootRemovesAllOnAndroid() {
        var phone = Phone(.android)
        _ = phone.start(Phone.region())
        phone.os.reboot()
        #expect(phone.names.isEmpty)
    }

    @Test(arguments: [PlatformProfile.ios, .android])
    func reinstallRemovesAll(_ profile: PlatformProfile) {
        var phone = Phone(profile)
        _ = phone.start(Phone.region())
        phone.os.reinstall()
        #expect(phone.names.isEmpty)
    }

    @Test func clearingAppDataRemovesAllOnAndroidOnly() {
        var android = Phone(.android)
        _ = android.start(Phone.region())
        android.os.clearData()
        #expect(android.names.isEmpty)
        var ios = Phone(.ios)
        _ = ios.start(Phone.region())
        ios.os.clearData()
        #expect(ios.names == ["home"])
    }

    @Test(arguments: PlatformProfile.android.update, [true, false])
    func updateAndForceStopFollowTheirPolicyOnAndroid(_ policy: PlatformProfile.UpdatePolicy, _ isUpdate: Bool) {
        var phone = Phone(.android)
        _ = phone.start(Phone.region())
        phone.os.policies.update = policy
        if isUpdate { phone.os.update() } else { phone.os.forceStop() }
        #expect(phone.names == (policy == .keep ? ["home"] : []))
    }

    @Test func updateKeepsAllOnIOS() {
        var phone = Phone(.ios)
        _ = phone.start(Phone.region())
        phone.os.update()
        phone.os.forceStop()
        #expect(phone.names == ["home"])
    }

    @Test(arguments: PlatformProfile.ios.permission)
    func revokingAndRestoringPermissionFollowsItsPolicyOnIOS(_ policy: PlatformProfile.PermissionPolicy) {
        var phone = Phone(.ios)
        _ = phone.start(Phone.region())
        phone.os.policies.permission = policy
        phone.os.authorize(.denied)
        phone.os.authorize(.always)
        #expect(phone.names == (policy == .dormant ? ["home"] : []))
    }

    @Test func revokingAndRestoringPermissionRemovesAllOnAndroid() {
        var phone = Phone(.android)
        _ = phone.start(Phone.region())
        phone.os.authorize(.denied)
        phone.os.authorize(.always)
        #expect(phone.names.isEmpty)
    }
}
