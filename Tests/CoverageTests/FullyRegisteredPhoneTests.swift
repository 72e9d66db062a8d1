import Geodesy
import Model
import Reconciler
import Registry
import Testing

@testable import Coverage

@Suite("Phone with every region registered")
struct FullyRegisteredPhoneTests {
    private static let device = Device(id: "d")

    @Test(
        "It reports what a simulated phone with every region registered reports",
        arguments: Device.Platform.allCases,
        [(1, 0.0012), (2, 0.0004), (3, 0.004), (4, 0.0001), (5, 0.012)] as [(UInt64, Double)])
    func oracle(_ platform: Device.Platform, _ town: (seed: UInt64, step: Double)) throws {
        let profile = PlatformProfile(platform)
        let place = CoverageStudyTests.Town(seed: town.seed, geofences: 80, fixes: 1500, spread: 0.06, step: town.step)
        let candidates = RegionCandidates(place.geofences, profile: profile)
        var app = AppOnPhone(
            WatchedFences(candidates, for: Self.device), .all(Array(candidates.entries.indices)), at: place.fixes[0].time)
        for fix in place.fixes { app.observe(fix) }
        app.finish()
        let phone = FullyRegisteredPhone(profile, fixes: place.fixes)
        var count = 0
        for entry in candidates.entries {
            // The simulated app also learns that it starts inside.
            let reported = app.transitions.filter { $0.geofenceID == entry.id }
                .dropFirst(phone.startsInside(entry.circle) ? 1 : 0)
            let found = phone.transitions(of: entry.circle)
            #expect(found.map(\.isEnter) == reported.map(\.isEnter), "seed \(town.seed), \(entry.id)")
            #expect(found.map(\.at) == reported.map(\.at), "seed \(town.seed), \(entry.id)")
            #expect(found.allSatisfy { $0.earliest < $0.at })
            count += found.count
        }
        #expect(count > 0 || town.seed > 3)
    }

    private static func fixes(_ meters: [Double], every seconds: Double = 10) -> [Fix] {
        meters.enumerated().map { number, north in
            Fix(
                time: Instant("2026-05-01T10:00:00Z")! + Double(number) * seconds,
                coordinate: Coordinate(latitude: 52.5 + north / WGS84.shortestDegreeOfLatitude, longitude: 13.4))
        }
    }

    private static let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 200)

    @Test("A transition can have happened from the last fix on the other side on")
    func earliest() {
        let fixes = Self.fixes([-1000, -500, 0, 0, 100, 250, 290, 500, 800, 1000])
        let found = FullyRegisteredPhone(.ios, fixes: fixes).transitions(of: Self.circle)
        #expect(found.map(\.isEnter) == [true, false])
        #expect(found.map(\.earliest) == [fixes[1].time, fixes[4].time])
        #expect(found.map(\.at) == [fixes[2].time + 20, fixes[7].time + 20])
    }

    @Test("A track of one position, and one of none, have no transition")
    func short() {
        #expect(FullyRegisteredPhone(.ios, fixes: Self.fixes([0])).transitions(of: Self.circle).isEmpty)
        #expect(FullyRegisteredPhone(.ios, fixes: []).transitions(of: Self.circle).isEmpty)
        #expect(FullyRegisteredPhone(.ios, fixes: Self.fixes([0])).startsInside(Self.circle))
        #expect(!FullyRegisteredPhone(.ios, fixes: []).startsInside(Self.circle))
    }

    @Test("The nearest approach counts only the positions of the period, and is negative inside")
    func approach() throws {
        let fixes = Self.fixes([-1000, -500, -150, -400, -1000])
        let phone = FullyRegisteredPhone(.ios, fixes: fixes)
        let inside = try #require(phone.nearestApproach(to: Self.circle, during: fixes[0].time...fixes[4].time))
        #expect(abs(inside + 50) < 1)
        let outside = try #require(phone.nearestApproach(to: Self.circle, during: fixes[3].time...fixes[4].time))
        #expect(abs(outside - 200) < 5)
        #expect(phone.nearestApproach(to: Self.circle, during: fixes[4].time + 1...fixes[4].time + 2) == nil)
        #expect(phone.gap(at: fixes[1].time) == 0 && phone.gap(at: fixes[1].time + 3) == 10)
        #expect(phone.gap(at: fixes[4].time + 1) == .infinity)
    }
}
