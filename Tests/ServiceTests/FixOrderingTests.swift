import Geodesy
import Ingest
import Model
import Registrations
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service
@testable import Store

@Suite("Large and late requests to a running service")
final class FixOrderingTests: Sendable {
    private let directory: DataDirectory
    private let folder: TemporaryDirectory
    private let start = Instant("2026-05-01T08:00:00Z")!
    private let clock = TestClock(time: Instant("2026-05-01T20:00:00Z")!)
    private let groups = Mutex<[Int]>([])

    init() throws {
        folder = try TemporaryDirectory()
        directory = DataDirectory(path: folder.path)
    }

    private func writer() throws -> Writer {
        var observer = Writer.Observer()
        observer.group = { [self] group in
            groups.withLock { $0.append(group.results.reduce(0) { $0 + $1.counts.fixes }) }
        }
        return try Writer(directory, purpose: "test", durability: .normal, clock: clock, observer: observer)
    }

    private func make(_ writer: Writer) async throws {
        try await writer.perform { service throws(Problem) in
            let home = Geofence(
                id: "home", name: "Home",
                shape: .circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 500)))
            _ = try service.apply([.save(home)])
        }
    }

    /// Positions of 40 devices that enter and leave the geofence every ten minutes; one position a second, in turn.
    private func batch(_ seconds: Range<Int>) -> FixBatch {
        var batch = FixBatch()
        for second in seconds {
            batch.rows.append(
                .init(fix: fix(second), device: batch.number(ofDevice: "d\(second % 40)"), line: second - seconds.lowerBound + 1))
        }
        return batch
    }

    private func fix(_ second: Int) -> Fix {
        Fix(
            time: start + Double(second), coordinate: Coordinate(latitude: second / 600 % 2 == 0 ? 52.5 : 52.6, longitude: 13.4))
    }

    private var unordered: Int { get throws { try PicketStore(reading: directory.storePath).unorderedFixCount() } }

    @Test("A large request is evaluated in parts, and answered once with the totals")
    func parts() async throws {
        let writer = try writer()
        try await make(writer)
        let bench = try Workbench()
        bench.clock.set(clock.now())
        try bench.add([
            Geofence(
                id: "home", name: "Home",
                shape: .circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 500)))
        ])
        var large = batch(0..<13_000)
        large.refusals.append(Refusal(.unreadable, line: 20_000, field: "line", value: "x", reason: .notAnObject))
        // This position names no device.
        large.rows[7000].device = -1
        let whole = try bench.service.accept(large, policy: .exact)
        let result = try await writer.store(large)
        #expect(result.counts == whole.counts && result.counts.fixes == 13_001 && result.counts.refused == 2)
        #expect(result.refusals.map(\.line) == whole.refusals.map(\.line))
        #expect(result.events.map(\.id) == whole.events.map(\.id) && !result.events.isEmpty)
        #expect(groups.withLock { $0 } == Array(repeating: 1500, count: 8) + [1001])
        // Sending the batch again changes nothing.
        large.rows.removeAll { $0.device < 0 }
        let again = try await writer.store(large)
        #expect(again.counts.duplicates == 12_999 && again.events.isEmpty)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    /// One known position, and one that is new.
    private func lateBatch() -> FixBatch {
        var batch = batch(600..<601)
        batch.rows.append(
            .init(
                fix: Fix(time: start + 600.5, coordinate: Coordinate(latitude: 52.5, longitude: 13.4)), device: 0, line: 2))
        return batch
    }

    @Test("A late request is answered at once by the process that has stored the fixes, and puts nothing in order")
    func late() async throws {
        let writer = try writer()
        try await make(writer)
        for part in 0..<4 { _ = try await writer.store(batch(part * 3000..<part * 3000 + 3000)) }
        #expect(try unordered >= 12_000)
        let result = try await writer.store(lateBatch())
        #expect(result.counts.duplicates == 1 && result.counts.late == 1 && result.counts.accepted == 1)
        let again = try await writer.store(lateBatch())
        #expect(again.counts.duplicates == 2)
        #expect(try unordered >= 12_000)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("After a restart, a late request waits while fixes are put in order, others continue, and the result is the same")
    func lateAfterRestart() async throws {
        var writer = try writer()
        try await make(writer)
        for part in 0..<4 { _ = try await writer.store(batch(part * 3000..<part * 3000 + 3000)) }
        writer.stop()
        writer = try self.writer()
        #expect(try unordered >= 12_000)
        async let answer = writer.store(lateBatch())
        async let next = writer.store(batch(12_000..<12_040))
        let (result, other) = try await (answer, next)
        #expect(result.counts.duplicates == 1 && result.counts.late == 1 && result.counts.accepted == 1)
        #expect(other.counts.accepted == 40 && other.counts.late == 0)
        #expect(try unordered < 50)
        // The order is up to date from now on, and no batch waits for it.
        let again = try await writer.store(lateBatch())
        #expect(again.counts.duplicates == 2)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    /// Positions of a device, without a policy.
    private func batch(of device: String, _ positions: [(second: Double, latitude: Double)]) -> FixBatch {
        var batch = FixBatch()
        for (line, position) in positions.enumerated() {
            batch.rows.append(
                .init(
                    fix: Fix(
                        time: start + position.second, coordinate: Coordinate(latitude: position.latitude, longitude: 13.4)),
                    device: batch.number(ofDevice: device), line: line + 1))
        }
        return batch
    }

    /// A writer that was started again with 12,000 positions that are not in order.
    private func restartedWriter(_ observer: Writer.Observer = Writer.Observer()) async throws -> Writer {
        let before = try writer()
        try await make(before)
        for part in 0..<4 { _ = try await before.store(batch(part * 3000..<part * 3000 + 3000)) }
        _ = try await before.store(batch(of: "jane/phone", [(600, 52.6), (700, 52.6)]))
        before.stop()
        let writer = try Writer(directory, purpose: "test", durability: .normal, clock: clock, observer: observer)
        #expect(try unordered >= 12_000)
        return writer
    }

    /// Submits requests that wait together when the writer continues, then one with new positions of other devices.
    ///
    /// - Returns: The numbers of the requests in the order of their answers, and the answers. The last number is that of the other devices.
    private func answers(
        of writer: Writer, _ requests: [@Sendable (Writer, @escaping Writer.IntakeCompletion) -> Bool]
    ) async throws -> (order: [Int], results: [Result<IntakeResult, Problem>]) {
        let (answers, continuation) = AsyncStream<(Int, Result<IntakeResult, Problem>)>.makeStream()
        let others = batch(12_000..<12_040)
        try await writer.perform { service throws(Problem) in
            for (number, submit) in requests.enumerated() { #expect(submit(writer) { continuation.yield((number, $0)) }) }
            #expect(writer.submit(others) { continuation.yield((requests.count, $0)) })
        }
        var order: [Int] = []
        var results: [Int: Result<IntakeResult, Problem>] = [:]
        for await (number, result) in answers {
            order.append(number)
            results[number] = result
            if order.count > requests.count { break }
        }
        return (order, (0...requests.count).compactMap { results[$0] })
    }

    /// Checks that a request waited for the order while the positions of other devices did not, and stored what is new.
    private func expectWaited(
        _ requests: [@Sendable (Writer, @escaping Writer.IntakeCompletion) -> Bool], accepted: Int,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let writer = try await restartedWriter()
        let (order, results) = try await answers(of: writer, requests)
        let counts = try results.map { try $0.get().counts }
        let others = try #require(order.firstIndex(of: requests.count))
        #expect(others < requests.count, "\(order)", sourceLocation: sourceLocation)
        #expect(counts.dropLast().reduce(0) { $0 + $1.accepted } == accepted, sourceLocation: sourceLocation)
        #expect(counts.last?.accepted == 40, sourceLocation: sourceLocation)
        #expect(try unordered < 100, sourceLocation: sourceLocation)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound, sourceLocation: sourceLocation)
    }

    @Test("After a restart, two new positions of one moment wait for the order, and others continue")
    func sameMoment() async throws {
        let pair = batch(of: "d1", [(13_000, 52.5), (13_000, 52.6), (13_000, 52.6)])
        try await expectWaited([{ $0.submit(pair, $1) }], accepted: 2)
    }

    @Test("After a restart, a request that is late only behind another one of its transaction waits, and others continue")
    func lateBehindOther() async throws {
        let first = batch(of: "jane/phone", [(13_010, 52.5)])
        let second = batch(of: "jane/phone", [(13_005, 52.5), (13_010, 52.5)])
        try await expectWaited([{ $0.submit(first, $1) }, { $0.submit(second, $1) }], accepted: 2)
    }

    @Test("After a restart, two first positions of one moment wait for the order, and others continue")
    func newDevice() async throws {
        let pair = batch(of: "new", [(13_000, 52.5), (13_000, 52.6)])
        try await expectWaited([{ $0.submit(pair, $1) }], accepted: 2)
    }

    @Test("After a restart, a known position with other OwnTracks messages waits for the order, and others continue")
    func ownTracksMessages() async throws {
        let time = Int((start + 600).milliseconds / 1000)
        let text = #"[{"_type":"location","lat":52.6,"lon":13.4,"tst":\#(time)},{"_type":"status","iOS":{}}]"#
        try await expectWaited(
            [
                { writer, completion in
                    var batch = FixBatch()
                    let messages = Array(text.utf8).withUnsafeBufferPointer {
                        batch.addOwnTracks($0, of: OwnTracksSender(user: "jane", device: "phone"), field: "body")
                    }
                    #expect(messages.count == 1 && batch.rows.count == 1)
                    return writer.submit(batch, messages: messages, completion: completion)
                }
            ], accepted: 0)
    }

    @Test("If fixes cannot be sorted, a request that needs the order fails, and the writer sorts nothing itself")
    func failedOrdering() async throws {
        let restarted = Mutex<Writer?>(nil)
        var observer = Writer.Observer()
        observer.problem = { _ in
            // This runs before the waiting request continues.
            let writer = restarted.withLock { $0 }
            _ = writer?.submit({ service throws(Problem) in
                do { try service.store.connection.execute("DROP TRIGGER IF EXISTS fault") } catch { Issue.record(error) }
            }) { _ in }
        }
        let writer = try await restartedWriter(observer)
        restarted.withLock { $0 = writer }
        defer { restarted.withLock { $0 = nil } }
        try await writer.perform { service throws(Problem) in
            let trigger = """
                CREATE TEMP TRIGGER fault BEFORE INSERT ON main.fix_order BEGIN
                    SELECT RAISE(ABORT, 'fault');
                END
                """
            do { try service.store.connection.execute(trigger) } catch { Issue.record(error) }
        }
        await #expect(throws: Problem.self) {
            try await writer.store(self.batch(of: "d1", [(13_000, 52.5), (13_000, 52.6)]))
        }
        #expect(try unordered >= 12_000)
        // The next request tries it again.
        #expect(try await writer.store(batch(of: "d1", [(13_000, 52.5), (13_000, 52.6)])).counts.accepted == 2)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("After a failed transaction, known positions are still found without the order")
    func failedTransaction() async throws {
        let writer = try writer()
        try await make(writer)
        for part in 0..<4 { _ = try await writer.store(batch(part * 3000..<part * 3000 + 3000)) }
        let bad = start + 13_001
        try await writer.perform { service throws(Problem) in
            let trigger = """
                CREATE TEMP TRIGGER fault BEFORE INSERT ON main.fix WHEN NEW.time = \(bad.milliseconds) BEGIN
                    SELECT RAISE(ABORT, 'fault');
                END
                """
            do { try service.store.connection.execute(trigger) } catch { Issue.record(error) }
        }
        await #expect(throws: Problem.self) {
            try await writer.store(self.batch(of: "d1", [(13_000, 52.5), (13_001, 52.5)]))
        }
        #expect(try await writer.store(batch(of: "d1", [(13_000, 52.5)])).counts.accepted == 1)
        #expect(try await writer.store(lateBatch()).counts.duplicates == 1)
        #expect(try unordered >= 12_000)
        writer.stop()
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("The removal of a device removes fixes that are not in order, and puts none in order")
    func removalWithoutOrder() async throws {
        let writer = try await restartedWriter()
        _ = try await writer.perform { service throws(Problem) in try service.removeDevice(id: "d7") }
        #expect(try unordered >= 12_000)
        writer.stop()
        #expect(try PicketStore(reading: directory.storePath).fixCount() == 12_002 - 300)
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("Waiting requests are answered when the service stops")
    func stop() async throws {
        let writer = try writer()
        try await make(writer)
        for part in 0..<4 { _ = try await writer.store(batch(part * 3000..<part * 3000 + 3000)) }
        let (answers, continuation) = AsyncStream<Result<IntakeResult, Problem>>.makeStream()
        for second in [600, 700, 800] { #expect(writer.submit(batch(second..<second + 1)) { continuation.yield($0) }) }
        #expect(writer.submit(batch(12_000..<25_000)) { continuation.yield($0) })
        writer.stop()
        var counts = IntakeCounts()
        var left = 4
        for await answer in answers {
            counts.add(try answer.get().counts)
            left -= 1
            if left == 0 { break }
        }
        #expect(counts.duplicates == 3 && counts.accepted == 13_000)
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("All fixes of a device are removed with it, whether ordered or not")
    func removal() async throws {
        let writer = try writer()
        try await make(writer)
        for part in 0..<4 { _ = try await writer.store(batch(part * 3000..<part * 3000 + 3000)) }
        await writer.sortFixes()
        #expect(try unordered == 0)
        _ = try await writer.store(batch(12_000..<12_040))
        _ = try await writer.perform { service throws(Problem) in try service.removeDevice(id: "d7") }
        writer.stop()
        #expect(try PicketStore(reading: directory.storePath).fixCount() == 12_040 - 301)
        #expect(try ServiceReader(directory).checkStore().isSound)
    }

    @Test("A request that waits in the queue is refused when its token is revoked before its turn")
    func admission() async throws {
        let writer = try writer()
        try await make(writer)
        let isRevoked = Mutex(false)
        let (answers, continuation) = AsyncStream<Result<IntakeResult, Problem>>.makeStream()
        let positions = batch(of: "gone", [(1, 52.5)])
        try await writer.perform { service throws(Problem) in
            let admission: Writer.Admission = { () throws(Problem) in
                if isRevoked.withLock({ $0 }) { throw .unauthorized(details: .tokenUnknown) }
            }
            #expect(writer.submit(positions, admission: admission) { continuation.yield($0) })
            isRevoked.withLock { $0 = true }
        }
        for await answer in answers {
            #expect(throws: Problem.unauthorized(details: .tokenUnknown)) { try answer.get() }
            break
        }
        #expect(try await !writer.perform { service throws(Problem) in try service.hasDevice(id: "gone") })
        writer.stop()
    }

    @Test("A request after a failed one is evaluated as if the failed one had never come")
    func failureBefore() async throws {
        let writer = try writer()
        try await make(writer)
        _ = try await writer.store(batch(0..<40))
        let bad = fix(40)
        let time = bad.time
        let (answers, continuation) = AsyncStream<(Int, Result<IntakeResult, Problem>)>.makeStream()
        // Both requests wait when the writer continues, so the first is not committed before the second is evaluated.
        try await writer.perform { [self] service throws(Problem) in
            let trigger = """
                CREATE TEMP TRIGGER fault BEFORE INSERT ON main.fix WHEN NEW.time = \(time.milliseconds) BEGIN
                    SELECT RAISE(ABORT, 'fault');
                END
                """
            do { try service.store.connection.execute(trigger) } catch { Issue.record(error) }
            #expect(writer.submit(batch(40..<41), policy: .exact) { continuation.yield((0, $0)) })
            #expect(writer.submit(batch(41..<2041), policy: .exact) { continuation.yield((1, $0)) })
        }
        var results: [Int: Result<IntakeResult, Problem>] = [:]
        for await (number, result) in answers {
            results[number] = result
            if results.count == 2 { break }
        }
        #expect(throws: Problem.self) { try results[0]?.get() }
        #expect(try results[1]?.get().counts.accepted == 2000)
        writer.stop()
        let reader = try ServiceReader(directory)
        #expect(try reader.checkStore().isSound)
        #expect(try PicketStore(reading: directory.storePath).fixCount() == 2040)
    }
}
