import Foundation
import Geodesy
import Model
import SQLite
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service

@Suite("Failing disks")
struct WALSyncTests {
    /// A sync function that fails on request.
    private final class Disk: Sendable {
        let code = Atomic<Int32>(0)
        let syncs = Atomic<Int>(0)

        func sync(_ descriptor: Int32) -> Int32 {
            syncs.add(1, ordering: .relaxed)
            let failure = code.load(ordering: .relaxed)
            if failure == 0 { return fdatasync(descriptor) }
            errno = failure
            return -1
        }
    }

    private let directory: DataDirectory
    private let folder: TemporaryDirectory
    private let disk = Disk()
    private let log = EventLog()
    private let start = Instant(milliseconds: Int64(Date().timeIntervalSince1970) * 1000)

    init() throws {
        folder = try TemporaryDirectory()
        directory = DataDirectory(path: folder.path)
    }

    private func writer() throws -> Writer {
        var observer = Writer.Observer()
        observer.events = { [log] in log.publish($0) }
        return try Writer(directory, purpose: "test", observer: observer, sync: { [disk] in disk.sync($0) })
    }

    /// Stores a position, with which a device enters or leaves a geofence in turn.
    private func accept(_ writer: Writer, _ step: Int) async throws -> IntakeResult {
        var batch = FixBatch()
        let place = Coordinate(latitude: step % 2 == 0 ? 52.5 : 52.6, longitude: 13.4)
        batch.rows.append(
            .init(fix: Fix(time: start + Double(step), coordinate: place), device: batch.number(ofDevice: "a"), line: 1))
        return try await writer.store(batch)
    }

    @Test("A failed sync is reported to all who wait, and writing resumes only after the log is checkpointed")
    func failure() async throws {
        let writer = try writer()
        _ = try await writer.perform { service throws(Problem) in
            let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
            return try service.apply([.save(Geofence(id: "home", name: "Home", shape: .circle(circle)))])
        }
        let follower = log.follow {}
        #expect(try await accept(writer, 0).events.map(\.type) == [.enter])

        disk.code.store(EIO, ordering: .relaxed)
        await #expect(throws: Problem.self) { try await accept(writer, 1) }
        // A reader of the log prevents its checkpoint, so writes are refused although a sync would succeed.
        disk.code.store(0, ordering: .relaxed)
        let syncs = disk.syncs.load(ordering: .relaxed)
        let reader = try Connection(path: directory.storePath, access: .read)
        try reader.execute("BEGIN; SELECT count(*) FROM fix")
        await #expect(throws: Problem.self) { try await accept(writer, 2) }
        try reader.execute("COMMIT")
        #expect(disk.syncs.load(ordering: .relaxed) == syncs)

        #expect(try await accept(writer, 2).events.map(\.type) == [.enter])
        #expect(try await accept(writer, 3).events.map(\.type) == [.exit])
        // The second event was stored but not published. A follower that has the first one must read the store.
        guard case .readFromStore = log.entries(after: 1, limit: 10) else {
            Issue.record("the log hides a gap")
            return
        }
        guard case .entries(let entries) = log.entries(after: 2, limit: 10) else {
            Issue.record("the log has lost what was reported as saved")
            return
        }
        #expect(entries.map(\.sequence) == [3, 4])
        log.unfollow(follower)
        writer.stop()
        let check = try ServiceReader(directory).checkStore()
        #expect(check.isSound && check.totals.fixes == 4 && check.totals.events == 4)
    }

    @Test("Followers get events that were synced late, even when nothing happens afterward")
    func recovered() async throws {
        var observer = Writer.Observer()
        observer.events = { [log] in log.publish($0) }
        observer.recovered = { [log] in log.advance(to: $0) }
        let writer = try Writer(directory, purpose: "test", observer: observer, sync: { [disk] in disk.sync($0) })
        _ = try await writer.perform { service throws(Problem) in
            let circle = Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)
            return try service.apply([.save(Geofence(id: "home", name: "Home", shape: .circle(circle)))])
        }
        let woken = Atomic<Int>(0)
        let follower = log.follow { woken.add(1, ordering: .relaxed) }
        disk.code.store(EIO, ordering: .relaxed)
        await #expect(throws: Problem.self) { try await accept(writer, 0) }
        #expect(log.newest == 0 && woken.load(ordering: .relaxed) == 0)
        disk.code.store(0, ordering: .relaxed)
        // The service's clock does this every second.
        try await writer.perform { _ in }
        #expect(log.newest == 1 && woken.load(ordering: .relaxed) == 1)
        guard case .readFromStore = log.entries(after: 0, limit: 10) else {
            Issue.record("the log hides an event")
            return
        }
        log.unfollow(follower)
        writer.stop()
    }

    @Test("A failed sync that no request waits for is a problem of the store, which ends when the log was written elsewhere")
    func unsynced() async throws {
        let failures = Mutex<[Problem]>([])
        let written = Atomic<Int>(0)
        var observer = Writer.Observer()
        observer.storeFailed = { problem in failures.withLock { $0.append(problem) } }
        observer.storeWritten = { written.add(1, ordering: .relaxed) }
        let writer = try Writer(
            directory, purpose: "test", durability: .normal, observer: observer, sync: { [disk] in disk.sync($0) })
        disk.code.store(EIO, ordering: .relaxed)
        var step = 0
        while failures.withLock({ $0.isEmpty }) {
            // Until the next sync is due.
            _ = try await accept(writer, step)
            step += 1
        }
        #expect(failures.withLock { $0[0].code } == "storeFailed")
        disk.code.store(0, ordering: .relaxed)
        let before = written.load(ordering: .relaxed)
        _ = try await accept(writer, step)
        #expect(written.load(ordering: .relaxed) > before)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().totals.fixes == step + 1)
    }

    @Test("A full disk is reported as full", arguments: [ENOSPC, EDQUOT])
    func full(code: Int32) async throws {
        let writer = try writer()
        defer { writer.stop() }
        disk.code.store(code, ordering: .relaxed)
        await #expect(throws: Problem.storeFull(path: directory.storePath + "-wal")) { try await accept(writer, 0) }
        disk.code.store(0, ordering: .relaxed)
        // The position was stored nevertheless, so sending it again gives a duplicate.
        #expect(try await accept(writer, 0).counts.duplicates == 1)
    }
}
