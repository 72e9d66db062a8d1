import Comparison
import Foundation
import Geodesy
import Model
import Reconciler
import Registry
import ServiceTestSupport
import Testing

@testable import Core
@testable import Places
@testable import Registrations

@Suite("Reports of apps")
struct AppRegionListTests {
    @Test("More regions or failures than a system can have are refused with the field", arguments: ["regions", "failures"])
    func most(field: String) throws {
        func region(_ number: Int) -> JSONValue {
            [
                "identifier": .string("picket/\(number)"), "latitude": JSONValue(52.5), "longitude": JSONValue(13.4),
                "radius": JSONValue(100),
            ]
        }
        let failure: JSONValue = ["identifier": "picket/a", "code": "unavailable"]
        func report(_ count: Int) -> JSONValue {
            let list = JSONValue.array((0..<count).map { field == "regions" ? region($0) : failure })
            return .object(
                [.init("authorizationStatus", "always"), .init(field, list)]
                    + (field == "regions" ? [] : [.init("regions", .array([]))]))
        }
        let bench = try Workbench()
        try bench.service.save(Device(id: "phone", platform: .ios, registry: .app))
        _ = try bench.service.storeReport(report(1000), of: "phone")
        let problem = #expect(throws: Problem.self) { try bench.service.storeReport(report(1001), of: "phone") }
        #expect(
            problem == .validationFailed(field: field, value: "1001", reason: .tooMany, expected: .atMost(1000)))
    }

    /// Reports that show that Android no longer watches any region.
    enum Loss: CaseIterable { case observedError, observedSwitch, failure, reportedSwitch }

    @Test(
        "After Android said that it watches no region, an app's list counts only when the app could register again",
        arguments: Loss.allCases)
    func losses(_ loss: Loss) throws {
        let bench = try Workbench()
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([Geofence(id: "home", name: "Home", shape: .circle(Circle(center: center, radius: 200)))])
        try bench.service.save(Device(id: "phone", platform: .android, registry: .app))
        let region: JSONValue = [
            "identifier": "picket/home", "latitude": JSONValue(52.5), "longitude": JSONValue(13.4), "radius": JSONValue(200),
            "notifyOnEntry": true, "notifyOnExit": true,
        ]
        func report(_ members: JSONValue.Member...) throws -> RegistryAnswer {
            bench.clock.set(bench.clock.now() + 60)
            return try bench.service.storeReport(
                .object([.init("authorizationStatus", "always"), .init("regions", .array([region]))] + members), of: "phone")
        }
        func observe(_ content: AppObservation.Content) throws {
            bench.clock.set(bench.clock.now() + 60)
            let observation = AppObservation(at: bench.clock.now(), content)
            let decoded = try AppLogDecoder.decode(Array(observation.json.description.utf8), file: nil)
            #expect(try bench.service.storeObservations(decoded, of: "phone").accepted == 1)
        }
        func health() throws -> GeofenceHealthStatus { try bench.service.health(of: bench.service.device(id: "phone")).status }

        #expect(try report().status.isHealthy == true)
        switch loss {
        case .observedError: try observe(.error(.geofenceNotAvailable, nil))
        case .observedSwitch: try observe(.locationServices(isEnabled: false))
        case .failure:
            let failure: JSONValue = ["identifier": "picket/home", "code": "GEOFENCE_NOT_AVAILABLE", "number": .number("1000")]
            _ = try report(.init("failures", [failure]))
        case .reportedSwitch: _ = try report(.init("locationServicesEnabled", false))
        }
        #expect(try health().isHealthy == false)
        if loss != .failure {
            let answer = try report()
            #expect(answer.status.missingFromOS == ["home"], "the app cannot have registered it again yet")
            #expect(answer.status.findings.first?.cause == .mayHaveBeenDropped(.locationOff))
            #expect(answer.operations.count == 1)
        }
        #expect(try health().missingFromOS == ["home"])
        #expect(try report().status.isHealthy == true, "the app has registered the regions again")
        #expect(try health().isHealthy == true)
    }

    @Test("After an edit, the candidates are ready for the writer when a reader has applied the edit to them")
    func readyCandidates() {
        let candidateCache = RegionCandidateCache()
        #expect(!candidateCache.isReady(for: .ios))
        let candidates = RegionCandidates([Geofence](), profile: PlatformProfile(.ios))
        candidateCache.store(candidates, for: .ios, at: 1, generation: candidateCache.generation)
        #expect(candidateCache.isReady(for: .ios))
        let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
        let fence = Geofence(id: "f", name: "F", shape: .circle(circle))
        candidateCache.recordEdit(.init(from: 1, to: 2, put: [fence], removed: []))
        #expect(!candidateCache.isReady(for: .ios))
        #expect(candidateCache.candidates(for: .ios, at: 2)?.entries.count == 1)
        #expect(candidateCache.isReady(for: .ios))
    }
}
