import Core
import Geodesy
import History
import Model
import Presence
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Tracks")
struct TrackTests {
    @Test("A track does not depend on how far the fixes are in order", arguments: [UInt64(1), 2, 3])
    func order(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let bench = try Workbench()
        var times: [Int64] = []
        for _ in 0..<30 {
            var batch = FixBatch()
            let device = batch.number(ofDevice: "d")
            let other = batch.number(ofDevice: "other")
            for line in 0..<10 {
                let time = Int64.random(in: 0..<100_000, using: &random) * 1000
                times.append(time)
                for device in [device, other] {
                    let place = Coordinate(latitude: Double(times.count) / 10, longitude: 1)
                    batch.rows.append(
                        .init(fix: Fix(time: Instant(milliseconds: time), coordinate: place), device: device, line: line))
                }
            }
            _ = try bench.service.accept(batch)
            if Bool.random(using: &random) { try bench.service.sortFixes(atMost: Int.random(in: 1...50, using: &random)) }
            var found: [Int64] = []
            var after: String?
            repeat {
                let page = try bench.service.track(of: "d", since: nil, until: nil, after: after, limit: 7)
                found += page.items.map(\.fix.time.milliseconds)
                after = page.next
            } while after != nil
            #expect(found == times.sorted(), "seed \(seed)")
            let (low, high) = (Int64(20_000_000), Int64(60_000_000))
            let part = try bench.service.track(
                of: "d", since: Instant(milliseconds: low), until: Instant(milliseconds: high), after: nil, limit: 10_000)
            #expect(part.items.map(\.fix.time.milliseconds) == times.sorted().filter { $0 >= low && $0 < high }, "seed \(seed)")
        }
    }
}
