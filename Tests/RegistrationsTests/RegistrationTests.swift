import Core
import Foundation
import Geodesy
import Model
import Places
import Presence
import Reconciler
import Registry
import SQLite
import Service
import ServiceTestSupport
import SimulatedOS
import TestSupport
import Testing

@testable import Registrations

@Suite("Registrations")
struct RegistrationTests {
    private let directory: TemporaryDirectory
    private var data: DataDirectory { DataDirectory(path: directory.path + "/data") }
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    init() throws { directory = try TemporaryDirectory() }

    private func service() throws -> ServiceWriter { try ServiceWriter(data, purpose: "test") }

    private func circles(_ count: Int, apart meters: Double = 400) -> [Geofence] {
        (0..<count).map { number in
            Geofence(
                id: "f\(number)", name: "Fence \(number)",
                shape: .circle(Circle(center: north(of: home, Double(number) * meters), radius: 120)))
        }
    }

    /// The coordinate `meters` north of another one.
    private func north(of place: Coordinate, _ meters: Double) -> Coordinate {
        Coordinate(latitude: place.latitude + meters / 111_250, longitude: place.longitude)
    }

    private func setUp(_ platform: Device.Platform = .ios, fences: Int = 3) throws -> Device {
        let service = try service()
        let device = Device(id: "phone", platform: platform, registry: .simulated)
        try service.save(device)
        try service.apply(circles(fences).map { .save($0) })
        return device
    }

    private func repair(_ device: Device) async throws -> RepairOutcome {
        try await RepairCoordinator(try LocalService(data, purpose: "fix-registration")).repair(device)
    }

    private func summary(_ device: Device) throws -> String { try service().health(of: device).status.statusSummary }

    @Test("A repair makes registrations healthy, and the next repair does nothing", arguments: Device.Platform.allCases)
    func once(_ platform: Device.Platform) async throws {
        let device = try setUp(platform)
        let system = platform == .ios ? "iOS" : "Android"
        #expect(try summary(device) == "3 geofence(s) not registered with \(system)")
        let report = try await repair(device)
        #expect(report.isComplete && report.after.statusSummary == "Healthy")
        #expect(try await repair(device).callCount == 0)
        let service = try service()
        var kept: [JSONValue] = []
        var turkish: [JSONValue] = []
        try service.store.forEachRepair(of: service.storedDevice(id: device.id).key) {
            kept.append($0.report(in: .english))
            turkish.append($0.report(in: .turkish))
        }
        #expect(kept.count == 2 && kept[1]["calls"]?.double == Double(report.callCount))
        #expect(kept[1] == report.json() && turkish[1] == report.json(in: .turkish))
        #expect(turkish[1]["before"]?["statusSummary"]?.string == "3 coğrafi sınır \(system) tarafında kayıtlı değil")
        let history = try service.healthHistory(of: device).map(\.summary)
        #expect(history.map { $0.text(in: .english) } == ["Healthy"])
        #expect(history.map { $0.text(in: .turkish) } == ["Sağlıklı"])
    }

    @Test("Registrations are compared with the current geofences: a new one is missing, a removed one orphaned")
    func edits() async throws {
        let device = try setUp()
        _ = try await repair(device)
        try service().apply([.save(circles(5)[4])])
        #expect(try summary(device) == "1 geofence(s) not registered with iOS")
        _ = try await repair(device)
        try service().apply([.remove(id: "f1")])
        #expect(try summary(device) == "1 orphan region(s) in iOS")
        _ = try await repair(device)
        var moved = circles(3)[0]
        moved.shape = .circle(Circle(center: home, radius: 300))
        try service().apply([.save(moved)])
        #expect(try summary(device) == "1 region(s) wrong in iOS")
        let report = try await repair(device)
        let verbs: [String] = report.steps.map(\.operation.verb)
        #expect(verbs.filter { $0 != "requestState" } == ["start"])
    }

    @Test("A device without a registry is not managed")
    func unmanaged() throws {
        let device = Device(id: "tracker")
        try service().save(device)
        let status = try service().health(of: device).status
        #expect(status.statusSummary == "Not managed" && status.isHealthy == nil && !status.isManaged)
        #expect(try service().devices().allSatisfy { $0.registry == .none })
        #expect(throws: Problem.self) { try service().changeSimulatedOS(of: device) { $0.reboot() } }
    }

