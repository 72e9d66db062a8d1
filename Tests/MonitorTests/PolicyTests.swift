import Geodesy
import Geometry
import Model
import Monitor
import Testing

@Suite("Policy exact")
struct ExactPolicyTests {
    @Test("Each fix decides at once")
    func word() {
        var scene = Scene([Scene.circle("a", 100)])
        for (second, north) in [(0.0, 300.0), (10, 99.9), (20, 100.1), (30, 0), (40, 500)] { scene.observe(second, north) }
        #expect(scene.events == ["enter a 10", "exit a 20", "enter a 30", "exit a 40"])
        #expect(scene.transitions.allSatisfy { $0.cause == .moved && !$0.inferred && $0.confirmedAt == $0.occurredAt })
        #expect(scene.transitions[1].duration == 10)
    }

    @Test("A first fix inside a fence gives an enter with cause initial")
    func initial() {
        var scene = Scene([Scene.circle("a", 100)])
        scene.observe(0, 50)
        #expect(scene.events == ["enter a 0"])
        #expect(scene.transitions[0].cause == .initial)
        #expect(scene.transitions[0].crossedAt == nil)
    }

    @Test("A fix gives its exits first, then its enters, each in order of fence ID")
    func order() {
        let far = Geofence(
            id: "b", name: "b", shape: .circle(Circle(center: Scene.fix(0, 5000).coordinate, radius: 100)))
        let alsoFar = Geofence(
            id: "A", name: "A", shape: .circle(Circle(center: Scene.fix(0, 5000).coordinate, radius: 200)))
        var scene = Scene([Scene.circle("z", 100), far, Scene.circle("c", 50), alsoFar])
        scene.observe(0, 0)
        scene.observe(10, 5000)
        #expect(scene.events == ["enter c 0", "enter z 0", "exit c 10", "exit z 10", "enter A 10", "enter b 10"])
    }

    @Test("A transition names the time at which the straight path crossed the boundary")
    func crossedAt() throws {
        var scene = Scene([Scene.circle("a", 100)])
        scene.observe(0, 300)
        scene.observe(20, 50)
        scene.observe(30, 150)
        let entered = try #require(scene.transitions[0].crossedAt)
        let left = try #require(scene.transitions[1].crossedAt)
        #expect(abs(entered - Scene.start - 16) < 0.002)
        #expect(abs(left - Scene.start - 25) < 0.002)
    }

    @Test("Fences that are inactive or for other devices give no transitions")
    func others() {
        var inactive = Scene.circle("i", 100)
        inactive.isActive = false
        var family = Scene.circle("f", 100)
        family.groups = ["family"]
        let fences = [inactive, Scene.circle("mine", 100, devices: ["d"]), Scene.circle("yours", 100, devices: ["e"]), family]
        var scene = Scene(fences)
        scene.observe(0, 0)
        #expect(scene.events == ["enter mine 0"])
        var member = Scene(fences, device: Device(id: "e", groups: ["family"]))
        member.observe(0, 0)
        #expect(member.events == ["enter f 0", "enter yours 0"])
    }
}

@Suite("Policy balanced")
struct BalancedPolicyTests {
    private func scene(_ radius: Double = 200) -> Scene { Scene([Scene.circle("a", radius)], policy: .balanced) }

    @Test("A second fix confirms a change, and the change is dated to the first fix")
    func confirmation() {
        var scene = scene()
        scene.observe(0, 400)
        scene.observe(10, 100)
        #expect(scene.events == [])
        scene.observe(20, 100)
        #expect(scene.events == ["enter a 10"])
        #expect(scene.transitions[0].confirmedAt == Scene.start + 20)
        scene.observe(30, 260)
        scene.observe(40, 260)
        #expect(scene.events == ["enter a 10", "exit a 30"])
        #expect(scene.transitions[1].duration == 20)
    }

    @Test("A fix that contradicts a change removes the pending change")
    func contradiction() {
        var scene = scene()
        for (second, north) in [(0.0, 400.0), (10, 100), (20, 400), (30, 100), (40, 400)] { scene.observe(second, north) }
        #expect(scene.events == [])
    }

    @Test("Fixes in the uncertain zone neither confirm nor contradict a change")
    func uncertainZone() {
        var scene = scene()
        scene.observe(0, 0)
        // The exit margin is 30 m and the accuracy 30 m: outside is beyond 260 m, inside is up to 170 m.
        for second in 1...9 { scene.observe(Double(second) * 5, 180 + Double(second % 2) * 60, accuracy: 30) }
        #expect(scene.events == ["enter a 0"])
        scene.observe(50, 261, accuracy: 30)
        scene.observe(55, 240, accuracy: 30)
        scene.observe(60, 261, accuracy: 30)
        #expect(scene.events == ["enter a 0", "exit a 50"])
    }

