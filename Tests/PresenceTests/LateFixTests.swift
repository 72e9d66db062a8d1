import Geodesy
import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Timeline

@Suite("Late fixes")
struct LateFixTests {
    @Test(
        "After a replay, late fixes give the events that the same fixes in order give", arguments: Histories.seeds(1...30))
    func order(seed: UInt64) throws {
        let history = EditedHistory(seed: seed, edits: seed % 3 != 0)
        let ordered = try Workbench()
        try history.apply(history.steps, to: ordered.service, seed: seed)
        let bench = try Workbench()
        // As a service does, but in smaller parts.
        if seed % 4 == 1 { bench.service.pastLimits.keysAtOnce = 2 }
        // As with very many changes.
        if seed % 4 == 3 { bench.service.pastLimits.changes = 0 }
        var counts = ReplayCounts()
        try history.apply(history.shuffled(seed: seed), to: bench.service, seed: seed + 1000) { service in
            counts.add(try service.replayLate(all: true) { _ in })
            // Discards the memory, as after a restart.
            if seed % 2 == 0 { try service.forget() }
        }
        counts.add(try bench.service.replayLate(all: true) { _ in })
        #expect(counts.devices > 0, "seed \(seed)")
        let (expected, found) = (try Outcome(ordered.service), try Outcome(bench.service))
        let missing = Set(expected.events).subtracting(found.events).sorted().prefix(3)
        let surplus = Set(found.events).subtracting(expected.events).sorted().prefix(3)
        #expect(expected.events == found.events, "seed \(seed): missing \(missing), surplus \(surplus)")
        #expect(expected.visits == found.visits, "seed \(seed)")
        #expect(expected.statuses == found.statuses, "seed \(seed)")
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "seed \(seed): \(check.flaws.first)")

        let before = try bench.service.newestSequence()
        let again = try bench.service.replay(device: nil, since: nil, report: { _ in })
        #expect(again.retracted == 0 && again.new == 0 && again.devices == 5, "seed \(seed): \(again)")
        #expect(try bench.service.newestSequence() == before)
        #expect(try Outcome(bench.service) == found, "seed \(seed)")
    }
}