    @Test("A damaged file of phones makes registrations unknown, with the reason")
    func damaged() async throws {
        let device = try setUp()
        try Data(String(repeating: "no database ", count: 600).utf8).write(to: URL(filePath: data.registryFilePath))
        let service = try service()
        let status = try service.health(of: device).status
        #expect(status.statusSummary == "Unknown" && status.isHealthy == nil)
        #expect(service.registryProblem?.code == "storeCorrupt")
        // Positions and fences are not affected.
        #expect(try service.totals().geofences == 3)
    }

    @Test("A phone without an answer is unknown, and known again when it answers")
    func silence() throws {
        let device = try setUp()
        let service = try service()
        try service.changeSimulatedOS(of: device) { $0.faults.next.append(.noAnswer) }
        #expect(try service.health(of: device).status.statusSummary == "Unknown")
        #expect(try service.health(of: device).status.statusSummary == "3 geofence(s) not registered with iOS")
    }

    @Test("A simulated phone follows the fixes, and its reports are stored without events")
    func reports() async throws {
        let device = try setUp()
        _ = try await repair(device)
        let service = try service()
        let track = try directory.write(
            "device,time,lat,lon\n"
                + [(0, 2000.0), (60, 0.0), (120, 0.0), (180, 2000.0), (240, 2000.0)].map { second, north in
                    "phone,\(Instant("2026-05-01T10:00:00Z")! + Double(second)),\(self.north(of: home, north).latitude),13.4\n"
                }.joined(), to: "track.csv")
        var events: [Event] = []
        _ = FileFeed.run(
            [track], into: service, options: .init(),
            observer: .init(event: { events.append($0) }, refusal: { _ in }, problem: { _ in }, progress: { _, _ in }))
        // The path passes through the two other geofences in both directions.
        #expect(events.filter { !$0.inferred }.map { "\($0.type) \($0.cause)" } == ["enter moved", "exit moved"])
        #expect(events.count { $0.inferred } == 8)
        let regionCount = try service.changeSimulatedOS(of: device) { $0.regions.count }
        #expect(regionCount == 3)
        #expect(try summaryOf(service, device) == "Healthy")
    }

    private func summaryOf(_ service: ServiceWriter, _ device: Device) throws -> String {
        try service.health(of: device).status.statusSummary
    }

