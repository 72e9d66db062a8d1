import Model
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence

/// Histories in which the geofences come before the positions, between them, or after them.
private struct PastHistory {
    let history: EditedHistory
    let seed: UInt64
    /// All steps that are not edits of geofences, with late fixes if there are any.
    let lived: [EditedHistory.Step]
    /// The geofences as they are at the end.
    let fences: [Geofence]

    init(seed: UInt64, count: Int, lateShare: Double) {
        history = EditedHistory(seed: seed, count: count)
        self.seed = seed
        lived = (lateShare > 0 ? history.shuffled(seed: seed, share: lateShare) : history.steps).filter {
            if case .edit = $0 { false } else { true }
        }
        var last: [String: Geofence] = [:]
        for case .edit(let edits) in history.steps {
            for case .save(let fence) in edits { last[fence.id] = fence }
        }
        fences = last.values.sorted { $0.id < $1.id }
    }

    /// A service that has lived some steps.
    func live(_ steps: [EditedHistory.Step]) throws -> Workbench {
        let bench = try Workbench()
        try live(steps, bench)
        return bench
    }

    func live(_ steps: [EditedHistory.Step], _ bench: Workbench) throws {
        try history.apply(steps, to: bench.service, seed: seed)
        _ = try bench.service.replayLate(all: true) { _ in }
    }
}

@Suite("Correcting the past")
struct PastCorrectionTests {
    private func correct(
        _ bench: Workbench, _ correction: PastCorrection = PastCorrection(includesRemoved: true)
    ) throws -> (counts: ReplayCounts, findings: [PastFinding]) {
        var findings: [PastFinding] = []
        let corrected = try bench.service.correctPast(correction) { findings.append($0) }
        return (corrected, findings)
    }

    private func expectSame(_ found: Workbench, _ expected: Workbench, _ place: String) throws {
        let (found, expected) = (try Outcome(found.service), try Outcome(expected.service))
        let missing = Set(expected.events).subtracting(found.events).sorted().prefix(3)
        let surplus = Set(found.events).subtracting(expected.events).sorted().prefix(3)
        #expect(expected.events == found.events, "\(place): missing \(missing), surplus \(surplus)")
        #expect(expected.visits == found.visits, "\(place)")
        #expect(expected.statuses == found.statuses, "\(place)")
    }

