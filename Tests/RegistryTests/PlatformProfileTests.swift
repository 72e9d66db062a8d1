import Model
import Testing

@testable import Registry

/// Compares the profiles of the two operating systems with values taken by hand from the documented table.
@Suite struct PlatformProfileTests {
    @Test func platformsLimitTheNumberOfRegions() {
        #expect(PlatformProfile.ios.limit == 20)
        #expect(PlatformProfile.ios.overLimit == .reported(.regionMonitoringFailure))
        #expect(PlatformProfile.android.limit == 100)
        #expect(PlatformProfile.android.overLimit == .thrown(.tooManyGeofences))
    }

    @Test(arguments: [
        (PlatformProfile.ios, 99_999.0, true), (.ios, 100_000, true), (.ios, 100_000.1, false), (.android, 10_000_000, true),
        (.ios, 0, false), (.android, -1, false), (.android, .infinity, false), (.ios, .nan, false),
    ])
    func profileAcceptsRadiiUpToTheLargest(_ profile: PlatformProfile, _ radius: Double, _ taken: Bool) {
        #expect(profile.accepts(radius: radius) == taken)
    }

    @Test(arguments: [(PlatformProfile.ios, 10.0, 100.0), (.ios, 100, 100), (.ios, 101, 101), (.android, 10, 10)])
    func profileEnlargesSmallRadiusOnIOS(_ profile: PlatformProfile, _ radius: Double, _ used: Double) {
        #expect(profile.usedRadius(radius) == used)
    }

    @Test(arguments: [
        (RegistryError.Code.regionMonitoringDenied, 4), (.regionMonitoringFailure, 5), (.regionMonitoringSetupDelayed, 6),
        (.regionMonitoringResponseDelayed, 7), (.geofenceNotAvailable, 1000), (.tooManyGeofences, 1001),
        (.insufficientLocationPermission, 1004), (.requestTooFrequent, 1005),
    ])
    func codesHaveTheNumbersOfTheirVendorAndAreFoundByName(_ code: RegistryError.Code, _ number: Int) {
        #expect(code.number == number)
        #expect(RegistryError.Code(name: code.name) == code)
    }

    @Test func onlyIOSListsRegionsAndReportsStates() {
        #expect(PlatformProfile.ios.isReadable && PlatformProfile.ios.supportsStateRequests)
        #expect(!PlatformProfile.android.isReadable && !PlatformProfile.android.supportsStateRequests)
    }

    @Test func errorBecomesTheProblemThatAPersonSees() {
        #expect(RegistryError(.tooManyGeofences).problem(.android) == .regionLimitReached(limit: 100))
        #expect(RegistryError(.insufficientLocationPermission).problem(.android).recoveryAction == .openSettings)
        #expect(RegistryError(.geofenceNotAvailable).problem(.android) == .locationServicesDisabled)
        #expect(RegistryError(.unavailable).problem(.ios).isRetryable)
        #expect(RegistryError(.regionMonitoringFailure).description == "kCLErrorRegionMonitoringFailure (5)")
    }
}
