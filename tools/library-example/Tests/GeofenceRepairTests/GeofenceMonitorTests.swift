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
        try await withPhone([Phone.home, Phone.work]) { phone async throws in
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
        try await withPhone([Phone.home, Phone.work]) { phone async throws in
            #expect(try await phone.app.repair().callCount == 4)
            let calls = phone.os.calls
            #expect(try await phone.app.repair().callCount == 0)
            #expect(phone.os.calls == calls)
        }
    }

    @Test func regionsOfOtherLibrariesAreNotTouched() async throws {
        try await withPhone([Phone.home]) { phone async throws in
            let foreign = Region(
                id: RegionID("ads-17"), circle: Circle(center: Coordinate(latitude: 52, longitude: 13), radius: 500))
            phone.os.addForeign(foreign)
            _ = try await phone.app.repair()
            await phone.app.update(places: [])
            _ = try await phone.app.repair()
            #expect(phone.os.monitoredRegions == [foreign])
            #expect(phone.os.calls.allSatisfy { $0.contains("picket/home") })
        }
    }

    @Test func journalSurvivesARestart() async throws {
        try await withPhone([Phone.home]) { phone async throws in
            _ = try await phone.app.repair()
            let saved = try await phone.journal.load()
            #expect(saved.entries[RegionID(geofence: "home")]?.phase == .registered)
            #expect(!saved.isOpen)

            phone.restartApp(places: [Phone.home])
            #expect(try await phone.journal.load() == saved)
            #expect(try await phone.app.health().isHealthy == true)
            #expect(try await phone.app.repair().callCount == 0)
            // The name of a place that is gone comes from the journal.
            await phone.app.update(places: [])
            #expect(try await phone.app.health().findings.map(\.name) == ["Home"])
        }
    }

    @Test func repairThatEndedHalfwayIsFinishedByTheNext() async throws {
        try await withPhone([Phone.home, Phone.work]) { phone async throws in
            let repair = Task { try await phone.app.repair() }
            phone.os.onCall = { repair.cancel() }
            await #expect(throws: CancellationError.self) { try await repair.value }
            #expect(phone.os.calls == ["start picket/home"])
            #expect(try await phone.journal.load().isOpen)

            phone.os.onCall = nil
            phone.restartApp(places: [Phone.home, Phone.work])
            #expect(try await phone.app.repair().isComplete)
            #expect(phone.os.calls.filter { $0.hasPrefix("start") } == ["start picket/home", "start picket/work"])
            #expect(try await !phone.journal.load().isOpen)
        }
    }

    @Test func damagedJournalIsSetAsideAndMadeAgain() async throws {
        try await withPhone([Phone.home]) { phone async throws in
            _ = try await phone.app.repair()
            try "{\"version\":1,".write(to: phone.journal.file, atomically: true, encoding: .utf8)

            phone.restartApp(places: [Phone.home])
            _ = try await phone.app.repair()
            #expect(try await phone.journal.load().entries.count == 1)
            #expect(try String(contentsOf: phone.journal.damagedFile, encoding: .utf8) == "{\"version\":1,")
        }
    }

    @Test func leavingTheSentinelRegistersTheNearestPlaces() async throws {
        let places = (1...40).map { number in
            Place(id: "shop-\(number)", name: "Shop \(number)", latitude: 52.5, longitude: 13 + Double(number) / 50, radius: 100)
        }
        try await withPhone { phone async throws in
            let (handled, continuation) = AsyncStream.makeStream(of: (RegistryReport, Result<RepairOutcome?, any Error>).self)
            let app = AppGeofences(phone.os, places: places, journal: phone.journal, clock: phone.clock) { report, result in
                continuation.yield((report, result))
            }
            phone.os.move(to: Coordinate(latitude: 52.5, longitude: 13))
            #expect(try await app.repair(places: places).isComplete)
            #expect(phone.os.monitoredRegions.count <= 20)
            #expect(phone.os.monitoredRegions.contains { $0.id == .sentinel })

            try await phone.clock.sleep(until: phone.clock.now + 60)
            phone.os.move(to: Coordinate(latitude: 52.5, longitude: 13.8))
            var iterator = handled.makeAsyncIterator()
            let (report, result) = try #require(await iterator.next())
            #expect(report.region == .sentinel)
            #expect(report.kind == .exited)
            #expect(try result.get()?.isComplete == true)
            #expect(phone.os.monitoredRegions.count <= 20)
            // The selection decides how many of the others are registered. The device is in this one.
            #expect(phone.os.monitoredRegions.contains { $0.id == RegionID(geofence: "shop-40") })
        }
    }

    @Test func reportsOpenAndCloseVisits() async throws {
        try await withPhone([Phone.home]) { phone async throws in
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
        try await withPhone([Phone.home, Phone.work]) { phone async throws in
            async let first = phone.app.repair()
            async let second = phone.app.repair()
            #expect(try await [first.callCount, second.callCount].sorted() == [0, 4])
        }
    }
}
