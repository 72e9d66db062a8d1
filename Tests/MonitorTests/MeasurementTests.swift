import Geodesy
import Geometry
import Model
import Monitor
import TestSupport
import Testing

@Suite("Measurements")
struct MeasurementTests {
    private static let square = Geofence(
        id: "square", name: "square",
        shape: .polygons([
            Polygon(
                exterior: [(0.0, 0.0), (1000, 0), (1000, 1000), (0, 1000)].map { north, east in
                    Geodesic.direct(
                        Geodesic.direct(Scene.berlin, azimuth: 0, distance: north), azimuth: 90, distance: east)
                })
        ]))

    @Test("A measurement gives the distance, the counted accuracy, the margin and the reading of a fix")
    func values() throws {
        let gauge = try #require(FenceMeter(Scene.circle("a", 60), policy: .balanced))
        #expect(gauge.radius == 60 && gauge.margin == 30)
        // Columns: meters north of the center, accuracy; distance, counted accuracy, reading.
        let cases: [(Double, Double?, Double, Double, Measurement.Containment)] = [
            (0, nil, -60, 0, .inside), (60.1, nil, 0.1, 0, .uncertain), (90.1, nil, 30.1, 0, .outside),
            (55, 5.1, -5, 5.1, .uncertain),
            (54.8, 5.1, -5.2, 5.1, .inside), (0, 200, -60, 30, .inside), (40, 200, -20, 30, .uncertain),
            (139.9, 200, 79.9, 50, .uncertain), (140.1, 200, 80.1, 50, .outside), (0, 300, -60, 600, .coarse),
            (689, 300, 629, 600, .coarse), (691, 300, 631, 600, .outside),
        ]
        for (north, accuracy, distance, counted, reading) in cases {
            let found = gauge.measure(Scene.fix(0, north, accuracy: accuracy))
            #expect(abs(found.distance - distance) < 1e-6, "\(north)")
            #expect(
                found.countedAccuracy == counted && found.containment == reading && found.exitMargin == 30,
                "\(north) ±\(accuracy ?? 0)")
        }
        let wide = try #require(FenceMeter(Scene.circle("b", 1000), policy: .balanced))
        #expect(wide.measure(Scene.fix(0, 390, accuracy: 300)).containment == .inside, "wholly inside")
    }

    @Test("A measurement of a polygon gives the distance to its nearest edge")
    func polygon() throws {
        let gauge = try #require(FenceMeter(Self.square, policy: .exact))
        #expect(abs(gauge.radius - 564.2) < 1)
        let middle = Geodesic.direct(Scene.berlin, azimuth: 90, distance: 500)
        for (north, distance) in [(-80.0, 80.0), (100, -100), (900, -100), (1040, 40)] {
            let place = Geodesic.direct(middle, azimuth: 0, distance: north)
            let found = gauge.measure(Fix(time: Scene.start, coordinate: place))
            #expect(abs(found.distance - distance) < 1, "\(north): \(found.distance)")
            #expect(found.containment == (distance > 0 ? .outside : .inside))
        }
    }

    @Test(
        "A measurement's reading agrees with the engine's decision about the same fix", arguments: Histories.seeds(1...20))
    func engine(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            var policy = [DecisionPolicy.balanced, .phone, .exact].randomElement(using: &random)!
            (policy.confirmFixes, policy.confirmSeconds, policy.maxSpeed, policy.crossing) = (1, 0, .infinity, 0)
            let fence =
                Bool.random(using: &random)
                ? Scene.circle("a", .random(in: 5...2000, using: &random)) : Self.square
            let accuracy: Double? = [nil, 5, 40, 90, 240, 260, 700].randomElement(using: &random)!
            let place = Geodesic.direct(
                Scene.berlin, azimuth: .random(in: 0...360, using: &random), distance: .random(in: 0...2500, using: &random))
            let fix = Fix(time: Scene.start + 86_400, coordinate: place, accuracy: accuracy)
            let reading = try #require(FenceMeter(fence, policy: policy)).measure(fix).containment

            let engine = TransitionEngine(fences: Scene.set([fence]))
            let device = Device(id: "d", silentAfter: Device.maximumSilentAfter)
            let before = Fix(time: Scene.start, coordinate: place)
            var out: [Transition] = []
            var inside = DeviceState(
                device: device, policy: policy, newest: before,
                fenceStates: [
                    FenceState(fence: FenceKey(1), phase: .inside, visit: .init(enteredAt: Scene.start, cause: .moved))
                ])
            engine.observe(fix, &inside, into: &out)
            #expect(out.map(\.type) == (reading == .outside ? [.exit] : []), "seed \(seed): \(reading)")
            out.removeAll()
            var outside = DeviceState(device: device, policy: policy, newest: before)
            engine.observe(fix, &outside, into: &out)
            #expect(out.map(\.type) == (reading == .inside ? [.enter] : []), "seed \(seed): \(reading)")
        }
    }
}
