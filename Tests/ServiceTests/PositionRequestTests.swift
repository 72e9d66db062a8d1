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

@Suite("The result of a large request of positions")
struct PositionRequestTests {
    private static func batch(_ count: Int) -> TimeOrderedBatch {
        var batch = FixBatch()
        let fix = Fix(time: .earliest, coordinate: Coordinate(latitude: 1, longitude: 2))
        for line in 0..<count { batch.append(.init(fix: fix, device: -1, line: line)) }
        return TimeOrderedBatch(batch)
    }

    @Test("However many positions are refused, a bounded number of refusals is kept, and all are counted")
    func refusals() async throws {
        let count = IntakeResult.maxRefusals + 5000
        let directory = try TemporaryDirectory()
        let writer = try Writer(DataDirectory(path: directory.path + "/data"), purpose: "test")
        defer { writer.stop() }
        let result: IntakeResult = try await withCheckedThrowingContinuation { continuation in
            #expect(writer.submit(Self.batch(count)) { continuation.resume(with: $0) })
        }
        #expect(result.counts.refused == count && result.refusals.count == IntakeResult.maxRefusals)
    }

    @Test("A bounded number of events is kept, and all are counted")
    func events() {
        var random = SeededRandom(seed: 1)
        let event = Event.random(using: &random)
        var request = PositionRequest(Self.batch(3), policy: nil, admission: nil) { _ in }
        var part = IntakeResult()
        part.events = Array(repeating: event, count: BoundedList<Event>.maxEvents / 2 + 1)
        part.counts.events = part.events.count
        #expect(
            !request.addResult(part, rows: 0..<1) && !request.addResult(part, rows: 1..<2) && request.addResult(part, rows: 2..<3)
        )
        #expect(request.result.events.count == BoundedList<Event>.maxEvents)
        #expect(request.result.counts.events == 3 * part.events.count)
    }

    private static let center = Coordinate(latitude: 5, longitude: 5)

    /// Adds geofences at one place.
    private static func addGeofences(_ count: Int, _ writer: Writer) async throws {
        try await writer.perform { service throws(Problem) in
            let edits = (0..<count).map { number in
                let circle = Circle(center: center, radius: 500)
                return Queries.GeofenceEdit.save(Geofence(id: "spot-\(number)", name: "Spot", shape: .circle(circle)))
            }
            _ = try service.apply(edits)
        }
    }

    /// Positions of devices, once a minute, in turn in the geofences and outside.
    private static func positions(of devices: [String], _ minutes: Range<Int>) -> FixBatch {
        var batch = FixBatch()
        for minute in minutes {
            for device in devices {
                let place = center.north(minute % 2 == 0 ? 5000 : 0)
                let fix = Fix(time: Instant(milliseconds: 1_790_000_000_000) + Double(minute) * 60, coordinate: place)
                batch.append(.init(fix: fix, device: batch.number(ofDevice: device), line: minute))
            }
        }
        return batch
    }

    @Test("The rest of a long request waits for its next turn when it has caused many events")
    func turns() async throws {
        let directory = try TemporaryDirectory()
        let writer = try Writer(DataDirectory(path: directory.path + "/data"), purpose: "test")
        defer { writer.stop() }
        try await Self.addGeofences(20, writer)
        let (answers, continuation) = AsyncStream<Result<IntakeResult, Problem>>.makeStream()
        // Both are in one group, because they are submitted while the writer is busy.
        try await writer.perform { _ throws(Problem) in
            for (devices, minutes) in [(["a", "b"], 0..<120), (["c"], 0..<2)] {
                _ = writer.submit(Self.positions(of: devices, minutes), policy: .exact) { continuation.yield($0) }
            }
        }
        var counts: [IntakeCounts] = []
        for await answer in answers {
            counts.append(try answer.get().counts)
            if counts.count == 2 { break }
        }
        #expect(counts.map(\.accepted) == [2, 240] && counts.map(\.events) == [20, 2 * 119 * 20], "\(counts)")
    }

    @Test("Positions with many events are stored in several transactions, before the later positions of their devices")
    func manyEvents() async throws {
        let directory = try TemporaryDirectory()
        let transactions = Mutex<[Int]>([])
        var observer = Writer.Observer()
        observer.group = { group in transactions.withLock { $0.append(group.results.map(\.events.count).reduce(0, +)) } }
        let writer = try Writer(DataDirectory(path: directory.path + "/data"), purpose: "test", observer: observer)
        defer { writer.stop() }
        let fences = 400
        try await Self.addGeofences(fences, writer)
        let parts = [0..<4, 4..<5, 5..<9]
        let streams = parts.map { _ in AsyncStream<Result<IntakeResult, Problem>>.makeStream() }
        // All are in one group, because they are submitted while the writer is busy.
        try await writer.perform { _ throws(Problem) in
            for (part, (_, continuation)) in zip(parts, streams) {
                let isAccepted = writer.submit(Self.positions(of: ["a", "b"], part), policy: .exact) {
                    continuation.yield($0)
                    continuation.finish()
                }
                #expect(isAccepted)
            }
        }
        var results: [IntakeResult] = []
        for (stream, _) in streams { for await result in stream { results.append(try result.get()) } }
        #expect(results.map(\.counts.accepted) == [8, 2, 8] && results.map(\.counts.late) == [0, 0, 0])
        // Each minute except the first one, both devices enter or leave all geofences.
        #expect(results.map(\.counts.events) == [3, 1, 4].map { 2 * fences * $0 })
        #expect(results.map(\.counts.events) == results.map(\.events.count))
        let sizes = transactions.withLock { $0 }
        #expect(sizes.reduce(0, +) == 16 * fences && sizes.count >= 5 && sizes.allSatisfy { $0 < 1000 + fences }, "\(sizes)")
        try await writer.perform { service throws(Problem) in
            let check = try service.checkStore()
            #expect(check.isSound, "\(check.flaws.first)")
        }
    }
}
