import Foundation
import Geodesy
import Ingest
import Model
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Presence
@testable import Registrations
@testable import Service

@Suite("Time-ordered batches")
struct TimeOrderedBatchTests {
    private func batch(_ times: [Int]) -> FixBatch {
        var batch = FixBatch()
        for (line, time) in times.enumerated() {
            let fix = Fix(
                time: Instant(milliseconds: Int64(time)),
                coordinate: Coordinate(latitude: 52.5, longitude: 13.4))
            batch.rows.append(
                .init(fix: fix, device: batch.number(ofDevice: "d\(line % 3)"), line: line + 1))
        }
        return batch
    }

    @Test("Positions are sorted by time, and those of one time keep their order")
    func order() {
        for seed: UInt64 in 1...50 {
            var random = SeededRandom(seed: seed)
            let times = (0..<Int.random(in: 0...200, using: &random)).map { _ in
                Int.random(in: 0..<40, using: &random)
            }
            let ordered = TimeOrderedBatch(batch(times)).batch
            let expected = times.enumerated().sorted { ($0.element, $0.offset) < ($1.element, $1.offset) }
            #expect(ordered.rows.map(\.line) == expected.map { $0.offset + 1 }, "seed \(seed)")
            #expect(ordered.rows.allSatisfy { Int($0.device) == ($0.line - 1) % 3 }, "seed \(seed)")
            #expect(
                TimeOrderedBatch(ordered).batch.rows.map(\.line) == ordered.rows.map(\.line), "seed \(seed)"
            )
        }
    }

    /// The times of three devices, whose positions are out of order.
    private static let times = [40, 10, 30, 20, 5, 15, 50].map { $0 * 60_000 + 1_777_629_600_000 }

    @Test("The store accepts batches in order of time, from phones and from files")
    func store() throws {
        // The directory of a bench exists as long as the bench.
        let (first, second) = (try Workbench(), try Workbench())
        #expect(try first.service.accept(batch(Self.times)).counts.late == 0)
        #expect(try second.service.accept(batch(Self.times), []).counts.late == 0)
        let bench = try Workbench()
        let rows = Self.times.enumerated().map {
            "d\($0 % 3),\(Instant(milliseconds: Int64($1))),52.5,13.4"
        }
        let path = try bench.directory.write(
            "device,timestamp,latitude,longitude\n" + rows.joined(separator: "\n"), to: "f.csv")
        let counts = try bench.feed([path]).summary.counts
        #expect(counts.accepted == 7 && counts.late == 0)
        // Positions in a later file are late.
        #expect(
            try bench.feed([
                bench.directory.write("device,timestamp,latitude,longitude\n" + rows[4], to: "g.csv")
            ])
            .summary.counts.duplicates == 1)
        #expect(try bench.service.accept(batch(Self.times.map { $0 + 1 })).counts.late == 4)
    }

    @Test("The writer accepts batches in order of time, alone and with messages of an app")
    func writer() throws {
        let directory = try TemporaryDirectory()
        let clock = TestClock(time: Instant(milliseconds: Int64(Self.times[6])))
        let writer = try Writer(DataDirectory(path: directory.path), purpose: "test", durability: .normal, clock: clock)
        defer { withExtendedLifetime(directory) { writer.stop() } }
        for (number, messages) in ([nil, []] as [[OwnTracksMessage]?]).enumerated() {
            let shuffled = batch(Self.times.map { $0 + number * 3_600_000 })
            clock.set(shuffled.rows[6].fix.time)
            let received = Mutex<IntakeCounts?>(nil)
            let done = DispatchSemaphore(value: 0)
            let completion: Writer.IntakeCompletion = { result in
                received.withLock { $0 = try? result.get().counts }
                done.signal()
            }
            #expect(
                messages.map { writer.submit(shuffled, messages: $0, completion: completion) }
                    ?? writer.submit(shuffled, completion))
            done.wait()
            #expect(received.withLock { $0?.accepted } == 7)
            #expect(received.withLock { $0?.late } == 0)
        }
    }
}
