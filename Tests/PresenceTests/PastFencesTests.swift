import Geodesy
import Model
import ServiceTestSupport
import Testing

@testable import Core
@testable import Presence
@testable import Timeline

@Suite("Past geofences of late devices")
struct PastFencesTests {
    private static let start = Instant("2026-05-01T10:00:00Z")!
    private static let devices = (0..<30).map { "d\($0)" }
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    /// Sends a position of some devices, each of which is 100 m from the next one.
    private func send(
        of numbers: Range<Int> = Self.devices.indices, to service: ServiceWriter, at seconds: Double
    ) throws {
        var batch = FixBatch()
        for number in numbers {
            let fix = Fix(time: Self.start + seconds, coordinate: home.north(Double(number) * 100), accuracy: nil)
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: Self.devices[number]), line: number))
        }
        var intake = PositionIntake(service: service, policy: .exact)
        _ = try intake.accept(TimeOrderedBatch(batch))
    }

    private func fence(_ number: Int, radius: Double) -> Geofence {
        Geofence(
            id: "f\(number)", name: "F", shape: .circle(Circle(center: home.north(Double(number) * 100), radius: radius)))
    }

    /// A service whose devices have sent a position before an edit of a geofence, one after it, and then a late one between these.
    private func withLatePositions() throws -> Workbench {
        let bench = try Workbench()
        try bench.add((0..<60).map { fence($0, radius: 40) })
        try send(to: bench.service, at: 0)
        try bench.add([fence(3, radius: 41)])
        try send(to: bench.service, at: 20)
        try send(to: bench.service, at: 10)
        return bench
    }

    @Test("What has changed since is read once for all late devices, and all geofences are copied once")
    func shared() throws {
        let bench = try Workbench()
        try bench.add((0..<60).map { fence($0, radius: 40) })
        for second in 0..<20 { try send(to: bench.service, at: Double(second * 10)) }
        for number in 0..<5 { try bench.add([fence(number, radius: 250)]) }
        for second in 20..<30 { try send(to: bench.service, at: Double(second * 10)) }
        try send(to: bench.service, at: 55)
        let past = try bench.service.pastFences()
        let counts = try bench.service.replayLate(all: true) { _ in }
        #expect(counts.devices == Self.devices.count && counts.retracted == 0 && counts.new == 0, "\(counts)")
        #expect(past.readings == 1 && past.copies == 1)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A replay that begins earlier reads what has changed since then, and further ones go back twice as far")
    func earlier() throws {
        let bench = try Workbench()
        try bench.add((0..<60).map { fence($0, radius: 40) })
        // Each device begins after another edit.
        for number in Self.devices.indices.reversed() {
            try bench.add([fence(number, radius: 41)])
            for second in 0..<3 { try send(of: number..<number + 1, to: bench.service, at: Double(second * 10)) }
        }
        try bench.add([fence(59, radius: 42)])
        try send(to: bench.service, at: 15)
        let past = try bench.service.pastFences()
        #expect(try bench.service.replayLate(all: true) { _ in }.devices == Self.devices.count)
        #expect(past.readings <= 6 && past.copies == 1, "\(past.readings), \(past.copies)")
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("A service reads the past in parts")
    func parts() throws {
        let bench = try withLatePositions()
        bench.service.pastLimits.keysAtOnce = 10
        var parts = 0
        while true {
            let step = try bench.service.replayLate(at: nil)
            if step.done != nil { break }
            #expect(step.hasMore && bench.service.isReadingPast)
            parts += 1
        }
        #expect(parts == 5)
    }

    @Test("The past is released when no late device waits for a while")
    func released() throws {
        let bench = try withLatePositions()
        _ = try bench.service.replayLate(all: true) { _ in }
        for _ in 0..<2 { _ = try bench.service.replayLate(at: nil) }
        #expect(bench.service.knownPastFences == nil)
    }
}