    @Test("A change without contradiction is confirmed after one minute, with the time of that minute")
    func patience() {
        var scene = scene()
        scene.observe(0, 400)
        scene.observe(10, 100)
        scene.observe(300, 190, accuracy: 40)
        #expect(scene.events == ["enter a 10"])
        #expect(scene.transitions[0].confirmedAt == Scene.start + 70)
    }

    @Test("A stationary device is evaluated by the mean of its fixes until two consecutive fixes lie elsewhere")
    func stay() {
        var scene = scene()
        for second in 0..<30 { scene.observe(Double(second) * 5, 208 + Double(second % 3 - 1) * 5, accuracy: 10) }
        #expect(scene.state.settledStay != nil)
        // Noise explains these fixes, although two of them lie inside. The one at 0 m is an outlier.
        for (second, north) in [(150.0, 189.0), (155, 188), (160, 206), (165, 0), (170, 208)] {
            scene.observe(second, north, accuracy: 10)
        }
        #expect(scene.events == [] && scene.state.settledStay != nil)
        scene.observe(175, 100, accuracy: 10)
        #expect(scene.events == [] && scene.state.outlierCandidate != nil)
        scene.observe(180, 90, accuracy: 10)
        #expect(scene.events == ["enter a 175"])
        #expect(scene.state.settledStay == nil)
        #expect(scene.transitions[0].confirmedAt == Scene.start + 180)
    }

    @Test("After a fix outside the stay, the engine evaluates each fix alone", arguments: [false, true])
    func leftAndBack(isStored: Bool) {
        // The fence lies 400 m away. The device stays at the scene's center, goes beside the fence, into it, back, and into it again.
        let center = Geodesic.direct(Scene.berlin, azimuth: 0, distance: 400)
        var scene = Scene(
            [Geofence(id: "a", name: "a", shape: .circle(Circle(center: center, radius: 100)))], policy: .balanced)
        for second in 0..<30 { scene.observe(Double(second) * 5, 0, accuracy: 10) }
        for (second, north) in [(150.0, 150.0), (155, 350), (160, 152), (165, 350)] {
            scene.observe(second, north, accuracy: 10)
            if isStored { scene.state = scene.state.reloaded(.balanced) }
        }
        #expect(scene.events == [])
        scene.observe(170, 352, accuracy: 10)
        #expect(scene.events == ["enter a 165"])
    }

    @Test("A device that speeds away from its stay exits after a minute, and its dwell waits while the exit is possible")
    func flight() {
        var scene = Scene([Scene.circle("a", 200, dwell: 170)], policy: .balanced)
        for second in 0..<30 { scene.observe(Double(second) * 5, 0, accuracy: 10) }
        scene.observe(165, 900, accuracy: 10)
        for second in stride(from: 175.0, through: 205, by: 10) {
            scene.observe(second, 900 + (second - 165) * 200, accuracy: 10)
        }
        #expect(scene.events == ["enter a 0"])
        scene.observe(215, 900 + 50 * 200, accuracy: 10)
        #expect(scene.events == ["enter a 0", "exit a 205"])
    }

    @Test("Two outliers far from each other do not end a stay, and fixes without accuracy do not form one")
    func strays() {
        var scene = scene()
        for second in 0..<30 { scene.observe(Double(second) * 5, 0, accuracy: 10) }
        for (second, north) in [(150.0, 900.0), (155, -900), (160, 3)] { scene.observe(second, north, accuracy: 10) }
        #expect(scene.events == ["enter a 0"])
        // A fix without an accuracy is taken as exact.
        scene.observe(165, 240)
        scene.observe(170, 240)
        #expect(scene.events == ["enter a 0", "exit a 165"])
    }

    @Test("A last fix outside the stay gives an exit when the device falls silent")
    func lastWord() {
        var scene = scene()
        for second in 0..<30 { scene.observe(Double(second) * 5, 0, accuracy: 10) }
        scene.observe(150, 900, accuracy: 10)
        scene.advance(150 + Device.defaultSilentAfter + 1)
        #expect(scene.events.contains("exit a 150"))
        #expect(scene.transitions.last?.confirmedAt == Scene.start + (150 + Device.defaultSilentAfter))
    }

