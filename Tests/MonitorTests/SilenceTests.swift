import Model
import Monitor
import TestSupport
import Testing

@Suite("Silence")
struct SilenceTests {
    private func scene(_ fences: [Geofence] = [], silentAfter: Double = 600, policy: DecisionPolicy = .exact) -> Scene {
        Scene(fences, policy: policy, device: Device(id: "d", silentAfter: silentAfter))
    }

    @Test("Silence is dated to its deadline, and the next fix ends it before its own transitions")
    func gap() throws {
        var scene = scene([Scene.circle("a", 100)])
        scene.observe(0, 50)
        scene.observe(700, 500)
        #expect(scene.events == ["enter a 0", "silent - 600", "returned - 700", "exit a 700"])
        let silent = try #require(scene.transitions.first { $0.type == .silent })
        #expect(silent.inferred && silent.cause == .silence && silent.fix == Scene.fix(0, 50))
        #expect(silent.lastHeard == Scene.start && silent.duration == 600)
        let returned = try #require(scene.transitions.first { $0.type == .returned })
        #expect(!returned.inferred && returned.fix == Scene.fix(700, 500))
        #expect(returned.lastHeard == Scene.start && returned.duration == 700)
    }

    @Test("Silence begins after the deadline, not at the deadline", arguments: [(600.0, false), (600.001, true)])
    func boundary(_ gap: Double, _ isSilent: Bool) {
        var scene = scene()
        scene.observe(0, 0)
        scene.observe(gap, 0)
        #expect(scene.events.contains("silent - 600") == isSilent)
        #expect(scene.events.count == (isSilent ? 2 : 0))
    }

    @Test("A silence gives one event, however long it lasts")
    func once() {
        var scene = scene()
        scene.observe(0, 0)
        for second in stride(from: 100.0, to: 5000, by: 100) { scene.advance(second) }
        #expect(scene.events == ["silent - 600"])
        #expect(scene.state.deadline == nil && scene.state.isSilent)
        scene.observe(5000, 0)
        scene.advance(9000)
        #expect(scene.events == ["silent - 600", "returned - 5000", "silent - 5600"])
    }

    @Test("Silence leaves visits open, and dwells wait until the device is heard again")
    func visits() {
        var scene = scene([Scene.circle("a", 100, dwell: 1000)])
        scene.observe(0, 50)
        scene.advance(3000)
        #expect(scene.events == ["enter a 0", "silent - 600"])
        #expect(scene.state.fenceState(of: FenceKey(1))?.visit?.enteredAt == Scene.start)
        var pinged = scene
        scene.observe(3000, 50)
        #expect(scene.events.suffix(2) == ["returned - 3000", "dwell a 3000"])
        pinged.recordLife(3000)
        #expect(pinged.events.suffix(2) == ["returned - 3000", "dwell a 3000"])
        #expect(pinged.transitions.last?.inferred == true)
    }

    @Test("A dwell due at the same moment comes before the silence")
    func order() {
        var scene = scene([Scene.circle("a", 100, dwell: 600)])
        scene.observe(0, 50)
        scene.advance(700)
        #expect(scene.events == ["enter a 0", "dwell a 600", "silent - 600"])
    }

    @Test("Signs of life prevent a silence, and dwells continue")
    func signs() {
        var scene = scene([Scene.circle("a", 100, dwell: 1500)])
        scene.observe(0, 50)
        for second in stride(from: 500.0, through: 2000, by: 500) { scene.recordLife(second) }
        #expect(scene.events == ["enter a 0", "dwell a 1500"])
        #expect(scene.state.silenceAt == Scene.start + 2600)
        scene.advance(2601)
        #expect(scene.events.last == "silent - 2600")
        #expect(scene.transitions.last?.lastHeard == Scene.start + 2000)
        #expect(scene.transitions.last?.fix == Scene.fix(0, 50))
    }

    @Test("A device that has sent no fix cannot become silent")
    func never() {
        var scene = scene()
        scene.recordLife(0)
        scene.advance(100_000)
        #expect(scene.events == [] && scene.state.deadline == nil && scene.state.lastHeard == nil)
    }

    @Test("A sign of life with an earlier time ends a silence, as after a clock was set back")
    func steppedBack() {
        var scene = scene()
        scene.observe(0, 0)
        scene.advance(700)
        scene.recordLife(-5000)
        #expect(scene.events.first == "silent - 600" && scene.transitions.last?.type == .returned)
        #expect(scene.transitions.last.map { $0.occurredAt > Scene.start + 600 } == true)
        #expect(!scene.state.isSilent && scene.state.silenceAt == scene.transitions.last.map { $0.occurredAt + 600 })
    }

