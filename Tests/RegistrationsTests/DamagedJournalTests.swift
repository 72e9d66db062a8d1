import Geodesy
import Model
import Places
import Presence
import Reconciler
import Registrations
import SQLite
import Service
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core

@Suite("A damaged journal of registrations")
struct DamagedJournalTests {
    private let directory: TemporaryDirectory
    private var data: DataDirectory { DataDirectory(path: directory.path + "/data") }

    init() throws { directory = try TemporaryDirectory() }

    private func service() throws -> ServiceWriter { try ServiceWriter(data, purpose: "test") }

    private func repair(_ device: Device) async throws -> RepairOutcome {
        try await RepairCoordinator(try LocalService(data, purpose: "fix-registration")).repair(device)
    }

    /// A repaired phone with three geofences, whose journal is then overwritten with this text.
    private func damagedPhone(_ platform: Device.Platform, _ journal: String) async throws -> Device {
        let device = Device(id: "phone", platform: platform, registry: .simulated)
        do {
            let service = try service()
            try service.save(device)
            try service.apply(
                (0..<3).map { number in
                    let center = Coordinate(latitude: 52.5 + Double(number) / 100, longitude: 13.4)
                    return .save(
                        Geofence(id: "f\(number)", name: "Fence", shape: .circle(Circle(center: center, radius: 200))))
                })
        }
        #expect(try await repair(device).isComplete)
        let connection = try Connection(path: data.storePath, access: .write)
        let statement = try connection.statement("UPDATE registry_journal SET journal = ?")
        statement.bind(1, journal)
        try statement.run()
        return device
    }

    private func problems() throws -> [Queries.OpenProblem] {
        try service().problems(withDismissed: true, after: nil, limit: 100).items
    }

    static let damage = [
        "{\"version\":1,\"entr", "no JSON at all", "{\"version\":99}", "[]", "{\"version\":1,\"entries\":[{\"name\":\"x\"}]}",
    ]

    @Test("Is set aside and named in a problem, and the phone is repaired", arguments: damage, Device.Platform.allCases)
    func setAside(_ journal: String, _ platform: Device.Platform) async throws {
        let device = try await damagedPhone(platform, journal)
        let before = try service().health(of: device).status
        // The list of an iPhone can be read. Otherwise nothing is known anymore.
        if platform == .ios {
            #expect(before.isHealthy == true)
        } else {
            #expect(before.missingFromOS.count == 3)
            #expect(before.findings.allSatisfy { $0.cause == .recordLost })
        }
        let report = try await repair(device)
        #expect(report.isComplete && report.callCount == (platform == .ios ? 0 : 3))
        #expect(try await repair(device).callCount == 0)
        #expect(try service().health(of: device).status.statusSummary == "Healthy")
        let problem = try #require(try problems().first)
        #expect(problem.code == "registryJournalDamaged" && problem.deviceId == "phone")
        let connection = try Connection(path: data.storePath, access: .read)
        #expect(try connection.value(of: "SELECT journal FROM damaged_registry_journal", as: String.self) == journal)
        // It has happened once: a person who has read it need not read it again.
        try service().dismiss(problem: String(problem.id))
        #expect(try problems().isEmpty)
    }

    @Test("Keeps no report of the phone from being recorded, and is gone with its device", arguments: [false, true])
    func reports(isErased: Bool) async throws {
        let device = try await damagedPhone(.android, "damaged")
        let service = try service()
        var batch = FixBatch()
        let number = batch.number(ofDevice: "phone")
        for (seconds, latitude) in [(0.0, 53.0), (60, 52.5), (120, 52.5)] {
            let fix = Fix(
                time: Instant("2026-05-01T10:00:00Z")! + seconds, coordinate: Coordinate(latitude: latitude, longitude: 13.4))
            batch.rows.append(.init(fix: fix, device: number, line: 1))
        }
        let result = try service.accept(batch)
        #expect(result.counts.accepted == 3 && result.phoneProblem == nil)
        if isErased {
            _ = try service.eraseDevice(id: device.id)
        } else {
            try service.removeDevice(id: device.id)
        }
        #expect(try service.problems(withDismissed: true, after: nil, limit: 100).items.isEmpty)
        let connection = try Connection(path: data.storePath, access: .read)
        #expect(try connection.statement("SELECT count(*) FROM damaged_registry_journal").value(Int64.self) == 0)
    }
}
