import Geodesy
import Geometry
import Model
import Monitor
import TestSupport
import Testing

@Suite("Policy exact")
struct ExactPolicyTests {
    @Test("Takes every fix at its word")
    func word() {
        var scene = Scene([Scene.circle("a", 100)])
        for (second, north) in [(0.0, 300.0), (10, 99.9), (20, 100.1), (30, 0), (40, 500)] { scene.see(second, north) }
        #expect(scene.told == ["enter a 10", "exit a 20", "enter a 30", "exit a 40"])
        #expect(scene.transitions.allSatisfy { $0.cause == .moved && !$0.inferred && $0.confirmedAt == $0.occurredAt })
        #expect(scene.transitions[1].duration == 10)
    }

    @Test("Tells where a first fix is inside, as initial")
    func initial() {
        var scene = Scene([Scene.circle("a", 100)])
        scene.see(0, 50)
        #expect(scene.told == ["enter a 0"])
        #expect(scene.transitions[0].cause == .initial)
        #expect(scene.transitions[0].crossedAt == nil)
    }

    @Test("Tells exits, then enters, each by id")
    func order() {
        let far = Geofence(
            id: "b", name: "b", shape: .circle(Circle(center: Scene.fix(0, 5000).coordinate, radius: 100)))
        let alsoFar = Geofence(
            id: "A", name: "A", shape: .circle(Circle(center: Scene.fix(0, 5000).coordinate, radius: 200)))
        var scene = Scene([Scene.circle("z", 100), far, Scene.circle("c", 50), alsoFar])
        scene.see(0, 0)
        scene.see(10, 5000)
        #expect(scene.told == ["enter c 0", "enter z 0", "exit c 10", "exit z 10", "enter A 10", "enter b 10"])
    }

    @Test("Says when the straight way met the boundary")
    func crossedAt() throws {
        var scene = Scene([Scene.circle("a", 100)])
        scene.see(0, 300)
        scene.see(20, 50)
        scene.see(30, 150)
        let entered = try #require(scene.transitions[0].crossedAt)
        let left = try #require(scene.transitions[1].crossedAt)
        #expect(abs(entered - Scene.start - 16) < 0.002)
        #expect(abs(left - Scene.start - 25) < 0.002)
    }

    @Test("Passes over fences that are inactive or for others")
    func others() {
        var inactive = Scene.circle("i", 100)
        inactive.isActive = false
        var family = Scene.circle("f", 100)
        family.groups = ["family"]
        let fences = [inactive, Scene.circle("mine", 100, devices: ["d"]), Scene.circle("yours", 100, devices: ["e"]), family]
        var scene = Scene(fences)
        scene.see(0, 0)
        #expect(scene.told == ["enter mine 0"])
        var member = Scene(fences, device: Device(id: "e", groups: ["family"]))
        member.see(0, 0)
        #expect(member.told == ["enter f 0", "enter yours 0"])
    }
}

@Suite("Policy balanced")
struct BalancedPolicyTests {
    private func scene(_ radius: Double = 200) -> Scene { Scene([Scene.circle("a", radius)], policy: .balanced) }

    @Test("Waits for a second fix, and dates the change back to the first")
    func confirmation() {
        var scene = scene()
        scene.see(0, 400)
        scene.see(10, 100)
        #expect(scene.told == [])
        scene.see(20, 100)
        #expect(scene.told == ["enter a 10"])
        #expect(scene.transitions[0].confirmedAt == Scene.start + 20)
        scene.see(30, 260)
        scene.see(40, 260)
        #expect(scene.told == ["enter a 10", "exit a 30"])
        #expect(scene.transitions[1].duration == 20)
    }

    @Test("Forgets a change that the next fix contradicts")
    func contradiction() {
        var scene = scene()
        for (second, north) in [(0.0, 400.0), (10, 100), (20, 400), (30, 100), (40, 400)] { scene.see(second, north) }
        #expect(scene.told == [])
    }

    @Test("Holds in the band, where nothing confirms and nothing contradicts")
    func band() {
        var scene = scene()
        scene.see(0, 0)
        // The exit margin is 30 m and the accuracy 30 m: outside is beyond 260 m, inside is up to 170 m.
        for second in 1...9 { scene.see(Double(second) * 5, 180 + Double(second % 2) * 60, accuracy: 30) }
        #expect(scene.told == ["enter a 0"])
        scene.see(50, 261, accuracy: 30)
        scene.see(55, 240, accuracy: 30)
        scene.see(60, 261, accuracy: 30)
        #expect(scene.told == ["enter a 0", "exit a 50"])
    }

