import Geodesy
import Model
import TestSupport
import Testing

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
}
