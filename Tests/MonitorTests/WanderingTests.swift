import Model
import Monitor
import TestSupport
import Testing

extension Wandering {
    var set: FenceSet { FenceSet(revision: 1, entries) }

    /// The transitions of a device with these fixes.
    func transitions(_ fixes: [Fix], of device: Device, by engine: TransitionEngine) -> [Transition] {
        var state = DeviceState(device: device, policy: policy)
        var reported: [Transition] = []
        for fix in fixes { engine.observe(fix, &state, into: &reported) }
        return reported
    }
}

@Suite("Random wanderings")
struct WanderingTests {
    @Test(
        "Enter and exit alternate, with at most one dwell in between, and no transition is dated before the previous one",
        arguments: Histories.seeds(1...100))
    func alternation(seed: UInt64) {
        let wandering = Wandering(seed: seed &+ 2_000_000)
        let engine = TransitionEngine(fences: wandering.set)
        var state = DeviceState(device: wandering.device, policy: wandering.policy)
        var reported: [Transition] = []
        for fix in wandering.fixes { engine.observe(fix, &state, into: &reported) }
        engine.advance(before: .latest, &state, into: &reported)
        var visits: [FenceKey: (enteredAt: Instant, dwell: Instant?)] = [:]
        for transition in reported {
            guard let fence = transition.fence else { continue }
            #expect(transition.confirmedAt >= transition.occurredAt, "seed \(seed): \(describe(transition))")
            switch transition.type {
            case .enter:
                #expect(visits[fence] == nil, "enter twice, seed \(seed)")
                visits[fence] = (transition.occurredAt, nil)
            case .exit:
                let visit = visits.removeValue(forKey: fence)
                #expect(visit != nil, "exit without enter, seed \(seed)")
                #expect(visit?.enteredAt == transition.visit?.enteredAt, "seed \(seed)")
                #expect(transition.occurredAt >= max(visit?.enteredAt ?? .latest, visit?.dwell ?? .earliest), "seed \(seed)")
            default:
                #expect(visits[fence] != nil && visits[fence]?.dwell == nil, "dwell twice or outside, seed \(seed)")
                #expect(visits[fence].map { $0.enteredAt < transition.occurredAt } ?? false, "seed \(seed)")
                visits[fence]?.dwell = transition.occurredAt
            }
        }
        let open = Set(state.fenceStates.filter { $0.visit != nil }.map(\.fence))
        #expect(open == Set(visits.keys), "seed \(seed)")
        #expect(state.deadline == nil)
    }

    @Test(
        "An engine that resumes from stored states gives the transitions of an engine that never stopped",
        arguments: Histories.seeds(1...60))
    func resumed(seed: UInt64) {
        let wandering = Wandering(seed: seed &+ 3_000_000)
        var random = SeededRandom(seed: seed)
        let set = wandering.set
        let whole = TransitionEngine(fences: set)
        var engine = TransitionEngine(fences: set)
        var state = DeviceState(device: wandering.device, policy: wandering.policy)
        var stopped = state
        var reported: [Transition] = []
        var reportedStopped: [Transition] = []
        for fix in wandering.fixes {
            whole.observe(fix, &state, into: &reported)
            engine.observe(fix, &stopped, into: &reportedStopped)
            if Int.random(in: 0..<3, using: &random) == 0 {
                if Bool.random(using: &random) { engine = TransitionEngine(fences: wandering.set) }
                stopped = stopped.reloaded(wandering.policy, presences: stopped.fenceStates.shuffled(using: &random))
            }
        }
        #expect(reported == reportedStopped, "seed \(seed)")
        #expect(state.fenceStates == stopped.fenceStates && state.deadline == stopped.deadline, "seed \(seed)")
    }

