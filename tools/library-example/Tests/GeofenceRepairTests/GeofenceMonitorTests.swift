import Geodesy
import GeofenceRepair
import Model
import PicketModel
import Reconciler
import Registry
import SimulatedLocations
import Testing

@MainActor
@Suite struct GeofenceMonitorTests {
    @Test func lostRegionIsNamedAndRepaired() async throws {
        try await withPhone { phone async throws in
            await phone.app.update(places: [Phone.home, Phone.work])
            _ = try await phone.app.repair()
            phone.os.lose(RegionID(geofence: "work"))

            let before = try await phone.app.health()
            #expect(before.isHealthy == false)
            #expect(before.statusSummary == "1 geofence(s) not registered with iOS")
            #expect(before.unhealthyFindings.map(\.name) == ["Work"])

            let report = try await phone.app.repair()
            #expect(report.isComplete)
            #expect(phone.os.monitoredRegions.map(\.id.text) == ["picket/home", "picket/work"])
        }
    }

    @Test func secondRepairMakesNoCall() async throws {
        try await withPhone { phone async throws in
            await phone.app.update(places: [Phone.home, Phone.work])
            #expect(try await phone.app.repair().callCount == 4)
            let calls = phone.os.calls
            #expect(try await phone.app.repair().callCount == 0)
            #expect(phone.os.calls == calls)
        }
    }

    @Test func regionsOfOtherLibrariesAreNotTouched() async throws {
        try await withPhone { phone async throws in
            let foreign = Region(
                id: RegionID("ads-17"), circle: Circle(center: Coordinate(latitude: 52, longitude: 13), radius: 500))
            phone.os.addForeign(foreign)
            await phone.app.update(places: [Phone.home])
            _ = try await phone.app.repair()
            await phone.app.update(places: [])
            _ = try await phone.app.repair()
            #expect(phone.os.monitoredRegions == [foreign])
            #expect(phone.os.calls.allSatisfy { $0.contains("picket/home") })
        }
    }

    @Test func journalSurvivesARestart() async throws {
        try await withPhone { phone async throws in
            await phone.app.update(places: [Phone.home])
            _ = try await phone.app.repair()
            let saved = try await phone.journal.load()
            #expect(saved.entries[RegionID(geofence: "home")]?.phase == .registered)
            #expect(!saved.isOpen)

            phone.restartApp()
            #expect(try await phone.journal.load() == saved)
            await phone.app.update(places: [Phone.home])
            #expect(try await phone.app.health().isHealthy == true)
            #expect(try await phone.app.repair().callCount == 0)
            // The name of a place that is gone comes from the journal.
            await phone.app.update(places: [])
            #expect(try await phone.app.health().findings.map(\.name) == ["Home"])
        }
    }

    @Test func damagedJournalIsSetAsideAndMadeAgain() async throws {
        try await withPhone { phone async throws in
            await phone.app.update(places: [Phone.home])
            _ = try await phone.app.repair()
            try "{\"version\":1,".write(to: phone.journal.file, atomically: true, encoding: .utf8)

            phone.restartApp()
            await phone.app.update(places: [Phone.home])
            _ = try await phone.app.repair()
            #expect(try await phone.journal.load().entries.count == 1)
            #expect(try String(contentsOf: phone.journal.damagedFile, encoding: .utf8) == "{\"version\":1,")
        }
    }

    @Test func leavingTheSentinelRegistersTheNearestPlaces() async throws {
        try await withPhone { phone async throws in
            let places = (1...40).map { number in
                Place(
                    id: "shop-\(number)", name: "Shop \(number)", latitude: 52.5, longitude: 13 + Double(number) / 50, radius: 100
                )
            }
            await phone.app.update(places: places)
            await phone.app.update(
                fix: Fix(time: phone.clock.now, coordinate: Coordinate(latitude: 52.5, longitude: 13), accuracy: 10))
            phone.os.move(to: Coordinate(latitude: 52.5, longitude: 13))
            #expect(try await phone.app.repair().isComplete)
            #expect(phone.os.monitoredRegions.count == 20)
            #expect(phone.os.monitoredRegions.contains { $0.id == .sentinel })

            let end = Coordinate(latitude: 52.5, longitude: 13.85)
            var reports = phone.registry.reports.makeAsyncIterator()
            phone.os.move(to: end)
            try await phone.clock.sleep(until: phone.clock.now + 60)
            await phone.app.update(fix: Fix(time: phone.clock.now, coordinate: end, accuracy: 10))
            let report = try #require(await reports.next())
            #expect(report.region == .sentinel)
            #expect(report.kind == .exited)
            #expect(try await phone.app.handle(report)?.isComplete == true)
            #expect(phone.os.monitoredRegions.count == 20)
            #expect(phone.os.monitoredRegions.contains { $0.id == RegionID(geofence: "shop-40") })
        }
    }

    @Test func reportsOpenAndCloseVisits() async throws {
        try await withPhone { phone async throws in
            await phone.app.update(places: [Phone.home])
            phone.os.move(to: Coordinate(latitude: 52, longitude: 13))
            _ = try await phone.app.repair()
            var reports = phone.registry.reports.makeAsyncIterator()
            phone.os.move(to: Coordinate(latitude: Phone.home.latitude, longitude: Phone.home.longitude))
            #expect(try await phone.app.handle(try #require(await reports.next())) == nil)
            #expect(await phone.app.openVisits == ["home"])
            phone.os.move(to: Coordinate(latitude: 52, longitude: 13))
            #expect(try await phone.app.handle(try #require(await reports.next())) == nil)
            #expect(await phone.app.openVisits.isEmpty)
        }
    }

    @Test func simultaneousRepairsRunOneAfterTheOther() async throws {
        try await withPhone { phone async throws in
            await phone.app.update(places: [Phone.home, Phone.work])
            async let first = phone.app.repair()
            async let second = phone.app.repair()
            #expect(try await [first.callCount, second.callCount].sorted() == [0, 4])
        }
    }
}