    @Test("An old sign of life does not restart the time until silence")
    func oldSign() {
        var scene = scene()
        scene.observe(1000, 0)
        scene.recordLife(900)
        #expect(scene.state.lastHeard == Scene.start + 1000 && scene.events == [])
    }

    // MARK: - Time in steps

    private struct Moment {
        var time: Instant
        /// Nil for a sign of life.
        var fix: Fix?
    }

    /// A random history with pauses and signs of life, for a device with `silentAfter` of ten minutes.
    private func moments(_ history: History, _ random: inout SeededRandom) -> [Moment] {
        var moments: [Moment] = []
        var pause = 0.0
        for var fix in history.fixes {
            if Int.random(in: 0..<25, using: &random) == 0 {
                pause += Double.random(in: 0...2000, using: &random).rounded()
                for _ in 0..<Int.random(in: 0...2, using: &random) {
                    let last = moments.last?.time ?? fix.time
                    let time = last + Double.random(in: 0...max(0, fix.time + pause - last), using: &random)
                    moments.append(Moment(time: time))
                }
            }
            fix.time = fix.time + pause
            moments.append(Moment(time: fix.time, fix: fix))
        }
        return moments
    }

    @Test(
        "Clock ticks between the fixes do not change the times of silences, confirmations and dwells",
        arguments: Histories.seeds(1...60), [DecisionPolicy.exact, .balanced, .phone])
    func ticks(seed: UInt64, policy: DecisionPolicy) {
        let history = History(seed: seed)
        var random = SeededRandom(seed: seed &* 131)
        let moments = moments(history, &random)
        let engine = TransitionEngine(fences: Scene.set(history.fences))
        var state = DeviceState(device: Device(id: "d", silentAfter: 600), policy: policy)
        var ticked = state
        var reported: [Transition] = []
        var reportedTicked: [Transition] = []
        for moment in moments {
            if let newest = ticked.lastHeard {
                for _ in 0..<Int.random(in: 0...3, using: &random) {
                    let pause = max(0, moment.time - newest)
                    engine.advance(before: newest + Double.random(in: 0...pause, using: &random), &ticked, into: &reportedTicked)
                }
                // A deadline at the moment itself does not fire before it.
                if Bool.random(using: &random) { engine.advance(before: moment.time, &ticked, into: &reportedTicked) }
            }
            if let fix = moment.fix {
                #expect(ticked.lateBefore.map { fix.time >= $0 } ?? true, "a fix has become late, seed \(seed)")
                engine.observe(fix, &state, into: &reported)
                engine.observe(fix, &ticked, into: &reportedTicked)
            } else {
                engine.recordSignOfLife(at: moment.time, &state, into: &reported)
                engine.recordSignOfLife(at: moment.time, &ticked, into: &reportedTicked)
            }
        }
        #expect(reported == reportedTicked, "seed \(seed)")
        #expect(state.deadline == ticked.deadline && state.deadlinesFiredBefore == ticked.deadlinesFiredBefore, "seed \(seed)")
        let silences = reported.filter { $0.type == .silent || $0.type == .returned }
        #expect(silences.count > 2, "a history without silence, seed \(seed)")
        for (number, transition) in silences.enumerated() {
            #expect(transition.type == (number % 2 == 0 ? .silent : .returned), "seed \(seed)")
        }
        // The oracle: gaps between signs of life of more than ten minutes.
        var gaps: [String] = []
        let known = moments.drop { $0.fix == nil }
        for (before, after) in zip(known, known.dropFirst()) where after.time - before.time > 600 {
            gaps += ["\(before.time + 600)", "\(after.time)"]
        }
        #expect(silences.map { "\($0.occurredAt)" } == gaps, "seed \(seed)")
    }

    @Test(
        "Each deadline that fires moves the time before which a fix is late",
        arguments: [(10.0, 10.0), (70, 10), (70.001, 70.001), (610, 70.001), (610.001, 610.001), (9000, 610.001)])
    func frontier(_ now: Double, _ frontier: Double) {
        var scene = scene([Scene.circle("a", 100)], policy: .balanced)
        scene.observe(0, 500)
        scene.observe(10, 0)
        scene.advance(now)
        #expect(scene.state.lateBefore == Scene.start + frontier)
    }
}
