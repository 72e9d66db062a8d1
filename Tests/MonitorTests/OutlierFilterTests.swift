import Geodesy
import Model
import Testing

@testable import Monitor

@Suite("Outliers in a stored track")
struct OutlierFilterTests {
    /// A walk with outliers, alone and in runs, with gaps, equal times and coarse fixes.
    private static func track(seed: UInt64) -> [Fix] {
        var random = SplitMix64(state: seed)
        func draw(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
        var (latitude, longitude) = (draw(-80...80), draw(-180...180))
        var time = Instant("2026-05-01T10:00:00Z")!
        let accuracies: [Double?] = [nil, 0, 5, 200, 20_000]
        var away: (latitude: Double, left: Int)?
        return (0..<400).map { _ in
            time = time + ([0.0, 1, 5, 30, 600, 7200].randomElement(using: &random) ?? 1)
            latitude += draw(-0.0005...0.0005)
            longitude += draw(-0.0005...0.0005)
            if away == nil, draw(0...1) < 0.1 { away = (draw(-5...5), Int.random(in: 1...3, using: &random)) }
            let place = Coordinate(
                latitude: latitude + (away?.latitude ?? 0), longitude: Coordinate.wrapped(longitude: longitude))
            if let left = away?.left { away = left > 1 ? (away!.latitude, left - 1) : nil }
            return Fix(time: time, coordinate: place, accuracy: accuracies.randomElement(using: &random) ?? nil)
        }
    }

    @Test("A fix is not believed exactly when the engine does not believe it", arguments: 1...20 as ClosedRange<UInt64>)
    func engine(_ seed: UInt64) {
        // Without stays, too high speeds are the only reason for doubt.
        let policy = DecisionPolicy.phone
        let engine = TransitionEngine(fences: FenceSet(revision: 1, []))
        var state = DeviceState(device: Device(id: "a"), policy: policy)
        var filter = OutlierFilter(policy)
        var transitions: [Transition] = []
        var (doubted, outliers) = (0, 0)
        for (index, fix) in Self.track(seed: seed).enumerated() {
            engine.observe(fix, &state, into: &transitions)
            if filter.add(fix).outlier != nil { outliers += 1 }
            #expect(filter.unconfirmed == state.outlierCandidate, "seed \(seed), fix \(index)")
            if filter.unconfirmed != nil { doubted += 1 }
        }
        #expect(doubted > 5 && outliers > 0 && outliers <= doubted, "seed \(seed): the track has no outliers")
    }

    @Test("The leg to an outlier is not part of the track, even when both ends are believed")
    func leg() {
        func fix(_ seconds: Double, _ latitude: Double) -> Fix {
            Fix(
                time: Instant(milliseconds: 1_777_629_600_000) + seconds,
                coordinate: Coordinate(latitude: latitude, longitude: 13))
        }
        var filter = OutlierFilter(.balanced)
        let fixes = [fix(0, 52), fix(60, 57), fix(120, 57.001), fix(180, 57.002), fix(240, 1), fix(300, 57.003), fix(360, 9)]
        let steps = fixes.map { filter.add($0) }
        #expect(steps.map(\.start) == [nil, nil, fixes[1], fixes[2], nil, fixes[3], nil])
        #expect(steps.map(\.outlier) == [nil, nil, nil, nil, nil, fixes[4], nil])
        #expect(filter.unconfirmed == fixes[6])
        var exact = OutlierFilter(.exact)
        #expect(fixes.map { exact.add($0).start } == [nil] + fixes.dropLast(), "without a maximum speed, all are believed")
    }
}
