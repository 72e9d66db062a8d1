import Foundation
import Geodesy
import Ingest
import Model
import ServiceTestSupport
import Synchronization
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence
@testable import Service

@Suite("Clocks that step back")
struct BackwardClockTests {
    private final class Clock: WallClock {
        private let time: Mutex<Instant>
        init(_ start: Instant) { time = Mutex(start) }
        func now() -> Instant { time.withLock { $0 } }
        func step(_ seconds: Double) { time.withLock { $0 = $0 + seconds } }
    }

    private let directory: DataDirectory
    private let folder: TemporaryDirectory
    private let clock = Clock(Instant("2026-05-01T12:00:00Z")!)

    init() throws {
        folder = try TemporaryDirectory()
        directory = DataDirectory(path: folder.path)
    }

    private func batch(_ latitude: Double) -> FixBatch {
        var batch = FixBatch()
        let fix = Fix(time: clock.now(), coordinate: Coordinate(latitude: latitude, longitude: 13.4))
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "a"), line: 1))
        return batch
    }

    @Test("After the clock steps back, no deadline fires twice, positions are stored, and times too far ahead are refused")
    func backwards() async throws {
        let writer = try Writer(directory, purpose: "test", durability: .normal, clock: clock)
        defer { writer.stop() }
        _ = try await writer.perform { service throws(Problem) in
            let home = Geofence(
                id: "home", name: "Home",
                shape: .circle(Circle(center: Coordinate(latitude: 52.5, longitude: 13.4), radius: 100)), dwell: 60)
            _ = try service.apply([.save(home)])
        }
        func fire() async throws -> [EventType] {
            let now = clock.now()
            return try await writer.perform { service throws(Problem) in try service.fireDeadlines(upTo: now).map(\.type) }
        }
        #expect(try await writer.store(batch(52.5)).events.map(\.type) == [.enter])
        let first = clock.now()
        clock.step(120)
        #expect(try await fire() == [.dwell])

        clock.step(-3600)
        #expect(try await fire() == [])
        // The phone's clock is right, so its position is in the future by this clock. It is refused with a reason.
        var ahead = FixBatch()
        var decoder = FixDecoder(source: .body, format: .json, options: writer.decodingOptions(ofDevice: nil))
        let text = Array(#"{"device":"a","timestamp":"\#(first + 200)","latitude":10,"longitude":10}"#.utf8)
        try text.withUnsafeBufferPointer { try decoder.decode($0, into: &ahead) }
        try decoder.finish(into: &ahead)
        let refused = try await writer.store(ahead)
        #expect(refused.counts.accepted == 0 && refused.refusals.first?.reason.description.contains("in the future") == true)
        // A position with a time of the clock that was set back is late: it is stored and not evaluated.
        let late = try await writer.store(batch(10))
        #expect(late.counts.late == 1 && late.events.isEmpty)

        clock.step(3600 + 200)
        #expect(try await writer.store(batch(10)).events.map(\.type) == [.exit])
        #expect(try await fire() == [])
        let check = try ServiceReader(directory).checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
        #expect(check.totals.fixes == 3 && check.totals.events == 3)
    }
}
