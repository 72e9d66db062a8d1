import Geodesy
import Model
import ServiceTestSupport
import Testing

@testable import Core
@testable import Presence
@testable import Service

@Suite("The newest time at which data was accepted")
struct AcceptedTimeTests {
    @Test("A device that is years ahead does not count, but the second of two devices")
    func newest() throws {
        let bench = try Workbench()
        func accept(_ device: String, at time: Instant) throws {
            var batch = FixBatch()
            let fix = Fix(time: time, coordinate: Coordinate(latitude: 52, longitude: 13))
            batch.rows = [.init(fix: fix, device: batch.number(ofDevice: device), line: 1)]
            try bench.service.accept(batch)
        }
        func newest() throws -> Instant? { try bench.service.store.newestAcceptedTime(tolerance: 600) }
        let now = bench.clock.now()
        let before = try newest() ?? .earliest
        #expect(before <= now)
        bench.clock.set(now + 7200)
        try accept("wrong", at: now + 1e8)
        #expect(try newest() ?? .earliest == before)
        try accept("right", at: now + 7150)
        #expect(try newest() == now + 6550)
        // If a position was two hours old when it arrived, its age shows when it arrived.
        try accept("late", at: now)
        #expect(try newest() == now + 6600)
    }
}
