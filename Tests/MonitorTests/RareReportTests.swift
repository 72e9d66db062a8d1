import Geodesy
import Geometry
import Model
import Monitor
import Testing

/// Devices that report rarely, or with very different accuracies. The circle has a radius of 100 m around the scene's center.
@Suite("Rare and uneven reports")
struct RareReportTests {
    private static let hour = 3600.0

    /// A scene with a circle, under the policy `balanced`.
    private static func home(_ others: [Geofence] = []) -> Scene {
        Scene([Scene.circle("home", 100)] + others, policy: .balanced)
    }

    /// Observes fixes, each by its seconds, place and accuracy.
    private static func observe(
        _ fixes: [(seconds: Double, latitude: Double, longitude: Double, accuracy: Double)], _ scene: inout Scene
    ) {
        for fix in fixes {
            scene.engine.observe(
                Fix(
                    time: Scene.start + fix.seconds, coordinate: Coordinate(latitude: fix.latitude, longitude: fix.longitude),
                    accuracy: fix.accuracy),
                &scene.state, into: &scene.transitions)
        }
    }

    // MARK: - Arrivals

    @Test("A position an hour after the last, in a geofence, enters it after a minute, without another position")
    func arrival() {
        var scene = Self.home()
        for hours in [0.0, 1] { scene.observe(hours * Self.hour, 1500, accuracy: 10) }
        scene.observe(2 * Self.hour, 0, accuracy: 10)
        #expect(scene.events.isEmpty)
        scene.advance(2 * Self.hour + 60)
        #expect(scene.events.isEmpty)
        scene.advance(2 * Self.hour + 61)
        #expect(scene.events == ["enter home 7200"])
        #expect(scene.transitions.last?.confirmedAt == Scene.start + 2 * Self.hour + 60)
    }

    @Test("A visit with a single position is recorded from that position to the next one")
    func singlePosition() {
        var scene = Self.home()
        Self.observe(
            [
                (0, 52.53, 13.3777, 10), (3600, 52.53, 13.3777, 10), (7200, 52.5163, 13.3777, 10),
                (25_200, 52.5175, 13.3795, 10), (25_800, 52.53, 13.3777, 10),
            ], &scene)
        #expect(scene.events == ["enter home 7200", "exit home 25200"])
        // The next position lies two streets away, or where the device was before.
        for longitude in [13.3805, 13.40] {
            var scene = Self.home()
            Self.observe(
                [
                    (0, 52.53, 13.3777, 10), (3600, 52.53, 13.3777, 10), (7200, 52.5163, 13.3777, 10),
                    (10_800, 52.5163, longitude, 10),
                ], &scene)
            scene.advance(40_000)
            #expect(scene.events.filter { !$0.hasPrefix("silent") } == ["enter home 7200", "exit home 10800"])
        }
    }

    @Test("Positions every half hour record every visit of two hours", arguments: [600.0, 1800, 3600])
    func visits(interval: Double) {
        var scene = Self.home()
        // Two hours away and two hours at home, ten times; the fixes lie some meters apart.
        for number in 0..<Int(40 * Self.hour / interval) {
            let seconds = Double(number) * interval
            let isHome = Int(seconds / (2 * Self.hour)) % 2 == 1
            scene.observe(seconds, (isHome ? 0 : 2000) + Double(number % 3) * 5, accuracy: 12)
        }
        scene.advance(40 * Self.hour + 7000)
        let enters = scene.transitions.filter { $0.type == .enter }
        #expect(enters.count == 10)
        #expect(enters.allSatisfy { $0.confirmedAt - $0.occurredAt <= 60 })
        #expect(scene.transitions.count { $0.type == .exit } == 9)
    }

    // MARK: - Outliers

    @Test("A single position that leads nowhere in particular is ignored when the next one is home again")
    func outlier() {
        var scene = Self.home()
        for number in 0..<10 { scene.observe(Double(number) * 900, number == 6 ? 1200 : 5, accuracy: 10) }
        scene.advance(9000)
        #expect(scene.events == ["enter home 0"])
    }