    @Test("Confirms what nobody contradicts for a minute, stamped with that minute")
    func patience() {
        var scene = scene()
        scene.see(0, 400)
        scene.see(10, 100)
        scene.see(300, 190, accuracy: 40)
        #expect(scene.told == ["enter a 10"])
        #expect(scene.transitions[0].confirmedAt == Scene.start + 70)
    }

    @Test("Judges a device that stays by the mean of its fixes, until two in succession lie elsewhere")
    func stay() {
        var scene = scene()
        for second in 0..<30 { scene.see(Double(second) * 5, 208 + Double(second % 3 - 1) * 5, accuracy: 10) }
        #expect(scene.state.settled != nil)
        // Noise explains these fixes, although two of them lie inside. The one at 0 m is an outlier.
        for (second, north) in [(150.0, 189.0), (155, 188), (160, 206), (165, 0), (170, 208)] {
            scene.see(second, north, accuracy: 10)
        }
        #expect(scene.told == [] && scene.state.settled != nil)
        scene.see(175, 100, accuracy: 10)
        #expect(scene.told == [] && scene.state.suspect != nil)
        scene.see(180, 90, accuracy: 10)
        #expect(scene.told == ["enter a 175"])
        #expect(scene.state.settled == nil)
        #expect(scene.transitions[0].confirmedAt == Scene.start + 180)
    }

    @Test("Judges each fix after one that it has left a stay by", arguments: [false, true])
    func leftAndBack(isStored: Bool) {
        // The fence lies 400 m away. The device stays at the scene's center, goes beside the fence, into it, back, and into it again.
        let center = Geodesic.direct(Scene.berlin, azimuth: 0, distance: 400)
        var scene = Scene(
            [Geofence(id: "a", name: "a", shape: .circle(Circle(center: center, radius: 100)))], policy: .balanced)
        for second in 0..<30 { scene.see(Double(second) * 5, 0, accuracy: 10) }
        for (second, north) in [(150.0, 150.0), (155, 350), (160, 152), (165, 350)] {
            scene.see(second, north, accuracy: 10)
            if isStored { scene.state = scene.state.reloaded(.balanced) }
        }
        #expect(scene.told == [])
        scene.see(170, 352, accuracy: 10)
        #expect(scene.told == ["enter a 165"])
    }

    @Test("Believes after a minute a device that flies from where it stayed, and lets its dwell wait while it may have left")
    func flight() {
        var scene = Scene([Scene.circle("a", 200, dwell: 170)], policy: .balanced)
        for second in 0..<30 { scene.see(Double(second) * 5, 0, accuracy: 10) }
        scene.see(165, 900, accuracy: 10)
        for second in stride(from: 175.0, through: 205, by: 10) { scene.see(second, 900 + (second - 165) * 200, accuracy: 10) }
        #expect(scene.told == ["enter a 0"])
        scene.see(215, 900 + 50 * 200, accuracy: 10)
        #expect(scene.told == ["enter a 0", "exit a 205"])
    }

    @Test("Does not take two strays that lie far from each other for leaving, nor a device at its word for staying")
    func strays() {
        var scene = scene()
        for second in 0..<30 { scene.see(Double(second) * 5, 0, accuracy: 10) }
        for (second, north) in [(150.0, 900.0), (155, -900), (160, 3)] { scene.see(second, north, accuracy: 10) }
        #expect(scene.told == ["enter a 0"])
        // A fix without an accuracy is taken as exact.
        scene.see(165, 240)
        scene.see(170, 240)
        #expect(scene.told == ["enter a 0", "exit a 165"])
    }

    @Test("Believes a fix that leaves a stay and is the last, when the device falls silent")
    func lastWord() {
        var scene = scene()
        for second in 0..<30 { scene.see(Double(second) * 5, 0, accuracy: 10) }
        scene.see(150, 900, accuracy: 10)
        scene.wait(150 + Device.usualSilence + 1)
        #expect(scene.told.contains("exit a 150"))
        #expect(scene.transitions.last?.confirmedAt == Scene.start + (150 + Device.usualSilence))
    }

