import Foundation
import Geodesy
import Model
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Problem of an unwritable store")
struct StoreProblemTests {
    private let clock = TestClock()
    private let full = Problem.storeFull(path: "/data/picket.sqlite")
    /// The notices to watchers.
    private final class RecordedNotices: Sendable {
        private let notices = Mutex<[ServiceNotice]>([])
        func add(_ notice: ServiceNotice) { notices.withLock { $0.append(notice) } }
        func takeNotices() -> [ServiceNotice] {
            notices.withLock { notices in
                defer { notices = [] }
                return notices
            }
        }
    }
    private let recorded = RecordedNotices()

    private func make() -> StoreProblem { StoreProblem(clock: clock) { [recorded] in recorded.add($0) } }

    @Test("The problem is open from the first failure, escalates with the third, and ends with the first success")
    func life() throws {
        let problem = make()
        #expect(problem.current == nil && problem.resolve() == nil && recorded.takeNotices().isEmpty)
        for count in 1...3 {
            problem.recordFailure(full)
            #expect(problem.current?.failures == count && problem.current?.isEscalated == (count == 3))
            #expect(recorded.takeNotices().last?.json["consecutiveFailures"]?.double == Double(count))
        }
        let ended = try #require(problem.resolve())
        #expect(ended.failures == 3 && problem.current == nil)
        #expect(recorded.takeNotices().map(\.json) == [["id": "0", "source": "job/store", "isResolved": true]])
        problem.recordFailure(full)
        #expect(problem.current?.failures == 1)
    }

