import Geodesy
import GeofenceRepair
import Model
import PicketModel
import Registry
import SimulatedLocations
import Testing

@MainActor
@Suite struct CoreLocationRegistryTests {
    @Test func refusedRegionIsInTheSnapshotUntilItIsRegistered() async throws {
        try await withPhone { phone async throws in
            let region = Region(
                id: RegionID(geofence: "home"), circle: Circle(center: Coordinate(latitude: 52, longitude: 13), radius: 500))
            phone.os.limit = 0
            try await phone.registry.startMonitoring(region)
            let failure = try #require(await phone.registry.snapshot().failures.first)
            #expect(failure.id == region.id)
            #expect(failure.error.code == .regionMonitoringFailure)
            phone.os.limit = 20
            try await phone.registry.startMonitoring(region)
            let snapshot = try await phone.registry.snapshot()
            #expect(snapshot.failures.isEmpty)
            #expect(snapshot.regions == [region])
        }
    }

    @Test func stateRequestWithoutAnswerEndsAtItsDeadline() async throws {
        try await withPhone { phone async throws in
            phone.os.answersStateRequests = false
            let began = phone.clock.now
            await #expect(throws: RegistryError(.unavailable)) {
                try await phone.registry.requestState(RegionID(geofence: "home"))
            }
            #expect(phone.clock.now - began == CoreLocationRegistry.longestAnswer)
        }
    }

    @Test func everySubscriberGetsEveryReport() async throws {
        try await withPhone { phone async throws in
            var streams = [phone.registry.reports.makeAsyncIterator(), phone.registry.reports.makeAsyncIterator()]
            phone.registry.didEnterRegion(RegionID(geofence: "home"), at: phone.clock.now)
            for index in streams.indices { #expect(await streams[index].next()?.kind == .entered) }
        }
    }

    @Test func withoutPermissionHealthAsksForIt() async throws {
        try await withPhone([Phone.home]) { phone async throws in
            phone.os.authorizationStatus = .whenInUse
            let health = try await phone.app.health()
            #expect(health.statusSummary == "Needs 'Always' authorization")
            #expect(health.problem?.recoveryAction == .grantAlways)
        }
    }
}