    @Test("A fence whose policy ignores stays is evaluated by each fix, even after a coarse one")
    func coarseAmongStays() {
        var fence = Scene.circle("a", 60)
        fence.policy = PolicyOverride(base: .exact)
        var scene = Scene([fence], policy: .balanced)
        for number in 0...30 { scene.observe(Double(number) * 10, Double(number % 2) * 10, accuracy: 40) }
        scene.observe(310, 5, accuracy: 300)
        scene.observe(610, 100, accuracy: 40)
        #expect(scene.state.settledStay != nil)
        #expect(scene.events == ["enter a 0", "exit a 610"])
    }

    @Test("A coarse fix does not keep a stationary device inside a fence that its next precise fix shows it outside of")
    func coarseDuringStay() {
        // The exit margin is 30 m for a single fix, and 10 m for the mean of the fixes.
        var scene = scene()
        scene.observe(0, 0, accuracy: 5)
        for (second, north, accuracy) in [(600.0, 229.0, 5.0), (1400, 215, 40), (1720, 229, 300), (1721, 229, 5)] {
            scene.observe(second, north, accuracy: accuracy)
        }
        #expect(scene.state.settledStay != nil)
        scene.advance(1800)
        #expect(scene.events == ["enter a 0", "exit a 1721"])
    }

    @Test("A change that is neither confirmed nor contradicted within five minutes is dropped")
    func expired() {
        var scene = scene()
        scene.observe(0, 400)
        scene.observe(10, 100)
        scene.observe(20, 190, accuracy: 40)
        scene.observe(311, 100)
        #expect(scene.events == [])
        scene.observe(320, 100)
        #expect(scene.events == ["enter a 311"])
    }

    @Test("A pending change waits for a decisive fix while fixes in the uncertain zone arrive")
    func undecided() {
        var scene = scene()
        scene.observe(0, 400)
        scene.observe(10, 100)
        scene.observe(60, 190, accuracy: 40)
        scene.observe(200, 195, accuracy: 40)
        #expect(scene.events == [])
        scene.observe(300, 100)
        #expect(scene.events == ["enter a 10"])
    }

    @Test("The counted accuracy is at most half the radius, so that a small fence can be entered")
    func small() {
        var scene = scene(20)
        scene.observe(0, 500)
        scene.observe(10, 9, accuracy: 48)
        scene.observe(20, 9, accuracy: 48)
        #expect(scene.events == ["enter a 10"])
    }

    @Test("A coarse fix decides only when its whole circle lies inside or outside")
    func coarse() {
        var scene = scene(2000)
        scene.observe(0, 100, accuracy: 2500)
        #expect(scene.state.fenceState(of: FenceKey(1))?.phase == .unknown)
        scene.observe(10, 1500, accuracy: 100)
        #expect(scene.events == ["enter a 10"])
        #expect(scene.transitions[0].cause == .initial)
        scene.observe(20, 2200, accuracy: 1000)
        scene.observe(30, 2200, accuracy: 1000)
        #expect(scene.events.count == 1)
        scene.observe(40, 4000, accuracy: 1000)
        scene.observe(50, 4000, accuracy: 1000)
        #expect(scene.events.count == 1)
        scene.observe(60, 4051, accuracy: 1000)
        scene.observe(70, 4051, accuracy: 1000)
        #expect(scene.events == ["enter a 10", "exit a 60"])
    }

    @Test("The policy of a fence overrides the policy of the device")
    func override() {
        var scene = Scene([Scene.circle("a", 200, policy: PolicyOverride(base: .exact))], policy: .balanced)
        scene.observe(0, 400)
        scene.observe(10, 199)
        #expect(scene.events == ["enter a 10"])
    }
}

@Suite("Policy phone")
struct PhonePolicyTests {
    @Test("A change is confirmed after 20 seconds, and an exit needs a distance of 100 meters")
    func exitDistance() {
        var scene = Scene([Scene.circle("a", 200)], policy: .phone)
        scene.observe(0, 400)
        scene.observe(5, 100)
        scene.observe(15, 100)
        #expect(scene.events == [])
        scene.observe(25, 100)
        #expect(scene.events == ["enter a 5"])
        scene.observe(35, 299)
        scene.observe(60, 299)
        #expect(scene.events.count == 1)
        scene.observe(65, 301)
        scene.observe(100, 290)
        #expect(scene.events == ["enter a 5", "exit a 65"])
        #expect(scene.transitions[1].confirmedAt == Scene.start + 85)
    }
}

@Suite("Dwell")
struct DwellTests {
    @Test("A visit gives one dwell, at the time at which the dwell is due")
    func once() {
        var scene = Scene([Scene.circle("a", 200, dwell: 60)])
        for second in stride(from: 0.0, through: 200, by: 10) { scene.observe(second, 50) }
        scene.observe(210, 500)
        #expect(scene.events == ["enter a 0", "dwell a 60", "exit a 210"])
        #expect(scene.transitions[1].inferred == false)
    }

