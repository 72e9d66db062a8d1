import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Settings
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service

@Suite("Sample data")
struct SampleLoadingTests {
    private let bench: Workbench
    private let sample: SampleData

    init() throws {
        bench = try Workbench()
        sample = try SampleData(folder: SharedData.checkout.appending(path: "data").path)
    }

    private func events() throws -> [Event] {
        var events: [Event] = []
        try bench.service.forEachEvent(.init()) { events.append($0) }
        return events
    }

    @Test("The files within the program are those of the folder")
    func embedded() throws {
        let files = EmbeddedSample.files
        #expect(files.map(\.path) == ["geofences.geojson", "devices.json", "tracks/family-day.csv", "tracks/fleet-morning.csv"])
        for file in files {
            #expect(try file.content == Data(contentsOf: URL(filePath: "\(sample.folder)/\(file.path)")), "\(file.path)")
        }
    }

    @Test("Sample data comes with events, loads only once, and leaves nothing when it is removed")
    func life() throws {
        let loaded = try bench.service.load(sample)
        #expect(loaded.geofences > 300 && loaded.devices == 17 && loaded.fixes > 7000 && loaded.events > 50)
        #expect(loaded.kept.isEmpty)
        #expect(try bench.service.device(id: "anna-phone").registry == .simulated)
        #expect(try events().count == loaded.events)
        let counts = try bench.service.sampleCounts()
        #expect(counts.geofences == loaded.geofences && counts.devices == loaded.devices)

        let again = try bench.service.load(sample)
        #expect(again.geofences == 0 && again.devices == 0 && again.fixes == 0 && again.events == 0 && again.kept.isEmpty)

        let removed = try bench.service.removeSampleData(sample)
        #expect(removed.geofences == loaded.geofences && removed.devices == loaded.devices && removed.kept.isEmpty)
        #expect(removed.fixes == loaded.fixes)
        let totals = try bench.service.totals()
        #expect(totals.geofences == 0 && totals.devices == 0 && totals.fixes == 0)
        #expect(try events().isEmpty)
        #expect(try bench.service.sampleCounts() == (0, 0))
    }

    @Test("The events of all devices are counted also where a service applies changes of geofences in steps")
    func counted() throws {
        // In the geofence `hauptbahnhof`.
        let place = Coordinate(latitude: 52.5251, longitude: 13.3694)
        var batch = FixBatch()
        for number in 1...10 {
            let device = batch.number(ofDevice: "d\(number)")
            batch.rows.append(.init(fix: Fix(time: bench.clock.now(), coordinate: place), device: device, line: 1))
        }
        _ = try bench.service.accept(batch, policy: .exact)
        bench.service.serve()
        bench.service.devicesInStep = 4
        let loaded = try bench.service.load(sample)
        let entered = try events().count { $0.geofenceId == "hauptbahnhof" && $0.deviceId.hasPrefix("d") && $0.type == .enter }
        #expect(try events().count == loaded.events && entered == 10)
    }

    @Test("Sample data leaves alone what a person has made or changed")
    func own() throws {
        let school = Geofence(
            id: "school", name: "My school", shape: .circle(Circle(center: Coordinate(latitude: 1, longitude: 2), radius: 100)))
        try bench.add([school])
        try bench.service.save(Device(id: "car", name: "My car"))
        let loaded = try bench.service.load(sample)
        #expect(Set(loaded.kept) == ["school", "car"])
        #expect(try bench.service.geofence(id: "school") == school)
        #expect(try bench.service.deviceStatus(of: "car").newest == nil, "no sample position for somebody's own device")
        try bench.service.save(Device(id: "ben-phone", name: "Mine now"))
        let removed = try bench.service.removeSampleData(sample)
        #expect(removed.kept == ["ben-phone"])
        #expect(try bench.service.devices().map(\.id) == ["ben-phone", "car"])
        #expect(try bench.service.geofence(id: "school") == school)
        #expect(try bench.service.totals().geofences == 1)
    }

    @Test("A sample device that a person's phone uses is left alone")
    func used() throws {
        _ = try bench.service.load(sample)
        let settings = try Settings(
            flags: [:], environment: [:], dataDirectory: bench.data.path, systemFile: bench.directory.path + "/no")
        _ = try bench.service.enroll(EnrollmentRequest(json: [:], deviceId: "anna-phone"), at: PhoneAddress(settings))
        var batch = FixBatch()
        let fix = Fix(time: Instant("2026-10-01T10:00:00Z")!, coordinate: Coordinate(latitude: 1, longitude: 2))
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "car"), line: 1))
        try bench.service.accept(batch)
        let removed = try bench.service.removeSampleData(sample)
        #expect(Set(removed.kept) == ["anna-phone", "car"])
        #expect(try bench.service.deviceStatus(of: "car").newest == fix)
        #expect(try bench.service.tokens().contains { $0.onlyDevice == "anna-phone" })
    }

    @Test("A missing part of the sample data is named")
    func missing() throws {
        #expect(throws: Problem.fileFailed(path: "/nowhere/geofences.geojson", reason: .verbatim("No such file or directory"))) {
            try SampleData(folder: "/nowhere")
        }
    }
}
