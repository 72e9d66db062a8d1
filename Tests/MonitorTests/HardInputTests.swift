import Geodesy
import Geometry
import Model
import Monitor
import TestSupport
import Testing

@Suite("Hard input")
struct HardInputTests {
    private static let policies: [DecisionPolicy] = [.exact, .balanced, .phone]

    @Test("A fix with invalid coordinates enters no fence, and does not disturb the fixes around it", arguments: policies)
    func noPlace(_ policy: DecisionPolicy) {
        let square = Polygon(
            exterior: [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map {
                Coordinate(latitude: Scene.berlin.latitude + $0.0, longitude: Scene.berlin.longitude + $0.1)
            })
        let area = Geofence(id: "b", name: "b", shape: .polygons([square]))
        for (latitude, longitude) in [
            (Double.nan, 13.0), (52, .nan), (.nan, .nan), (.infinity, 0), (0, -.infinity), (1e300, 1e300),
        ] {
            var scene = Scene([Scene.circle("a", 500, dwell: 10), area], policy: policy)
            let nowhere = Coordinate(latitude: latitude, longitude: longitude)
            for second in 0..<40 {
                let fix =
                    second % 4 == 1
                    ? Fix(time: Scene.start + Double(second), coordinate: nowhere, accuracy: second % 8 == 1 ? 5 : nil)
                    : Scene.fix(Double(second), 10)
                scene.engine.observe(fix, &scene.state, into: &scene.transitions)
            }
            #expect(scene.events.prefix(2) == ["enter a 0", "enter b 0"], "\(nowhere)")
            // The invalid fix comes first, and valid fixes follow.
            var first = Scene([Scene.circle("a", 500), area], policy: policy)
            first.engine.observe(
                Fix(time: Scene.start, coordinate: nowhere, accuracy: 400), &first.state, into: &first.transitions)
            first.engine.applyFenceChanges(changed: nil, &first.state, into: &first.transitions)
            #expect(first.events == [], "\(nowhere)")
            first.observe(100, 0)
            first.observe(200, 0)
            first.observe(300, 0)
            #expect(first.events.count == 2, "\(nowhere): \(first.events)")
        }
    }

    @Test("The engine decides exactly at the poles and the antimeridian, with longitude 180 and -180 alike")
    func ends() {
        let places = [(90.0, 0.0), (90, 180), (-90, 0), (-90, -180), (0, 180), (0, -180), (52, 180), (52, -180)]
        for (latitude, longitude) in places {
            let center = Coordinate(latitude: latitude, longitude: longitude)
            let fence = Geofence(id: "a", name: "a", shape: .circle(Circle(center: center, radius: 100)))
            let engine = TransitionEngine(fences: Scene.set([fence]))
            var state = DeviceState(device: Device(id: "d"), policy: .exact)
            var reported: [Transition] = []
            var expected = 0
            for number in 0..<24 {
                let distance = number % 2 == 0 ? 99.999 : 100.001
                var place = Geodesic.direct(center, azimuth: Double(number) * 15, distance: distance)
                if abs(place.longitude) == 180, number % 4 < 2 { place.longitude = -place.longitude }
                engine.observe(Fix(time: Scene.start + Double(number), coordinate: place), &state, into: &reported)
                expected += 1
                #expect(
                    reported.count == expected && reported.last?.type == (number % 2 == 0 ? .enter : .exit), "\(center) \(number)"
                )
            }
            let here = Fix(time: Scene.start + 100, coordinate: center)
            engine.observe(here, &state, into: &reported)
            let other = Coordinate(latitude: latitude, longitude: abs(latitude) == 90 ? 77 : -longitude)
            engine.observe(Fix(time: Scene.start + 101, coordinate: other), &state, into: &reported)
            #expect(reported.count == expected + 1, "\(center)")
        }
    }