    private func expectSound(_ bench: Workbench, _ place: String) throws {
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "\(place): \(check.flaws.first)")
    }

    @Test(
        "Geofences that are made or edited after the positions get the events of geofences that were there before",
        arguments: 1...6 as ClosedRange<UInt64>)
    func order(seed: UInt64) throws {
        let past = PastHistory(seed: seed, count: seed % 3 == 0 ? 1000 : 300, lateShare: seed % 2 == 0 ? 0.2 : 0)
        let edits = EditedHistory.Step.edit(past.fences.map { .save($0) })
        let expected = try past.live([edits] + past.lived)
        // The geofences come last; between the positions; or are edited now and then, and another one is in force at the end.
        let half = past.lived.count / 2
        let moved = past.history.steps.filter { if case .edit = $0 { true } else { false } }
        let (early, late) = (Array(past.lived[..<half]), Array(past.lived[half...]))
        var orders: [[EditedHistory.Step]] = [past.lived]
        orders[0].append(edits)
        orders.append(early)
        orders[1].append(edits)
        orders[1] += late
        orders.append(early)
        orders[2] += moved
        orders[2] += late
        orders[2].append(edits)
        for (number, order) in orders.enumerated() {
            let place = "seed \(seed), order \(number)"
            let bench = try past.live(order)
            let newest = try bench.service.newestSequence()
            let simulated = try bench.service.simulateCorrection(PastCorrection(includesRemoved: true)) { _ in }
            #expect(try bench.service.newestSequence() == newest)
            let first = try correct(bench)
            #expect(first.counts == simulated, "\(place)")
            #expect(first.counts.new > 0 && first.counts.skipped == 0, "\(place): \(first.counts)")
            try expectSame(bench, expected, place)
            try expectSound(bench, place)

            // Again, it changes nothing.
            let before = [try bench.service.newestSequence(), try bench.service.store.newestInput()]
            let again = try correct(bench)
            #expect(again.counts.new + again.counts.retracted == 0 && again.findings.allSatisfy(\.changes.isEmpty), "\(place)")
            let events = try Outcome(bench.service).events.count
            #expect(again.counts.unchanged == events, "\(place): \(again.counts)")
            #expect(try before == [bench.service.newestSequence(), bench.service.store.newestInput()], "\(place)")
            let replayed = try bench.service.replay(device: nil, since: nil) { _ in }
            #expect(replayed.new + replayed.retracted == 0, "\(place): \(replayed)")

            // After a crash right then, the same is on record.
            let directory = try TemporaryDirectory()
            let data = DataDirectory(path: directory.path + "/data")
            try bench.service.copyStore(to: data)
            let survivor = try ServiceWriter(data, purpose: "test", clock: bench.clock)
            #expect(try survivor.difference(from: bench.service) == nil, "\(place)")
        }
    }

    @Test(
        "Positions after a correction are evaluated as if the geofences had always been there",
        arguments: 21...24 as ClosedRange<UInt64>)
    func continuation(seed: UInt64) throws {
        let past = PastHistory(seed: seed, count: seed % 2 == 0 ? 900 : 400, lateShare: 0.15)
        let edits = EditedHistory.Step.edit(past.fences.map { .save($0) })
        let expected = try past.live([edits] + past.lived)
        let part = past.lived.count * 2 / 3
        let bench = try past.live(Array(past.lived.prefix(part)) + [edits])
        // Late fixes may also come from before the correction.
        let first = try correct(bench)
        #expect(first.counts.new > 0 && first.counts.skipped == 0, "seed \(seed)")
        if seed % 3 == 0 { try bench.service.forget() }
        try past.live(Array(past.lived.suffix(from: part)), bench)
        // A device that the geofences did not affect is corrected once more if late positions of it have arrived.
        _ = try correct(bench)
        try expectSame(bench, expected, "seed \(seed)")
        try expectSound(bench, "seed \(seed)")
    }

    @Test(
        "Visits in a geofence that was removed and created again count once, whether it is named or not",
        arguments: 41...43 as ClosedRange<UInt64>, [false, true])
    func createdAgain(seed: UInt64, isNamed: Bool) throws {
        let past = PastHistory(seed: seed, count: 300, lateShare: 0)
        let save = EditedHistory.Step.edit(past.fences.map { .save($0) })
        let expected = try past.live([save] + past.lived)
        let bench = try past.live([save] + past.lived + [.edit(past.fences.map { .remove(id: $0.id) }), save])
        let found = try correct(bench, PastCorrection(geofences: isNamed ? past.fences.filter(\.isActive).map(\.id) : []))
        #expect(found.counts.new > 0, "seed \(seed)")
        try expectSame(bench, expected, "seed \(seed)")
        try expectSound(bench, "seed \(seed)")
    }

    @Test("Removed geofences are retracted only when asked for", arguments: 31...33 as ClosedRange<UInt64>)
    func removed(seed: UInt64) throws {
        let past = PastHistory(seed: seed, count: 400, lateShare: 0)
        let gone = try #require(past.fences.first { $0.isActive })
        let edits = EditedHistory.Step.edit(past.fences.map { .save($0) })
        let rest = EditedHistory.Step.edit(past.fences.filter { $0.id != gone.id }.map { .save($0) })
        let expected = try past.live([rest] + past.lived)
        let bench = try past.live([edits] + past.lived + [.edit([.remove(id: gone.id)])])
        let standing = try Outcome(bench.service)
        #expect(try correct(bench, PastCorrection()).counts.retracted == 0, "seed \(seed)")
        #expect(try Outcome(bench.service) == standing, "seed \(seed)")
        #expect(throws: Problem.self) { try correct(bench, PastCorrection(geofences: [gone.id])) }
        let corrected = try correct(bench, PastCorrection(geofences: [gone.id], includesRemoved: true))
        #expect(corrected.findings.flatMap(\.changes).allSatisfy { $0.geofenceId == gone.id && $0.new == 0 }, "seed \(seed)")
        try expectSame(bench, expected, "seed \(seed)")
        try expectSound(bench, "seed \(seed)")
    }

    @Test(
        "A failure at any row leaves a device as it was, and another run completes it", arguments: 41...43 as ClosedRange<UInt64>)
    func failures(seed: UInt64) throws {
        let past = PastHistory(seed: seed, count: 600, lateShare: 0)
        let edits = EditedHistory.Step.edit(past.fences.map { .save($0) })
        let expected = try past.live([edits] + past.lived)
        let bench = try past.live(past.lived + [edits])
        let fault = try StoreFault(bench.service)
        var failures = 0
        for rows in [0, 1, 2, 5, 17, -1] {
            let before = try Outcome(bench.service)
            let device = past.history.devices[failures % past.history.devices.count]
            var job = RequestedReplayJob(
                try bench.service.planCorrection(PastCorrection(device: device)), PastCorrection(), limit: .max)
            if rows < 0 { try fault.armCommit() } else { try fault.arm(after: rows) }
            #expect(throws: Problem.self, "seed \(seed), \(rows) rows") {
                while try job.step(bench.service) {}
            }
            failures += 1
            try fault.disarm()
            #expect(try Outcome(bench.service) == before, "seed \(seed), \(rows) rows")
        }
        // Some devices are corrected, and then the process ends.
        _ = try bench.service.correctPast(PastCorrection(device: past.history.devices[0]))
        try expectSound(bench, "seed \(seed)")
        try bench.service.forget()
        _ = try correct(bench)
        try expectSame(bench, expected, "seed \(seed)")
        try expectSound(bench, "seed \(seed)")
    }
}