    @Test("A dwell becomes due between fixes, and comes before a later exit")
    func due() {
        var scene = Scene([Scene.circle("a", 200, dwell: 60)])
        scene.observe(0, 50)
        scene.observe(59, 50)
        scene.observe(75, 500)
        #expect(scene.events == ["enter a 0", "dwell a 60", "exit a 75"])
        #expect(scene.transitions[1].inferred)
        #expect(scene.transitions[1].fix.time == Scene.start + 59)
    }

    @Test("A dwell that becomes due during a long silence is not emitted")
    func silent() {
        var scene = Scene([Scene.circle("a", 200, dwell: 8 * 3600)])
        scene.observe(0, 50)
        scene.observe(9 * 3600, 500)
        #expect(scene.events == ["enter a 0", "silent - 21600", "returned - 32400", "exit a 32400"])
        var alive = Scene([Scene.circle("a", 200, dwell: 8 * 3600)])
        alive.observe(0, 50)
        alive.observe(3 * 3600, 50)
        alive.observe(9 * 3600, 500)
        #expect(alive.events == ["enter a 0", "dwell a 28800", "exit a 32400"])
    }

    @Test("A dwell that is already due when its enter is confirmed comes together with the enter")
    func overdue() {
        var scene = Scene([Scene.circle("a", 200, dwell: 30)], policy: .balanced)
        scene.observe(0, 400)
        scene.observe(10, 50)
        scene.observe(60, 50)
        #expect(scene.events == ["enter a 10", "dwell a 40"])
        #expect(scene.transitions[1].confirmedAt == Scene.start + 60)
        var silent = Scene([Scene.circle("a", 200, dwell: 30)], policy: .balanced)
        silent.observe(0, 400)
        silent.observe(10, 50)
        silent.observe(500, 190, accuracy: 40)
        #expect(silent.events == ["enter a 10", "dwell a 40"])
        #expect(silent.transitions[1].confirmedAt == Scene.start + 70)
    }

    @Test("A dwell waits while an exit is pending")
    func pending() {
        var scene = Scene([Scene.circle("a", 200, dwell: 60)], policy: .balanced)
        scene.observe(0, 50)
        scene.observe(50, 400)
        scene.observe(70, 50)
        #expect(scene.events == ["enter a 0", "dwell a 70"])
    }
}

@Suite("Changes of fences around a device")
struct ChangedFenceTests {
    /// The transitions when `before` becomes `after` around a device 50 m from the center.
    private func change(
        _ before: [Geofence], _ after: [Geofence], changed: [Int32], removed: [Int32] = [], policy: DecisionPolicy = .exact
    ) -> [String] {
        var scene = Scene(before, policy: policy)
        scene.observe(0, 50)
        var reported: [Transition] = []
        let engine = TransitionEngine(fences: Scene.set(after, revision: 2))
        engine.applyFenceChanges(
            changed: Set(changed.map { FenceKey($0) }), removed: Set(removed.map { FenceKey($0) }), &scene.state, into: &reported)
        return reported.map { "\($0.type) \($0.fence?.value ?? 0) \($0.cause)" }
    }

    @Test("A device enters a new fence around it, and no new fence elsewhere")
    func made() {
        let fences = [Scene.circle("a", 100), Scene.circle("b", 20)]
        #expect(change([], fences, changed: [1, 2]) == ["enter 1 fenceChanged"])
        #expect(change([], fences, changed: [1, 2], policy: .balanced) == ["enter 1 fenceChanged"])
    }

    @Test("A device leaves a fence that shrinks or becomes inactive, and enters one that grows around it")
    func edited() {
        var inactive = Scene.circle("a", 100)
        inactive.isActive = false
        #expect(change([Scene.circle("a", 100)], [Scene.circle("a", 40)], changed: [1]) == ["exit 1 fenceChanged"])
        #expect(change([Scene.circle("a", 100)], [inactive], changed: [1]) == ["exit 1 fenceChanged"])
        #expect(change([Scene.circle("a", 40)], [Scene.circle("a", 100)], changed: [1]) == ["enter 1 fenceChanged"])
        #expect(change([Scene.circle("a", 100)], [Scene.circle("a", 120)], changed: [1]) == [])
    }

    @Test("A device inside a removed fence leaves it, and a device outside does not")
    func removed() {
        #expect(change([Scene.circle("a", 100)], [], changed: [], removed: [1]) == ["exit 1 fenceRemoved"])
        #expect(change([Scene.circle("a", 30)], [], changed: [], removed: [1]) == [])
    }
}
