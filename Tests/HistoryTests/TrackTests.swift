import Core
import Geodesy
import Model
import Presence
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import History

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

    @Test("An explanation reads the positions that are not in order once, however many the device has")
    func explanationWithoutOrder() throws {
        let bench = try Workbench()
        let home = Coordinate(latitude: 52.5, longitude: 13.4)
        try bench.add([Geofence(id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 150)))])
        let start = bench.clock.now() + -100_000
        for part in 0..<6 {
            var batch = FixBatch()
            for second in part * 3500..<(part + 1) * 3500 {
                let place = home.north(second / 5000 % 2 == 0 ? 0 : 2000)
                for name in ["d", "other 1", "other 2"] {
                    let device = batch.number(ofDevice: name)
                    batch.rows.append(
                        .init(fix: Fix(time: start + Double(second), coordinate: place, accuracy: 5), device: device, line: 1))
                }
            }
            _ = try bench.service.accept(batch, policy: .exact)
        }
        /// An explanation, and how many times SQLite has done 100,000 steps.
        func explain() throws -> (answer: String, steps: Int) {
            let steps = Mutex(0)
            bench.service.store.interrupt {
                steps.withLock { $0 += 1 }
                return false
            }
            defer { bench.service.store.interrupt(when: nil) }
            let question = Explanation.Question(deviceId: "d", geofenceId: "home", at: nil)
            let answer = try bench.service.explain(question).json(in: AnswerLocale(.english, zone: .utc)).description
            return (answer, steps.withLock { $0 })
        }
        let unordered = try explain()
        #expect(try bench.service.store.unorderedFixCount() > 60_000)
        try bench.service.sortFixes()
        let ordered = try explain()
        #expect(unordered.answer == ordered.answer)
        // Reading the 63,000 positions takes some nine times 100,000 steps, and would take ninety for the ten pages of the device.
        #expect(unordered.steps < ordered.steps + 40, "\(unordered.steps), \(ordered.steps)")
    }
}