    @Test("Asks a fence that does not ask for stays by each fix, also after a coarse one")
    func coarseAmongStays() {
        var fence = Scene.circle("a", 60)
        fence.policy = PolicyOverride(base: .exact)
        var scene = Scene([fence], policy: .balanced)
        for number in 0...30 { scene.see(Double(number) * 10, Double(number % 2) * 10, accuracy: 40) }
        scene.see(310, 5, accuracy: 300)
        scene.see(610, 100, accuracy: 40)
        #expect(scene.state.settled != nil)
        #expect(scene.told == ["enter a 0", "exit a 610"])
    }

    @Test("Drops after five minutes what later fixes have neither confirmed nor contradicted")
    func expired() {
        var scene = scene()
        scene.see(0, 400)
        scene.see(10, 100)
        scene.see(20, 190, accuracy: 40)
        scene.see(311, 100)
        #expect(scene.told == [])
        scene.see(320, 100)
        #expect(scene.told == ["enter a 311"])
    }

    @Test("Waits for a fix that says something, where others say nothing for minutes")
    func undecided() {
        var scene = scene()
        scene.see(0, 400)
        scene.see(10, 100)
        scene.see(60, 190, accuracy: 40)
        scene.see(200, 195, accuracy: 40)
        #expect(scene.told == [])
        scene.see(300, 100)
        #expect(scene.told == ["enter a 10"])
    }

    @Test("Counts no more accuracy than half the radius, so that a small fence can be entered")
    func small() {
        var scene = scene(20)
        scene.see(0, 500)
        scene.see(10, 9, accuracy: 48)
        scene.see(20, 9, accuracy: 48)
        #expect(scene.told == ["enter a 10"])
    }

    @Test("Lets coarse fixes decide only when they lie wholly in or out")
    func coarse() {
        var scene = scene(2000)
        scene.see(0, 100, accuracy: 2500)
        #expect(scene.state.presence(FenceKey(1))?.phase == .unknown)
        scene.see(10, 1500, accuracy: 100)
        #expect(scene.told == ["enter a 10"])
        #expect(scene.transitions[0].cause == .initial)
        scene.see(20, 2200, accuracy: 1000)
        scene.see(30, 2200, accuracy: 1000)
        #expect(scene.told.count == 1)
        scene.see(40, 4000, accuracy: 1000)
        scene.see(50, 4000, accuracy: 1000)
        #expect(scene.told.count == 1)
        scene.see(60, 4051, accuracy: 1000)
        scene.see(70, 4051, accuracy: 1000)
        #expect(scene.told == ["enter a 10", "exit a 60"])
    }

    @Test("Yields to the fence's own policy")
    func override() {
        var scene = Scene([Scene.circle("a", 200, policy: PolicyOverride(base: .exact))], policy: .balanced)
        scene.see(0, 400)
        scene.see(10, 199)
        #expect(scene.told == ["enter a 10"])
    }
}

@Suite("Policy phone")
struct PhonePolicyTests {
    @Test("Takes 20 seconds to be sure, and 100 metres to be out")
    func cushion() {
        var scene = Scene([Scene.circle("a", 200)], policy: .phone)
        scene.see(0, 400)
        scene.see(5, 100)
        scene.see(15, 100)
        #expect(scene.told == [])
        scene.see(25, 100)
        #expect(scene.told == ["enter a 5"])
        scene.see(35, 299)
        scene.see(60, 299)
        #expect(scene.told.count == 1)
        scene.see(65, 301)
        scene.see(100, 290)
        #expect(scene.told == ["enter a 5", "exit a 65"])
        #expect(scene.transitions[1].confirmedAt == Scene.start + 85)
    }
}

@Suite("Dwell")
struct DwellTests {
    @Test("Is told once a visit, at its moment")
    func once() {
        var scene = Scene([Scene.circle("a", 200, dwell: 60)])
        for second in stride(from: 0.0, through: 200, by: 10) { scene.see(second, 50) }
        scene.see(210, 500)
        #expect(scene.told == ["enter a 0", "dwell a 60", "exit a 210"])
        #expect(scene.transitions[1].inferred == false)
    }