    @Test("The problem is reported again when its failures have doubled or it changes")
    func notices() {
        let problem = make()
        for _ in 1...1000 { problem.recordFailure(full) }
        #expect(
            recorded.takeNotices().compactMap { $0.json["consecutiveFailures"]?.double } == [
                1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512,
            ])
        problem.recordFailure(.storeBusy(path: "/data/picket.sqlite", holder: "another program"))
        #expect(recorded.takeNotices().count == 1)
    }

    @Test("A dismissed problem is hidden until it escalates, has failed twice as often, or a day has passed")
    func dismissing() throws {
        let problem = make()
        func isHidden() -> Bool { problem.current?.isDismissed(at: clock.now()) == true }
        problem.recordFailure(full)
        #expect(problem.dismiss()?.isDismissed(at: clock.now()) == true && isHidden())
        problem.recordFailure(full)
        #expect(isHidden())
        problem.recordFailure(full)
        #expect(!isHidden(), "it has escalated")
        _ = problem.dismiss()
        for _ in 4...5 { problem.recordFailure(full) }
        #expect(isHidden())
        problem.recordFailure(full)
        #expect(!isHidden(), "it has failed twice as often")
        _ = problem.dismiss()
        clock.set(clock.now() + 86_400)
        #expect(!isHidden(), "a day has passed")
    }

    // MARK: - Together with a writer

    /// A writer whose failures and successes are reported to a `StoreProblem`.
    private func writer(
        _ directory: DataDirectory, _ problem: StoreProblem, sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
    ) throws -> Writer {
        var observer = Writer.Observer()
        observer.storeFailed = { problem.recordFailure($0) }
        observer.storeWritten = { _ = problem.resolve() }
        return try Writer(directory, purpose: "test", storeProblem: problem, clock: clock, observer: observer, sync: sync)
    }

    /// Stores `count` positions of a device as one request.
    private func storePositions(_ writer: Writer, from first: Int, count: Int) async throws -> IntakeResult {
        var batch = FixBatch()
        let device = batch.number(ofDevice: "a")
        for number in first..<first + count {
            let place = Coordinate(latitude: 52.5, longitude: 13 + Double(number % 1000) / 1000)
            batch.rows.append(
                .init(fix: Fix(time: clock.now() + Double(number - 100_000), coordinate: place), device: device, line: 1))
        }
        return try await writer.store(batch)
    }

    @Test("The problem follows writes only: reads and attempts to store a problem do not change it")
    func following() async throws {
        let directory = try TemporaryDirectory()
        let problem = make()
        let writer = try writer(DataDirectory(path: directory.path + "/data"), problem)
        defer { writer.stop() }
        var first = 0
        func takeAll() async -> Problem? {
            first += 2000
            do {
                _ = try await storePositions(writer, from: first, count: 2000)
                return nil
            } catch {
                return error as? Problem
            }
        }
        #expect(await takeAll() == nil && problem.current == nil)
        try await writer.perform { service throws(Problem) in try service.store.limitSize(pages: 0) }
        while await takeAll() == nil {}
        #expect(problem.current?.failures == 1 && problem.current?.code == "storeFull")
        _ = try await writer.perform { service throws(Problem) in try service.newestSequence() }
        #expect(problem.current?.failures == 1)
        // The problem is larger than the room that is left.
        let large = Problem.unknown(details: .verbatim(String(repeating: "x", count: 1 << 20)))
        await #expect(throws: Problem.self) {
            try await writer.perform { service throws(Problem) in try service.record(large, source: "job/test") }
        }
        #expect(problem.current?.failures == 1)
        for _ in 2...3 { #expect(await takeAll()?.code == "storeFull") }
        #expect(problem.current?.isEscalated == true)
        // The problem is listed with the others, as the first.
        let shown = try await writer.perform { service throws(Problem) in
            (
                try service.problems(withDismissed: false, after: nil, limit: 1), try service.problem(id: "0").source,
                try service.problemTotals(), try service.recordedProblemTotals()
            )
        }
        #expect(shown.0.items.map(\.source) == ["job/store"] && shown.1 == "job/store")
        #expect(shown.2 == .init(standing: 1, escalated: 1) && shown.3 == .init(standing: 0, escalated: 0))
        try await writer.perform { service throws(Problem) in try service.store.limitSize(pages: 1_000_000) }
        #expect(problem.current?.failures == 3, "there is room, and nothing was written yet")
        // The test of the store succeeds only where positions are taken.
        try await writer.perform { $0.freeBytes = { 1000 } }
        await #expect(throws: Problem.self) { try await writer.perform { service throws(Problem) in try service.tryToWrite() } }
        #expect(problem.current != nil)
        try await writer.perform { $0.freeBytes = { nil } }
        try await writer.perform { service throws(Problem) in try service.tryToWrite() }
        #expect(problem.current == nil)
        #expect(await takeAll() == nil)
    }

    @Test("A log that cannot be synced is such a problem, until something is synced")
    func unsynced() async throws {
        let directory = try TemporaryDirectory()
        let problem = make()
        let failing = FailingSync()
        let writer = try writer(DataDirectory(path: directory.path + "/data"), problem, sync: { failing.sync($0) })
        defer { writer.stop() }
        failing.fails.store(true, ordering: .relaxed)
        await #expect(throws: Problem.self) { try await storePositions(writer, from: 0, count: 1) }
        #expect(problem.current?.failures == 1 && problem.current?.code == "storeFailed")
        // After the failure, the content of the log is checkpointed and written again.
        await #expect(throws: Problem.self) { try await storePositions(writer, from: 1, count: 1) }
        #expect(problem.current?.failures == 2)
        failing.fails.store(false, ordering: .relaxed)
        _ = try await storePositions(writer, from: 2, count: 1)
        #expect(problem.current == nil)
    }

    private final class FailingSync: Sendable {
        let fails = Atomic<Bool>(false)

        func sync(_ descriptor: Int32) -> Int32 {
            if !fails.load(ordering: .relaxed) { return fdatasync(descriptor) }
            errno = EIO
            return -1
        }
    }

    @Test("The problem of an earlier run ends when the store can be opened for writing")
    func leftOver() throws {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        do {
            let service = try ServiceWriter(data, purpose: "test", clock: clock)
            try service.record(full, source: StoreProblem.source)
        }
        try writer(data, make()).stop()
        #expect(try ServiceReader(data).problems(withDismissed: true, after: nil, limit: 10).items.isEmpty)
    }
}
