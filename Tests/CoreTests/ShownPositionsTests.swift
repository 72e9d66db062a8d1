import Foundation
import Geodesy
import Model
import Reconciler
import Registrations
import Registry
import SQLite
import ServiceTestSupport
import SimulatedOS
import Store
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service

/// Committed positions, and the simulated phones that observe them.
@Suite("Simulated phones and committed positions")
struct ShownPositionsTests {
    private let directory: TemporaryDirectory
    private var data: DataDirectory { DataDirectory(path: directory.path + "/data") }
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)
    private let start = Instant("2026-05-01T10:00:00Z")!
    private let device = Device(id: "phone", platform: .ios, registry: .simulated)

    init() throws { directory = try TemporaryDirectory() }

    private func service() throws -> ServiceWriter { try ServiceWriter(data, purpose: "test") }

    private func batch(_ positions: [(seconds: Double, north: Double)]) -> FixBatch {
        var batch = FixBatch()
        let number = batch.number(ofDevice: "phone")
        for (line, position) in positions.enumerated() {
            let place = Coordinate(latitude: home.latitude + position.north / 111_250, longitude: home.longitude)
            batch.rows.append(.init(fix: Fix(time: start + position.seconds, coordinate: place), device: number, line: line + 1))
        }
        return batch
    }

    /// A phone that was repaired and has observed one position far from home. Two more positions at home are committed, and the process is
    /// killed before the phone observes them.
    private func kill() async throws {
        do {
            let service = try service()
            try service.save(device)
            try service.apply([
                .save(Geofence(id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 150))))
            ])
        }
        _ = try await RepairCoordinator(try LocalService(data, purpose: "test")).repair(device)
        _ = try service().accept(batch([(0, 3000)]))
        let killed = try service()
        // This service passes the positions to other phones.
        killed.phones = SimulatedPhones(
            serving: directory.path + "/elsewhere",
            PhoneObserver(reportsReceived: { _, _ in }, failed: { _ in }, missing: { .init([], upTo: $0 ?? 1, hasMore: false) }))
        #expect(try killed.accept(batch([(60, 0), (120, 0)])).counts.accepted == 2)
        killed.phones.stop()
        #expect(try newestSeen() == start)
    }

    /// The newest position that the phone has observed, according to its file.
    private func newestSeen() throws -> Instant? {
        try RegistryFile.phone(of: "phone", path: data.registryFilePath)?["lastFix"]?["time"]?.string.flatMap { Instant($0) }
    }

    private func reportedState(_ service: Queries) throws -> RegionState? {
        try service.store.journal(of: service.storedDevice(id: "phone").key).reportedStates[RegionID(geofence: "home")]?.state
    }

    @Test("After the answer that a device was created, its phone can be used beside the service")
    func remade() async throws {
        _ = try service()
        // The file has a phone of an earlier device with the same id.
        try RegistryFile(path: data.registryFilePath).change(device, at: start) { $0.authorize(.denied) }
        let writer = try Writer(data, purpose: "test", durability: .normal)
        let order = Mutex<[String]>([])
        let goOn = DispatchSemaphore(value: 0)
        writer.phones.afterAll {
            goOn.wait()
            order.withLock { $0.append("the owner of the phones is free") }
        }
        await withCheckedContinuation { continuation in
            _ = writer.submit({ [device] service throws(Problem) in try service.save(device) }) { _ in
                order.withLock { $0.append("made") }
                continuation.resume()
            }
            _ = writer.submit({ service throws(Problem) in try service.hasDevice(id: "phone") }) { isMade in
                #expect((try? isMade.get()) == true)
                #expect(order.withLock { $0 }.isEmpty)
                goOn.signal()
            }
        }
        #expect(order.withLock { $0 } == ["the owner of the phones is free", "made"])
        #expect(try RegistryFile.phone(of: "phone", path: data.registryFilePath) == nil)
        writer.stop()
    }

    @Test("After a kill, the next reader shows the phone the positions that it missed")
    func killed() async throws {
        try await kill()
        let reader = try ServiceReader(data)
        _ = try reader.health(of: device)
        #expect(try newestSeen() == start + 120)
        #expect(try reportedState(reader) != .inside, "a reader leaves the reports to who writes")
        let service = try service()
        #expect(try service.changeSimulatedOS(of: device) { $0.takeReports() }.isEmpty && reportedState(service) == .inside)
    }

    @Test("After a kill, the next writing command shows the phone the positions, and stores its reports")
    func killedThenWritten() async throws {
        try await kill()
        let service = try service()
        _ = try service.accept(batch([(130, 0)]))
        #expect(try newestSeen() == start + 130 && reportedState(service) == .inside)
        #expect(try service.changeSimulatedOS(of: device) { $0.takeReports() }.isEmpty)
    }

    @Test("After a kill, a starting service shows the phone the positions")
    func killedThenServed() async throws {
        try await kill()
        let writer = try Writer(data, purpose: "test")
        let os = try writer.phones.phone(of: device, at: .earliest)
        #expect(try newestSeen() == start + 120)
        // The phone's report reaches the writer, and is removed from the file when it is stored.
        #expect(os.regions.count == 1)
        while try await !writer.phones.change(device, at: .earliest, { $0.takeReports().isEmpty }) {}
        writer.stop()
        let service = try service()
        #expect(try reportedState(service) == .inside && service.store.phonesShown() == service.store.newestFixNumber())
    }

    @Test("A service shows positions after their commit, and stores how far it has come")
    func served() async throws {
        do {
            try service().save(device)
        }
        let writer = try Writer(data, purpose: "test")
        for step in 0..<20 {
            let batch = batch([(Double(step), Double(step))])
            let result = await withCheckedContinuation { continuation in
                _ = writer.submit(batch) { continuation.resume(returning: $0) }
            }
            #expect(try result.get().counts.accepted == 1)
            _ = try writer.phones.phone(of: device, at: .earliest)
            #expect(try newestSeen() == start + Double(step))
        }
        writer.stop()
        #expect(try service().store.phonesShown() == 20)
    }

    @Test("A store without a record of the shown positions counts as having shown all")
    func earlierVersion() throws {
        do {
            let service = try service()
            try service.save(device)
            _ = try service.accept(batch([(0, 0)]))
        }
        try FileManager.default.removeItem(atPath: data.registryFilePath)
        do {
            let connection = try Connection(path: data.storePath, access: .write)
            try connection.execute("DELETE FROM setting WHERE name = 'phones_shown'")
        }
        let service = try service()
        _ = try service.health(of: device)
        #expect(try newestSeen() == nil && service.store.phonesShown() == 1)
    }

    @Test("A phone is deleted with its device, and only after the commit", arguments: [false, true])
    func removed(isErased: Bool) async throws {
        do {
            let service = try service()
            try service.save(device)
            _ = try service.accept(batch([(0, 0)]))
        }
        let writer = try Writer(data, purpose: "test")
        await #expect(throws: Problem.self) {
            try await writer.perform { service throws(Problem) in
                try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    try service.removePhone(of: "phone")
                    throw .cancelled
                }
            }
        }
        #expect(try writer.phones.phone(of: device, at: .earliest).regions.isEmpty)
        #expect(try newestSeen() == start)
        try await writer.perform { service throws(Problem) in
            if isErased {
                _ = try service.eraseDevice(id: "phone", rewriting: false)
            } else {
                try service.removeDevice(id: "phone")
            }
        }
        _ = try writer.phones.phone(of: device, at: .earliest)
        #expect(try RegistryFile.phone(of: "phone", path: data.registryFilePath) == nil)
        writer.stop()
    }
}