    @Test("A last position elsewhere counts after one and a half times as long as the one before was ago")
    func departure() {
        var scene = Self.home()
        for number in 0..<6 { scene.observe(Double(number) * 900, number == 5 ? 1200 : 5, accuracy: 10) }
        scene.advance(4500 + 1350)
        #expect(scene.events == ["enter home 0"])
        scene.advance(4500 + 1351)
        #expect(scene.events == ["enter home 0", "exit home 4500"])
    }

    @Test("Whether a device has left one geofence does not depend on others: a single position elsewhere waits for the next")
    func changeOfPlace() {
        let school = Geofence(
            id: "school", name: "school",
            shape: .circle(Circle(center: Geodesic.direct(Scene.berlin, azimuth: 0, distance: 1200), radius: 100)))
        for others in [[], [school]] {
            var scene = Self.home(others)
            for number in 0..<6 { scene.observe(Double(number) * 1800, number == 5 ? 1200 : 5, accuracy: 10) }
            scene.advance(9061)
            #expect(scene.events == ["enter home 0"] + others.map { "enter \($0.id) 9000" })
            scene.observe(10_800, 1210, accuracy: 10)
            #expect(scene.events.contains("exit home 9000"))
            #expect(scene.transitions.last?.confirmedAt == Scene.start + 10_800)
        }
    }

    @Test("A coarse position right after an arrival does not hide it", arguments: [3.0, 8, 20, 50])
    func coarseAfterArrival(delay: Double) {
        for before in [1, 2, 5] {
            var scene = Self.home()
            for number in 0..<before { scene.observe(Double(number) * 1800, 2000, accuracy: 10) }
            let arrival = Double(before) * 1800
            scene.observe(arrival, 5, accuracy: 10)
            scene.observe(arrival + delay, 600, accuracy: 1400)
            scene.advance(arrival + 61)
            #expect(scene.events == ["enter home \(JSONValue(arrival))"], "\(before) positions before")
        }
    }

    @Test("The same two positions give the same decision, regardless of what came before them")
    func moreDataIsNoWorse() {
        for before in [0, 1, 2, 5] {
            var scene = Self.home()
            for number in 0..<before { scene.observe(Double(number) * 1200, 1500, accuracy: 10) }
            scene.observe(Double(before) * 1200, 1500, accuracy: 10)
            scene.observe(Double(before + 1) * 1200, 3, accuracy: 10)
            scene.advance(Double(before + 1) * 1200 + 61)
            #expect(scene.events == ["enter home \(JSONValue(Double(before + 1) * 1200))"], "\(before) positions before")
        }
    }

    // MARK: - Coarse and precise positions in turn

    @Test("A coarse position does not make the precise one after it an outlier")
    func coarseAndPrecise() {
        var scene = Self.home()
        for minute in [0.0, 60, 120] {
            Self.observe([(minute, 52.53, 13.395, 1414), (minute + 2, 52.5163, 13.3777, 8)], &scene)
        }
        #expect(scene.events == ["enter home 2"])

        var far = Self.home()
        for minute in [0.0, 300, 600] {
            Self.observe([(minute, 52.63, 13.595, 17_000), (minute + 30, 52.5163, 13.3777, 8)], &far)
        }
        #expect(far.events == ["enter home 30"])
    }

    @Test("Coarse positions at home do not hide that the precise ones show an exit")
    func coarseAtHome() {
        var scene = Self.home()
        Self.observe([(0, 52.5163, 13.3777, 8), (60, 52.5163, 13.3777, 8)], &scene)
        for minute in [300.0, 600, 900] {
            Self.observe([(minute, 52.5163, 13.3777, 1414), (minute + 2, 52.5263, 13.3777, 8)], &scene)
        }
        #expect(scene.events == ["enter home 0", "exit home 302"])
    }

