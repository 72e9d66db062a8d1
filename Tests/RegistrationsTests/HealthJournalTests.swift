import Geodesy
import Model
import Places
import Presence
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import Registrations

@Suite("The health of phones in the problem journal")
struct HealthJournalTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    private func standing() throws -> [Queries.OpenProblem] {
        try bench.service.problems(withDismissed: false, after: nil, limit: 100).items
    }

    @Test("A check of an unhealthy phone records its problem once, and one of a healthy phone resolves it")
    func health() async throws {
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([Geofence(id: "home", name: "Home", shape: .circle(Circle(center: center, radius: 200)))])
        let phone = Device(id: "phone", platform: .ios, registry: .simulated)
        try bench.service.save(phone)
        func look() throws { try bench.service.record(try bench.service.health(of: phone).status) }
        for _ in 1...2 { try look() }
        #expect(try standing().map(\.source) == ["registry/phone"])
        #expect(try standing().map(\.failures) == [1])
        #expect(try bench.service.surveyHealth().outdated.isEmpty)
        try bench.service.removeGeofence("home")
        #expect(try bench.service.surveyHealth().outdated.map(\.device.id) == ["phone"])
        try look()
        #expect(try standing().isEmpty)
        #expect(try bench.service.surveyHealth().outdated.isEmpty)
    }

    @Test("Looks replace the problem of a phone, and only attempts count as failures")
    func looks() async throws {
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        let phone = Device(id: "phone", platform: .ios, registry: .simulated)
        try bench.service.save(phone)
        var messages: Set<String> = []
        for id in ["home", "school", "work"] {
            try bench.add([Geofence(id: id, name: id, shape: .circle(Circle(center: center, radius: 200)))])
            try bench.service.record(try bench.service.health(of: phone).status)
            #expect(try standing().map(\.failures) == [1] && !standing()[0].isEscalated)
            messages.insert(try #require(standing().first).words.description)
        }
        #expect(messages.count == 3)
        for count in [2, 3] {
            try bench.service.record(try bench.service.health(of: phone).status, .attempt)
            #expect(try standing().map(\.failures) == [count])
        }
        #expect(try standing()[0].isEscalated)
        try bench.service.removeGeofence("work")
        try bench.service.record(try bench.service.health(of: phone).status)
        #expect(try standing().map(\.failures) == [3], "a look does not end the count either")
    }

    @Test("The health of a phone is recorded again when its problem is missing, even without a service")
    func missingProblem() throws {
        let phone = Device(id: "phone", platform: .ios, registry: .simulated)
        try bench.add([
            Geofence(
                id: "home", name: "Home", shape: .circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 200))
            )
        ])
        try bench.service.save(phone)
        let status = try bench.service.health(of: phone).status
        #expect(try bench.service.isOutdated(status))
        try bench.service.record(status)
        #expect(try !bench.service.isOutdated(status))
        try bench.service.resolve(source: "registry/phone")
        #expect(try bench.service.isOutdated(status))
        try bench.service.record(status)
        #expect(try standing().map(\.source) == ["registry/phone"] && !bench.service.isOutdated(status))
    }

    @Test("A survey finds each phone whose health is not the recorded one, and records it once")
    func surveys() throws {
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        func geofence(_ id: String) -> Geofence {
            Geofence(id: id, name: id, shape: .circle(Circle(center: center, radius: 200)))
        }
        func survey() throws -> [String] {
            let survey = try bench.service.surveyHealth()
            try bench.service.record(survey)
            return survey.outdated.map(\.device.id)
        }
        func report(_ ids: String...) throws {
            let regions = ids.map { id -> JSONValue in
                [
                    "identifier": .string("picket/" + id), "latitude": JSONValue(52.5), "longitude": JSONValue(13.4),
                    "radius": JSONValue(200), "notifyOnEntry": true, "notifyOnExit": true,
                ]
            }
            _ = try bench.service.storeReport(["authorizationStatus": "always", "regions": .array(regions)], of: "app")
        }
        func problems() throws -> [String] { try standing().map(\.source) }
        try bench.add([geofence("home")])
        for id in ["app", "silent"] { try bench.service.save(Device(id: id, platform: .android, registry: .app)) }
        #expect(try survey().isEmpty, "an app that has never reported has no problem yet")
        try report("home")
        #expect(try problems().isEmpty)
        #expect(try survey().isEmpty)

        try bench.service.save(Device(id: "phone", platform: .ios, registry: .simulated))
        #expect(try survey() == ["phone"], "a new phone has no region yet")
        #expect(try problems() == ["registry/phone"])
        try bench.add([geofence("school")])
        #expect(try survey() == ["app", "phone"])
        #expect(Set(try problems()) == ["registry/app", "registry/phone"])
        #expect(try survey().isEmpty)
        try bench.service.resolve(source: "registry/phone")
        #expect(try survey() == ["phone"], "its problem is missing")
        try bench.service.removeGeofence("school")
        #expect(try survey() == ["app", "phone"], "one has recovered automatically, the other has fewer missing regions")
        #expect(try problems() == ["registry/phone"])
        #expect(try survey().isEmpty)
    }

    @Test("An old report of an app is a separate problem until the next report")
    func stale() throws {
        let center = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([Geofence(id: "home", name: "Home", shape: .circle(Circle(center: center, radius: 200)))])
        try bench.service.save(Device(id: "app", platform: .ios, registry: .app))
        let region: JSONValue = [
            "identifier": "home", "latitude": JSONValue(52.5), "longitude": JSONValue(13.4), "radius": JSONValue(200),
            "notifyOnEntry": true, "notifyOnExit": true,
        ]
        func report() throws {
            _ = try bench.service.storeReport(
                ["authorizationStatus": "always", "regions": [region]], of: "app")
        }
        try report()
        let reportedAt = bench.clock.now()
        #expect(try bench.service.surveyHealth().outdated.isEmpty)
        bench.clock.set(reportedAt + 86_401)
        #expect(try bench.service.surveyHealth().outdated.map(\.device.id) == ["app"])
        try bench.service.record(try bench.service.health(of: bench.service.device(id: "app")).status)
        #expect(try standing().map(\.code) == ["registryStale"])
        #expect(
            try standing().first?.words["en"]?["message"]?.string?.contains("its registrations at \(reportedAt).") == true)
        #expect(try bench.service.surveyHealth().outdated.isEmpty, "it is reported once")
        try report()
        #expect(try standing().map(\.code) != ["registryStale"])
    }

    @Test("A device's problems end when it is removed, and those of its registrations when they are no longer managed")
    func withoutDevice() throws {
        func put(_ registry: Device.Registry) throws {
            try bench.service.save(Device(id: "phone", platform: .ios, registry: registry))
        }
        try put(.app)
        try bench.service.record(.registrationIncomplete(missing: 1, orphaned: 0), source: "registry/phone")
        try put(.none)
        #expect(try standing().isEmpty)
        try bench.service.record(.registrationIncomplete(missing: 1, orphaned: 0), source: "registry/phone")
        #expect(try bench.service.surveyHealth().outdated.map(\.device.id) == ["phone"])
        try bench.service.record(
            .inputRefused(device: "phone", field: "lat", value: "x", kind: .unreadable, reason: .notANumber),
            source: "intake/phone")
        try bench.service.removeDevice(id: "phone")
        #expect(try standing().isEmpty)
    }
}