@Suite("Shared region candidates")
struct RegionCandidateCacheTests {
    private func fence(_ id: String, _ latitude: Double = 52.5) -> Geofence {
        let center = Coordinate(latitude: latitude, longitude: 13.4)
        return Geofence(id: id, name: id, shape: .circle(Circle(center: center, radius: 150)))
    }

    private func circles(_ service: Queries) throws -> [String: Double] {
        let entries = try service.candidates(for: .ios).entries
        return Dictionary(uniqueKeysWithValues: entries.map { ($0.id, $0.circle.center.latitude) })
    }

    @Test("The candidates have every committed edit, and none that was undone")
    func edits() throws {
        let bench = try Workbench()
        let service = bench.service
        try bench.add([fence("a"), fence("b")])
        #expect(try circles(service) == ["a": 52.5, "b": 52.5])
        try service.apply([.save(fence("c")), .remove(id: "a"), .save(fence("a", 50)), .remove(id: "c")])
        #expect(try circles(service) == ["a": 50, "b": 52.5])
        #expect(throws: Problem.self) { try service.apply([.save(fence("a", 1)), .remove(id: "nobody")]) }
        #expect(try circles(service) == ["a": 50, "b": 52.5])
        #expect(throws: Problem.self) {
            try service.transaction { (transaction: borrowing Transaction) throws(Problem) in
                _ = try service.applyChecked([.save(fence("b", 2))], following: nil, in: transaction)
                #expect(try service.candidates(for: .ios)["b"]?.circle.center.latitude == 2)
                throw .cancelled
            }
        }
        #expect(try circles(service) == ["a": 50, "b": 52.5])
        try service.apply([.save(fence("b", 3))])
        let reader = try ServiceReader(bench.data)
        #expect(try circles(reader) == ["a": 50, "b": 3] && circles(service) == ["a": 50, "b": 3])
        reader.candidateCache = service.candidateCache
        try service.apply([.save(fence("d"))])
        #expect(try circles(reader).keys.sorted() == ["a", "b", "d"])
        // Another process has its own candidates.
        let other = try ServiceReader(bench.data)
        #expect(try circles(other).count == 3)
        try service.apply([.remove(id: "d")])
        #expect(try circles(other).count == 2)
    }
}
