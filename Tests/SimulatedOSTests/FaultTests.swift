import Geodesy
import Model
import Registry
import Testing

@testable import SimulatedOS

@Suite struct FaultTests {
    static let refusals: [(PlatformProfile, RegistryError.Code)] = [
        (.ios, .regionMonitoringDenied), (.ios, .regionMonitoringFailure), (.ios, .regionMonitoringResponseDelayed),
        (.android, .geofenceNotAvailable), (.android, .tooManyGeofences), (.android, .insufficientLocationPermission),
        (.android, .requestTooFrequent),
    ]

    @Test(arguments: refusals)
    func refusalIsReportedOnIOSAndThrownOnAndroid(_ profile: PlatformProfile, _ code: RegistryError.Code) {
        var phone = Phone(profile)
        phone.os.faults.next = [.refuse(code)]
        let thrown = phone.start(Phone.region())
        let reported = phone.wait(until: 10)
        #expect(phone.names.isEmpty)
        if profile.platform == .ios {
            #expect(thrown == nil && reported == ["failed home \(code.number ?? -1)"])
        } else {
            #expect(thrown == code.number && reported.isEmpty)
        }
        #expect(phone.start(Phone.region()) == nil)
        #expect(phone.names == ["home"])
    }

    @Test func delayedSetupIsReportedAndCompletedLater() throws {
        var phone = Phone(.ios)
        phone.os.faults.next = [.refuse(.regionMonitoringSetupDelayed)]
        _ = phone.start(Phone.region())
        #expect(try phone.os.snapshot().regions == [])
        #expect(phone.wait(until: 5) == ["failed home 6"])
        _ = phone.wait(until: SimulatedOS.setupDelay)
        #expect(try phone.os.snapshot().regions?.count == 1)
    }

    @Test func delayedResponseNamesAnAlternativeRegion() throws {
        var phone = Phone(.ios)
        phone.os.faults.next = [.refuse(.regionMonitoringResponseDelayed)]
        _ = phone.start(Phone.region(radius: 200))
        _ = phone.wait(until: 10)
        let alternative = try #require(try phone.os.snapshot().failures.first?.error.alternative)
        #expect(alternative.id == RegionID(geofence: "home"))
        #expect(alternative.circle.radius == 300)
    }

    @Test func lostStartsAndStopsReturnNormally() {
        var phone = Phone(.ios)
        phone.os.faults.next = [.loseStart, .loseStop]
        #expect(phone.start(Phone.region()) == nil)
        #expect(phone.names.isEmpty)
        #expect(phone.start(Phone.region()) == nil)
        #expect(throws: Never.self) { try phone.os.stopMonitoring(RegionID(geofence: "home")) }
        #expect(phone.names == ["home"])
        #expect(throws: Never.self) { try phone.os.stopMonitoring(RegionID(geofence: "home")) }
        #expect(phone.names.isEmpty)
        #expect(phone.wait(until: 100).isEmpty)
    }

    @Test func missingAnswersThrowUnavailable() {
        var phone = Phone(.ios)
        phone.os.faults.next = [.noAnswer, .noState]
        #expect(throws: RegistryError(.unavailable)) { try phone.os.snapshot() }
        #expect(throws: Never.self) { try phone.os.snapshot() }
        #expect(throws: RegistryError(.unavailable)) { try phone.os.requestState(RegionID(geofence: "home")) }
    }

    @Test func reportsAreLostOrLate() {
        var phone = Phone(.android)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        phone.os.faults.next = [.loseReport, .delayReport(30)]
        #expect(phone.observe(0, at: 10).isEmpty)
        #expect(phone.observe(500, at: 20).isEmpty)
        #expect(phone.wait(until: 60) == ["exited home@50"])
    }

    @Test func driftedRegionHasAnotherCircle() {
        var phone = Phone(.ios)
        _ = phone.start(Phone.region())
        phone.os.drift(RegionID(geofence: "home"), meters: 100)
        #expect(phone.os.regions.first?.circle != Phone.region().circle)
        #expect(phone.os.regions.first?.circle.radius == 250)
    }

    @Test func zombieRegionReportsNothingUntilItIsRegisteredAgain() {
        var phone = Phone(.android)
        _ = phone.observe(500, at: 0)
        _ = phone.start(Phone.region())
        phone.os.zombify(RegionID(geofence: "home"))
        #expect(phone.observe(0, at: 10).isEmpty)
        _ = phone.start(Phone.region())
        #expect(phone.observe(500, at: 20) == ["exited home@20"])
    }

    static let words = [
        "refuse kCLErrorRegionMonitoringFailure", "loseStart", "loseStop", "noAnswer", "noState", "loseReport",
        "delayReport 30.0",
    ]

    @Test(arguments: words)
    func faultIsUnchangedAfterWritingAndReading(_ text: String) {
        #expect(Faults.Fault(text)?.description == text)
    }

    @Test func refusalCanBeGivenByNumber() {
        #expect(Faults.Fault("refuse 1001") == .refuse(.tooManyGeofences))
        #expect(Faults.Fault("refuse 3") == nil)
        #expect(Faults.Fault("delayReport -1") == nil)
        #expect(Faults.Fault("explode") == nil)
    }
}