    @Test("Falls due between fixes, and before an exit that comes later")
    func due() {
        var scene = Scene([Scene.circle("a", 200, dwell: 60)])
        scene.see(0, 50)
        scene.see(59, 50)
        scene.see(75, 500)
        #expect(scene.told == ["enter a 0", "dwell a 60", "exit a 75"])
        #expect(scene.transitions[1].inferred)
        #expect(scene.transitions[1].fix.time == Scene.start + 59)
    }

    @Test("Is not told of a device that has long been silent")
    func silent() {
        var scene = Scene([Scene.circle("a", 200, dwell: 8 * 3600)])
        scene.see(0, 50)
        scene.see(9 * 3600, 500)
        #expect(scene.told == ["enter a 0", "silent - 21600", "returned - 32400", "exit a 32400"])
        var alive = Scene([Scene.circle("a", 200, dwell: 8 * 3600)])
        alive.see(0, 50)
        alive.see(3 * 3600, 50)
        alive.see(9 * 3600, 500)
        #expect(alive.told == ["enter a 0", "dwell a 28800", "exit a 32400"])
    }

    @Test("Is told with an enter that is dated back past it")
    func overdue() {
        var scene = Scene([Scene.circle("a", 200, dwell: 30)], policy: .balanced)
        scene.see(0, 400)
        scene.see(10, 50)
        scene.see(60, 50)
        #expect(scene.told == ["enter a 10", "dwell a 40"])
        #expect(scene.transitions[1].confirmedAt == Scene.start + 60)
        var silent = Scene([Scene.circle("a", 200, dwell: 30)], policy: .balanced)
        silent.see(0, 400)
        silent.see(10, 50)
        silent.see(500, 190, accuracy: 40)
        #expect(silent.told == ["enter a 10", "dwell a 40"])
        #expect(silent.transitions[1].confirmedAt == Scene.start + 70)
    }

    @Test("Waits while an exit is pending")
    func pending() {
        var scene = Scene([Scene.circle("a", 200, dwell: 60)], policy: .balanced)
        scene.see(0, 50)
        scene.see(50, 400)
        scene.see(70, 50)
        #expect(scene.told == ["enter a 0", "dwell a 70"])
    }
}

@Suite("Fences that change around a device")
struct ChangedFenceTests {
    /// The transitions when `before` becomes `after` around a device 50 m from the center.
    private func change(
        _ before: [Geofence], _ after: [Geofence], changed: [Int32], removed: [Int32] = [], policy: DecisionPolicy = .exact
    ) -> [String] {
        var scene = Scene(before, policy: policy)
        scene.see(0, 50)
        var told: [Transition] = []
        let engine = TransitionEngine(fences: Scene.set(after, revision: 2))
        engine.adopt(
            changed: Set(changed.map { FenceKey($0) }), removed: Set(removed.map { FenceKey($0) }), &scene.state, &told)
        return told.map { "\($0.type) \($0.fence?.value ?? 0) \($0.cause)" }
    }

    @Test("A fence made around it is entered, one made elsewhere is not")
    func made() {
        let fences = [Scene.circle("a", 100), Scene.circle("b", 20)]
        #expect(change([], fences, changed: [1, 2]) == ["enter 1 fenceChanged"])
        #expect(change([], fences, changed: [1, 2], policy: .balanced) == ["enter 1 fenceChanged"])
    }

    @Test("A fence that shrinks or is switched off is left, one that grows is entered")
    func edited() {
        var inactive = Scene.circle("a", 100)
        inactive.isActive = false
        #expect(change([Scene.circle("a", 100)], [Scene.circle("a", 40)], changed: [1]) == ["exit 1 fenceChanged"])
        #expect(change([Scene.circle("a", 100)], [inactive], changed: [1]) == ["exit 1 fenceChanged"])
        #expect(change([Scene.circle("a", 40)], [Scene.circle("a", 100)], changed: [1]) == ["enter 1 fenceChanged"])
        #expect(change([Scene.circle("a", 100)], [Scene.circle("a", 120)], changed: [1]) == [])
    }

    @Test("A fence that is removed is left")
    func removed() {
        #expect(change([Scene.circle("a", 100)], [], changed: [], removed: [1]) == ["exit 1 fenceRemoved"])
        #expect(change([Scene.circle("a", 30)], [], changed: [], removed: [1]) == [])
    }
}