    @Test("A repair closes visits that the phone's system knows to be over, once")
    func reconciled() async throws {
        var device = Device(id: "phone", platform: .ios, registry: .simulated)
        device.policy = PolicyOverride(base: .exact)
        let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - 600_000)
        do {
            let service = try service()
            try service.save(device)
            try service.apply(circles(1).map { .save($0) })
            // The engine has a fix inside. The phone's system receives one a minute later and further away that the engine does not.
            var batch = FixBatch()
            let number = batch.number(ofDevice: "phone")
            batch.rows.append(.init(fix: Fix(time: start, coordinate: home), device: number, line: 1))
            #expect(try service.accept(batch).events.count == 1)
            try service.changeSimulatedOS(of: device) { $0.observe(Fix(time: start + 60, coordinate: north(of: home, 3000))) }
        }
        let report = try await repair(device)
        #expect(report.reconciled.map(\.geofenceID) == ["f0"])
        var events: [Event] = []
        try service().forEachEvent(.init()) { events.append($0) }
        #expect(events.map { "\($0.type) \($0.cause)" } == ["enter initial", "exit reconciled"])
        _ = try await repair(device)
        events = []
        try service().forEachEvent(.init()) { events.append($0) }
        #expect(events.count == 2)
    }

    @Test(
        "A state that the fixes leave open gives no visit: a polygon's circle, a small fence, a coarse fix, the exit buffer",
        arguments: [
            // Meters north of the center, the accuracy in meters, and the radius in meters (0 for a triangle).
            (55.0, 5.0, 20.0), (1000, 4000, 400), (181, 5, 120), (900, 5, 0),
        ])
    func unproved(_ north: Double, _ accuracy: Double, _ radius: Double) async throws {
        let device = Device(id: "phone", policy: PolicyOverride(base: .exact), platform: .ios, registry: .simulated)
        let time = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - 60_000)
        let corners = [(0.0, 0.0), (0.02, 0), (0, 0.02)].map {
            Coordinate(latitude: home.latitude + $0.0, longitude: home.longitude + $0.1)
        }
        let shape: Shape =
            radius > 0 ? .circle(Circle(center: home, radius: radius)) : .polygons([Polygon(exterior: corners)])
        let place =
            radius > 0
            ? self.north(of: home, north) : Coordinate(latitude: home.latitude + 0.0155, longitude: home.longitude + 0.0155)
        do {
            let service = try service()
            try service.save(device)
            try service.apply([.save(Geofence(id: "f", name: "f", shape: shape))])
            var batch = FixBatch()
            let number = batch.number(ofDevice: "phone")
            batch.rows.append(.init(fix: Fix(time: time, coordinate: place, accuracy: accuracy), device: number, line: 1))
            #expect(try service.accept(batch).events.isEmpty || accuracy > 250)
            // The phone's system reports inside, because of its regions or its exit buffer, or because it has no better position.
            try service.changeSimulatedOS(of: device) { $0.observe(Fix(time: time + 1, coordinate: self.home)) }
        }
        _ = try await repair(device)
        var events: [Event] = []
        try service().forEachEvent(.init()) { events.append($0) }
        #expect(!events.contains { $0.cause == .reconciled })
    }

    @Test("An unreadable phone does not stop the others, nor new positions")
    func separate() async throws {
        let device = try setUp()
        try service().save(Device(id: "other", platform: .ios, registry: .simulated))
        _ = try summary(device)
        do {
            let connection = try Connection(path: data.registryFilePath, access: .write)
            try connection.execute("UPDATE phone SET state = '{\"version\":9}' WHERE device = 'phone'")
        }
        let service = try service()
        #expect(try service.health(of: device).status.statusSummary == "Unknown")
        #expect(service.registryProblem?.code == "storeCorrupt")
        let other = try service.device(id: "other")
        #expect(try service.health(of: other).status.statusSummary == "3 geofence(s) not registered with iOS")
        #expect(service.registryProblem == nil)
        var batch = FixBatch()
        let number = batch.number(ofDevice: "phone")
        batch.rows.append(.init(fix: Fix(time: Instant("2026-05-01T10:00:00Z")!, coordinate: home), device: number, line: 1))
        let result = try service.accept(batch)
        #expect(result.counts.accepted == 1 && result.events.count == 1 && result.phoneProblem?.code == "storeCorrupt")
    }

    @Test("A device that changes its platform gets another phone")
    func platform() async throws {
        var device = try setUp()
        _ = try await repair(device)
        device.platform = .android
        try service().save(device)
        #expect(try summary(device) == "3 geofence(s) not registered with Android")
        #expect(try service().changeSimulatedOS(of: device) { $0.profile.platform } == .android)
    }

    @Test("A single refusal by an Android phone does not prevent the registrations")
    func strayRefusal() async throws {
        let device = try setUp(.android)
        try service().changeSimulatedOS(of: device) { $0.faults.next.append(.refuse(.tooManyGeofences)) }
        let report = try await repair(device)
        #expect(report.isComplete && report.after.registeredWithOS.count == 3)
    }

    @Test("A second process cannot repair at the same time, and learns which one works")
    func two() throws {
        _ = try setUp()
        let first = try service()
        do {
            _ = try LocalService(data, purpose: "fix-registration")
            Issue.record("two repairs")
        } catch {
            #expect(error.code == "storeBusy")
        }
        _ = first
    }

    @Test("Two repairs requested at once run one after the other, and the second finds nothing to do")
    func atOnce() async throws {
        let device = try setUp(fences: 12)
        let repairCoordinator = RepairCoordinator(try LocalService(data, purpose: "fix-registration"))
        async let first = repairCoordinator.repair(device)
        async let second = repairCoordinator.repair(device)
        let reports = try await [first, second]
        #expect(reports.allSatisfy { $0.isComplete })
        #expect(reports.map(\.callCount).sorted() == [0, 24])
    }

    @Test("A phone with 43 geofences holds 19 of them and the sentinel, never more than 20 regions")
    func limit() async throws {
        // The device is in all of them, and the boundaries of those farther north are closer.
        let device = try setUp(fences: 0)
        try service().apply(circles(43, apart: 2).map { .save($0) })
        do {
            var batch = FixBatch()
            let number = batch.number(ofDevice: "phone")
            let time = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - 60_000)
            batch.rows.append(.init(fix: Fix(time: time, coordinate: home, accuracy: 8), device: number, line: 1))
            _ = try service().accept(batch)
            let service = try service()
            _ = try service.changeSimulatedOS(of: device) {
                $0.add(Region(id: RegionID("com.other/1"), circle: Circle(center: self.home, radius: 500)))
            }
        }
        #expect(try summary(device) == "18 geofence(s) not registered with iOS")
        #expect(try await repair(device).isComplete)
        let held = try service().changeSimulatedOS(of: device) { $0.regions.map(\.id) }
        #expect(held.count == 20 && held.contains(.sentinel) && held.contains(RegionID("com.other/1")))
        #expect(Set(held.compactMap(\.geofence)) == Set((25..<43).map { "f\($0)" }), "the nearest")
    }
}