    @Test(
        "The engine finds exits of and passes through very large circles where the geodesic crosses them",
        arguments: [50_000.0, 300_000, 1_000_000])
    func wide(radius: Double) {
        var scene = Scene([Scene.circle("a", radius)])
        for (second, north) in [(0.0, -0.01), (10, 0.01), (20, -5), (30, 5), (40, -0.5)] { scene.observe(second, radius + north) }
        #expect(scene.events == ["enter a 0", "exit a 10", "enter a 20", "exit a 30", "enter a 40"])

        // Both ends lie outside, by less than the difference between arc and chord.
        var policy = DecisionPolicy.exact
        policy.crossing = 1000
        var passing = Scene([Scene.circle("a", radius)], policy: policy)
        for (second, azimuth) in [(0.0, 0.0), (100, 60)] {
            let place = Geodesic.direct(Scene.berlin, azimuth: azimuth, distance: radius + 0.1)
            passing.engine.observe(Fix(time: Scene.start + second, coordinate: place), &passing.state, into: &passing.transitions)
        }
        #expect(passing.transitions.map(\.type) == [.enter, .exit] && passing.transitions.allSatisfy(\.inferred))
    }

    @Test("A very inaccurate first fix decides nothing, and the next good fix decides at once")
    func coarse() {
        var scene = Scene([Scene.circle("a", 50)], policy: .balanced)
        scene.observe(0, 1_000_000, accuracy: 10_000_000)
        #expect(scene.events == [] && scene.state.fenceState(of: FenceKey(1))?.phase == .unknown)
        scene.observe(100_000, 10)
        #expect(scene.events.suffix(1) == ["enter a 100000"])
    }

    @Test("A device enters and leaves thousands of fences at one point, in order of fence ID")
    func crowd() {
        let count = 4000
        let set = Scene.set((0..<count).map { Scene.circle("f\($0)", 50 + Double($0 % 100)) })
        let engine = TransitionEngine(fences: set)
        var state = DeviceState(device: Device(id: "d"), policy: .exact)
        var reported: [Transition] = []
        engine.observe(Scene.fix(0, 1000), &state, into: &reported)
        #expect(reported.isEmpty)
        engine.observe(Scene.fix(10, 99.5), &state, into: &reported)
        #expect(reported.count == count / 2 && reported.allSatisfy { $0.type == .enter })
        let ids = reported.compactMap { $0.fence.flatMap { set.geofence($0)?.id } }
        #expect(ids == ids.sorted())
        reported.removeAll()
        engine.observe(Scene.fix(20, 120.5), &state, into: &reported)
        #expect(reported.count == 420 * 2 && reported.allSatisfy { $0.type == .exit })
        reported.removeAll()
        engine.observe(Scene.fix(30, 5000), &state, into: &reported)
        #expect(reported.count == count / 2 - 840)
        #expect(state.fenceStates.isEmpty)
    }

    @Test("The first fix of each of ten thousand devices enters exactly the fences that contain it")
    func once() throws {
        var random = SeededRandom(seed: 5)
        let wandering = Wandering(seed: 5, plain: true)
        let engine = TransitionEngine(fences: wandering.set)
        for number in 0..<10_000 {
            let place = Geodesic.direct(
                wandering.home, azimuth: .random(in: 0...360, using: &random), distance: 3000 * .random(in: 0...1, using: &random)
            )
            var state = DeviceState(device: Device(id: "d\(number)"), policy: .balanced)
            var reported: [Transition] = []
            engine.observe(Fix(time: Scene.start, coordinate: place), &state, into: &reported)
            let expected = wandering.entries.filter {
                guard case .circle(let circle) = $0.geofence.shape else { return false }
                return Geodesic.distance(circle.center, place) <= circle.radius
            }
            #expect(Set(reported.compactMap(\.fence)) == Set(expected.map(\.key)))
            #expect(reported.count == expected.count && reported.allSatisfy { $0.type == .enter && $0.cause == .initial })
        }
    }
}