    @Test("Two coarser positions among more precise ones do not confirm an exit")
    func coarserAmongPrecise() {
        var scene = Self.home()
        let near = (latitude: 52.5163, longitude: 13.378953, accuracy: 65.0)
        let away = (latitude: 52.5163, longitude: 13.380353, accuracy: 140.0)
        for (seconds, place) in [(0.0, near), (45, away), (50, near), (95, away), (100, near)] {
            Self.observe([(seconds, place.latitude, place.longitude, place.accuracy)], &scene)
        }
        scene.advance(1000)
        #expect(scene.events == ["enter home 0"])
    }

    // MARK: - Paths through a geofence

    @Test("A drive through the center is recorded regardless of the interval", arguments: 1...60)
    func drive(interval: Int) {
        // 30 km/h through the center of a circle of 80 m, from 600 m before it.
        let speed = 30 / 3.6
        for phase in stride(from: 0.0, to: Double(interval), by: max(1, Double(interval) / 6)) {
            var scene = Scene([Scene.circle("b", 80)], policy: .balanced)
            var seconds = phase
            while seconds <= 240 {
                scene.observe(seconds, seconds * speed - 900, accuracy: 8)
                seconds += Double(interval)
            }
            scene.advance(1000)
            #expect(scene.transitions.map(\.type) == [.enter, .exit], "a position every \(interval) s from \(phase) s")
            guard let enter = scene.transitions.first, let exit = scene.transitions.last else { continue }
            // True: 98.4 s to 117.6 s.
            #expect(abs(enter.occurredAt - (Scene.start + 98.4)) <= Double(min(interval, 12)) + 1, "\(interval) s, \(phase) s")
            #expect(exit.occurredAt - enter.occurredAt <= 19.2 + 2 * Double(min(interval, 12)) + 8, "\(interval) s, \(phase) s")
        }
    }

    @Test("A position close to the geofence does not cut the path through it")
    func path() {
        let b = Geofence(
            id: "b", name: "b",
            shape: .circle(Circle(center: Coordinate(latitude: 52.5163, longitude: 13.38), radius: 80)))
        for longitudes in [
            [13.385070, 13.381385, 13.377700, 13.374015], [13.383228, 13.381385, 13.379543, 13.377700, 13.375858],
        ] {
            var scene = Scene([b], policy: .balanced)
            let interval = longitudes.count == 4 ? 30.0 : 15
            for (number, longitude) in longitudes.enumerated() {
                Self.observe([(Double(number) * interval, 52.5163, longitude, 8)], &scene)
            }
            #expect(scene.transitions.map(\.type) == [.enter, .exit])
            #expect(scene.transitions.first?.visit == nil)
            let duration = scene.transitions.last.flatMap { exit in exit.visit.map { exit.occurredAt - $0.enteredAt } } ?? 0
            #expect((15...25).contains(duration), "\(duration) s")
        }
    }

    @Test("A long straight line between two positions is no evidence of a pass")
    func longLine() {
        var scene = Scene([Scene.circle("b", 100)], policy: .balanced)
        scene.observe(0, -1500, accuracy: 8)
        scene.observe(290, 1500, accuracy: 8)
        scene.observe(300, 1510, accuracy: 8)
        scene.advance(1000)
        #expect(scene.events.isEmpty)
    }

    // MARK: - Beside a geofence

    @Test("A van that is parked beside a site is not at the site", arguments: [60.0, 120, 300])
    func parkedBeside(interval: Double) {
        var scene = Self.home()
        scene.observe(0, 2000, accuracy: 6)
        scene.observe(120, 50, accuracy: 6)
        var seconds = 240.0
        while seconds <= 7200 {
            scene.observe(seconds, 125 + (Int(seconds / interval) % 2 == 0 ? 2 : -2), accuracy: 6)
            seconds += interval
        }
        scene.observe(7320, 2000, accuracy: 6)
        scene.observe(7440, 2000, accuracy: 6)
        let visited = scene.transitions.compactMap { exit in exit.visit.map { exit.occurredAt - $0.enteredAt } }.reduce(0, +)
        #expect(visited <= 120 + 2 * interval, "\(scene.events)")
        #expect(scene.state.fenceStates.isEmpty)
    }
}
