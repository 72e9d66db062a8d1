import Core
import Foundation
import Geodesy
import Model
import Places
import Presence
import Reconciler
import Registrations
import Service
import ServiceTestSupport
import SimulatedOS
import TestSupport
import Testing

/// What a phone's own system reports about its regions, between the positions that Picket knows.
@Suite("A phone's own enters and exits")
struct ReportedVisitTests {
    private let directory: TemporaryDirectory
    private var data: DataDirectory { DataDirectory(path: directory.path + "/data") }
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970 * 1000) - 7200_000)

    init() throws { directory = try TemporaryDirectory() }

    private func service() throws -> ServiceWriter { try ServiceWriter(data, purpose: "test") }

    private func north(_ meters: Double) -> Coordinate {
        Coordinate(latitude: home.latitude + meters / 111_250, longitude: home.longitude)
    }

    private func send(_ positions: [(seconds: Double, north: Double)], to service: ServiceWriter) throws {
        var batch = FixBatch()
        let number = batch.number(ofDevice: "phone")
        for (line, position) in positions.enumerated() {
            let fix = Fix(time: start + position.seconds, coordinate: north(position.north), accuracy: 10)
            batch.rows.append(.init(fix: fix, device: number, line: line + 1))
        }
        _ = try service.accept(batch)
    }

    private func events() throws -> [String] {
        var events: [Event] = []
        try service().forEachEvent(.init()) { events.append($0) }
        return events.map { "\($0.type) \($0.cause)" }
    }

    /// A phone whose geofence "home" is registered, with an open visit.
    private func phoneAtHome(_ platform: Device.Platform) async throws -> Device {
        let device = Device(id: "phone", policy: PolicyOverride(base: .balanced), platform: platform, registry: .simulated)
        do {
            let service = try service()
            try service.save(device)
            try service.apply([
                .save(Geofence(id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 200))))
            ])
            try send([(0, 0), (30, 0)], to: service)
        }
        _ = try await repair(device)
        #expect(try events() == ["enter initial"])
        return device
    }

    private func repair(_ device: Device) async throws -> RepairOutcome {
        try await RepairCoordinator(try LocalService(data, purpose: "fix-registration")).repair(device)
    }

    @Test("End a visit when the phone has a newer position", arguments: Device.Platform.allCases)
    func exit(_ platform: Device.Platform) async throws {
        let device = try await phoneAtHome(platform)
        // The phone's system notices that the phone is gone. The app sends no position.
        do {
            let service = try service()
            try service.changeSimulatedOS(of: device) { os in
                os.observe(Fix(time: self.start + 3600, coordinate: self.north(3000), accuracy: 10))
                os.advance(to: self.start + 3700)
            }
        }
        let report = try await repair(device)
        #expect(report.reconciled.map(\.geofenceID) == ["home"])
        #expect(try events() == ["enter initial", "exit reconciled"])
        _ = try await repair(device)
        #expect(try events().count == 2)
    }

    @Test("Begin a visit when the phone has a newer position")
    func enter() async throws {
        let device = try await phoneAtHome(.android)
        try send([(600, 3000), (660, 3000), (720, 3000)], to: service())
        #expect(try events() == ["enter initial", "exit moved"])
        do {
            let service = try service()
            try service.changeSimulatedOS(of: device) { os in
                os.observe(Fix(time: self.start + 3600, coordinate: self.home, accuracy: 10))
            }
        }
        _ = try await repair(device)
        #expect(try events() == ["enter initial", "exit moved", "enter reconciled"])
    }

    @Test("End a visit on Android by the initial trigger of a region that is added again")
    func initialTrigger() async throws {
        let device = try await phoneAtHome(.android)
        do {
            let service = try service()
            // The phone leaves while its system has no region to report.
            try service.changeSimulatedOS(of: device) { os in
                os.reboot()
                os.observe(Fix(time: self.start + 3600, coordinate: self.north(3000), accuracy: 10))
            }
        }
        #expect(try events() == ["enter initial"])
        let report = try await repair(device)
        #expect(report.isComplete && report.reconciled.map(\.geofenceID) == ["home"])
        #expect(try events() == ["enter initial", "exit reconciled"])
    }

    @Test("Make no event when they rest on the position that is known, or on an older one", arguments: Device.Platform.allCases)
    func known(_ platform: Device.Platform) async throws {
        let device = try await phoneAtHome(platform)
        try send([(600, 3000)], to: service())
        try send([(660, 0), (720, 0)], to: service())
        #expect(try events() == ["enter initial"])
        // A report that the system sends late is about a position before the last one.
        do {
            let service = try service()
            try service.changeSimulatedOS(of: device) { os in
                os.faults.next.append(.delayReport(600))
                os.observe(Fix(time: self.start + 780, coordinate: self.north(3000), accuracy: 10))
                os.advance(to: self.start + 810)
            }
            try send([(840, 0), (900, 0)], to: service)
        }
        _ = try await repair(device)
        #expect(try events() == ["enter initial"])
    }
}
