import Geodesy
import Model
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Presence

@Suite("Stops")
struct StopTests {
    private static let start = Instant("2026-05-04T06:00:00Z")!
    /// Degrees of longitude for a meter at the equator, where the test devices are.
    private static let meter = 1 / 111_319.49

    /// A position at a minute, some meters east of the start.
    private func fix(_ minute: Double, _ meters: Double, accuracy: Double? = nil, longitude: Double = 0) -> Fix {
        Fix(
            time: Self.start + minute * 60,
            coordinate: Coordinate(latitude: 0, longitude: Coordinate.wrapped(longitude: longitude + meters * Self.meter)),
            accuracy: accuracy)
    }

    private func stops(_ fixes: [Fix], minDuration: Double = 300) -> [Stop] {
        var finder = StopFinder(ofDevice: "van", minDuration: minDuration)
        return fixes.compactMap { finder.add($0) } + [finder.last].compactMap { $0 }
    }

    @Test("A stop begins with the first position at a place, and ends with the last one there", arguments: [0, 179.9999, -180])
    func place(longitude: Double) throws {
        let fixes = [(0, -5000), (1, -2000), (2, 0), (5, 40), (9, -20), (10, 2000), (11, 5000)].map {
            fix($0.0, $0.1, longitude: longitude)
        }
        let stop = try #require(stops(fixes).first)
        #expect(stops(fixes).count == 1 && stop.positions == 3)
        #expect(stop.startedAt == Self.start + 120 && stop.endedAt == Self.start + 540 && stop.duration == 420)
        let east = Coordinate.wrapped(longitude: stop.coordinate.longitude - longitude) / Self.meter
        #expect(abs(east - 20.0 / 3) < 0.1)
        #expect(stops(fixes, minDuration: 421).isEmpty)
    }

    @Test("One position elsewhere, an inaccurate one and a gap end no stop, and two positions elsewhere do")
    func outliers() {
        let one = [fix(0, 0), fix(3, 10), fix(4, 900), fix(5, 0), fix(6, 5000, accuracy: 150), fix(300, 20)]
        #expect(stops(one).map(\.duration) == [18_000])
        let two = [fix(0, 0), fix(6, 10), fix(7, 900), fix(8, 910), fix(20, 905), fix(21, 5000)]
        #expect(stops(two).map(\.duration) == [360, 13 * 60] && stops(two).map(\.positions) == [2, 3])
    }

    @Test("A device that moves all the time has no stop, however slow it is")
    func moving() {
        #expect(stops((0..<200).map { fix(Double($0), Double($0) * 60) }).isEmpty)
        #expect(stops([]).isEmpty && stops([fix(0, 0)]).isEmpty)
    }

    @Test("Random drives and stays give the stays back", arguments: 1...20)
    func random(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var (minute, meters) = (0.0, 0.0)
        var fixes: [Fix] = []
        var expected: [ClosedRange<Instant>] = []
        for _ in 0..<30 {
            for _ in 0..<Int.random(in: 2...10, using: &random) {
                (minute, meters) = (minute + 1, meters + .random(in: 400...1500, using: &random))
                fixes.append(fix(minute, meters))
            }
            (minute, meters) = (minute + 1, meters + 1000)
            let first = minute
            let count = Int.random(in: 2...20, using: &random)
            for number in 0..<count {
                if number > 0 { minute += .random(in: 0.5...30, using: &random) }
                fixes.append(fix(minute, meters + .random(in: -30...30, using: &random), accuracy: 20))
            }
            if (minute - first) * 60 >= 300 { expected.append(Self.start + first * 60...Self.start + minute * 60) }
        }
        let found = stops(fixes)
        #expect(found.map(\.startedAt) == expected.map(\.lowerBound), "seed \(seed)")
        #expect(found.map(\.endedAt) == expected.map(\.upperBound), "seed \(seed)")
    }

    @Test("Stops at geofences are left out, and so are positions outside of the period")
    func visits() throws {
        let bench = try Workbench()
        let circle = Circle(center: fix(0, 0).coordinate, radius: 200)
        try bench.service.apply([.save(Geofence(id: "home", name: "Home", shape: .circle(circle)))])
        var batch = FixBatch()
        for one in [
            fix(0, -9000), fix(1, 0), fix(20, 10), fix(21, 3000), fix(22, 6000), fix(40, 6010), fix(41, 9000), fix(42, 12_000),
            fix(60, 12_010), fix(61, 20_000), fix(62, 30_000),
        ] {
            batch.rows.append(.init(fix: one, device: batch.number(ofDevice: "van"), line: 1))
        }
        bench.clock.set(Self.start + 7200)
        _ = try bench.service.accept(batch, policy: .exact)
        func started(_ since: Double? = nil, _ until: Double? = nil) throws -> [Double] {
            let stops = try bench.service.stops(
                ofDevice: "van", since: since.map { Self.start + $0 * 60 }, until: until.map { Self.start + $0 * 60 },
                minDuration: 300
            ).stops
            return stops.map { ($0.startedAt - Self.start) / 60 }
        }
        #expect(try started() == [22, 42])
        #expect(try started(30) == [42] && started(nil, 41) == [22] && started(nil, 30) == [])
        #expect(throws: Problem.self) { try bench.service.stops(ofDevice: "none", since: nil, until: nil, minDuration: 0) }
    }
}