    @Test("Fences edited one by one give the transitions of new sets of the same fences", arguments: Histories.seeds(1...60))
    func edited(seed: UInt64) {
        var wandering = Wandering(seed: seed &+ 4_000_000)
        var random = SeededRandom(seed: seed)
        var edited = TransitionEngine(fences: wandering.set)
        var rebuilt = TransitionEngine(fences: wandering.set)
        // So many that the engine searches among all fences.
        let manyUnknown = Set((1000..<1100).map { FenceKey($0) })
        var state = DeviceState(device: wandering.device, policy: wandering.policy)
        var rebuiltState = state
        var reported: [Transition] = []
        var rebuiltReported: [Transition] = []
        for fix in wandering.fixes {
            edited.observe(fix, &state, into: &reported)
            rebuilt.observe(fix, &rebuiltState, into: &rebuiltReported)
            guard Int.random(in: 0..<4, using: &random) == 0 else { continue }
            let before = edited.fences
            let entriesBefore = wandering.entries
            if Bool.random(using: &random) { edited = TransitionEngine(fences: before.copy()) }
            var changed: Set<FenceKey> = []
            var removed: Set<FenceKey> = []
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                if Int.random(in: 0..<3, using: &random) == 0, wandering.entries.count > 1 {
                    let gone = wandering.entries.remove(at: .random(in: wandering.entries.indices, using: &random)).key
                    edited.fences.remove(gone)
                    removed.insert(gone)
                    changed.remove(gone)
                    continue
                }
                let number = Int.random(in: 0..<20, using: &random)
                var entry = FenceSet.KeyedGeofence(key: FenceKey(Int32(number * 3)), geofence: wandering.fence(number))
                if removed.contains(entry.key) { continue }
                entry.geofence.isActive = Int.random(in: 0..<6, using: &random) != 0
                wandering.entries.removeAll { $0.key == entry.key }
                wandering.entries.append(entry)
                edited.fences.upsert(entry)
                changed.insert(entry.key)
            }
            rebuilt = TransitionEngine(fences: wandering.set)
            #expect(edited.fences.count == rebuilt.fences.count)
            for entry in wandering.entries where entry.geofence.isActive {
                #expect(edited.fences.geofence(entry.key) == entry.geofence, "seed \(seed)")
            }
            if edited.fences !== before {
                for entry in entriesBefore where entry.geofence.isActive {
                    #expect(before.geofence(entry.key) == entry.geofence, "seed \(seed): the original of a copy")
                }
            }
            edited.applyFenceChanges(changed: changed, removed: removed, &state, into: &reported)
            rebuilt.applyFenceChanges(
                changed: changed.union(manyUnknown), removed: removed, &rebuiltState, into: &rebuiltReported)
        }
        #expect(reported == rebuiltReported, "seed \(seed)")
        #expect(state.fenceStates == rebuiltState.fenceStates && state.deadline == rebuiltState.deadline, "seed \(seed)")
    }

    @Test(
        "A device gets the same transitions alone, among other devices and on several threads", arguments: Histories.seeds(1...6))
    func shared(seed: UInt64) async {
        var wandering = Wandering(seed: seed &+ 5_000_000, fixes: 0)
        var random = SeededRandom(seed: seed)
        var journeys: [(device: Device, fixes: [Fix])] = []
        for number in 0..<12 {
            journeys.append((Device(id: "d\(number)", groups: number % 2 == 0 ? ["g"] : []), wandering.wander(80)))
        }
        let alone = journeys.map {
            wandering.transitions($0.fixes, of: $0.device, by: TransitionEngine(fences: wandering.set))
        }

        let engine = TransitionEngine(fences: wandering.set)
        var states = journeys.map { DeviceState(device: $0.device, policy: wandering.policy) }
        var among = journeys.map { _ in [Transition]() }
        var rest = journeys.map { $0.fixes[...] }
        while let number = rest.indices.filter({ !rest[$0].isEmpty }).randomElement(using: &random) {
            for _ in 0..<Int.random(in: 1...5, using: &random) {
                guard let fix = rest[number].popFirst() else { break }
                engine.observe(fix, &states[number], into: &among[number])
            }
        }
        #expect(among == alone, "seed \(seed)")

        // `nonisolated(unsafe)` is safe: nothing changes the set while the tasks read it.
        nonisolated(unsafe) let set = wandering.set
        let (fences, all) = (wandering, journeys)
        let threaded = await withTaskGroup(of: (Int, [Transition]).self) { group in
            for (number, journey) in all.enumerated() {
                group.addTask {
                    (number, fences.transitions(journey.fixes, of: journey.device, by: TransitionEngine(fences: set)))
                }
            }
            return await group.reduce(into: [Int: [Transition]]()) { $0[$1.0] = $1.1 }
        }
        #expect(all.indices.allSatisfy { threaded[$0] == alone[$0] }, "seed \(seed)")
    }
}
