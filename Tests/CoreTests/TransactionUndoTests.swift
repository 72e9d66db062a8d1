import Model
import Monitor
import ServiceTestSupport
import Store
import TestSupport
import Testing

@testable import Core
@testable import Places
@testable import Presence

@Suite("Failing transactions")
struct TransactionUndoTests {
    /// Whether an input takes one transaction, so that a failure changes nothing.
    private func isOne(_ input: RecordedHistory.Input) -> Bool {
        switch input {
        case .replayLate, .deadlines: false
        default: true
        }
    }

    @Test(
        "A failed transaction leaves memory and store unchanged wherever it fails, and succeeds when it is repeated",
        arguments: Histories.seeds(1...4))
    func undone(seed: UInt64) throws {
        let history = RecordedHistory(seed: seed, count: 110)
        var random = SeededRandom(seed: seed + 2000)
        let (live, plain) = (try Workbench(), try Workbench())
        live.service.serve()
        plain.service.isServing = true
        let fault = try StoreFault(live.service)
        var failures = 0
        for (number, (now, input)) in history.inputs.enumerated() {
            let place = "seed \(seed), input \(number), \(input.word)"
            live.clock.set(now)
            plain.clock.set(now)
            if Int.random(in: 0..<3, using: &random) == 0 {
                try live.service.writeStates(atMost: .random(in: 1...3, using: &random))
            }
            let before = try live.service.states()
            var events: [String]?
            // First the commit fails, then one row after another.
            var rows = -1
            while events == nil {
                if rows < 0 { try fault.armCommit() } else { try fault.arm(after: rows) }
                do {
                    events = try live.service.apply(input, at: now)
                    try fault.disarm()
                } catch {
                    failures += 1
                    // The disk may still be full at the next attempt.
                    if Int.random(in: 0..<4, using: &random) == 0 { _ = try? live.service.apply(input, at: now) }
                    try fault.disarm()
                    guard try isAsBefore(live, before, input, "\(place), after \(rows) rows", &random) else { return }
                }
                rows += 1 + max(0, rows) / 3
            }
            let expected = try plain.service.apply(input, at: now)
            if isOne(input) { #expect(events == expected, "\(place)") }
            let difference = try live.service.difference(from: plain.service)
            #expect(difference == nil, "\(place)")
            if difference != nil || isOne(input) && events != expected { return }
        }
        #expect(failures > 100, "seed \(seed)")
        // Late fixes of several devices may be replayed in another order, as after a restart.
        let (events, expected) = (try live.service.allEvents(isOrdered: false), try plain.service.allEvents(isOrdered: false))
        let (surplus, missing) = (Set(events).subtracting(expected), Set(expected).subtracting(events))
        #expect(surplus.isEmpty && missing.isEmpty && events.count == expected.count, "seed \(seed)")
        let check = try live.service.checkStore()
        #expect(check.isSound, "seed \(seed): \(check.flaws.first)")
        try live.service.writeStates()
        #expect(!live.service.hasStatesToWrite, "seed \(seed)")
        #expect(try crashed(live).difference == nil, "seed \(seed)")
    }

    @Test("A failed change of silentAfter does not delay the device's silence")
    func silence() throws {
        let bench = try Workbench()
        bench.service.serve()
        let now = bench.clock.now()
        try bench.service.save(Device(id: "d", silentAfter: 1200))
        var batch = FixBatch()
        let fix = Fix(time: now, coordinate: RecordedHistory.home)
        batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "d"), line: 1))
        try bench.service.accept(batch)
        #expect(try bench.service.nextDeadline() == now + 1200)
        let fault = try StoreFault(bench.service)
        try fault.armCommit()
        #expect(throws: Problem.self) { try bench.service.save(Device(id: "d", silentAfter: 6 * 3600)) }
        try fault.disarm()
        bench.clock.set(now + 1201)
        #expect(try bench.service.fireDeadlines(upTo: now + 1201).map(\.type) == [.silent])
    }

    @Test("A position whose transaction failed after a sign of life of its device was recorded is stored when it is sent again")
    func signOfLife() throws {
        let bench = try Workbench()
        bench.service.serve()
        let now = bench.clock.now()
        func batch(_ time: Instant) -> FixBatch {
            var batch = FixBatch()
            batch.isRetained = true
            let fix = Fix(time: time, coordinate: RecordedHistory.home)
            batch.rows.append(.init(fix: fix, device: batch.number(ofDevice: "d"), line: 1))
            return batch
        }
        bench.clock.set(now + -3600)
        try bench.service.accept(batch(now + -3600))
        bench.clock.set(now)
        // The second one is late by 1,024 weeks, which is a sign of life of a device whose receiver has lost the date.
        let batches = [batch(now + -600), batch(now + -1024 * 7 * 86_400)]
        func accept() throws {
            try bench.service.transaction(ofPositions: true) { (transaction: borrowing Transaction) throws(Problem) in
                var group = try IntakeGroup(bench.service)
                for batch in batches {
                    var (intake, rows) = (PositionIntake(service: bench.service, policy: nil), batch.rows.indices)
                    _ = try intake.evaluate(TimeOrderedBatch(batch), rows: &rows, in: &group, transaction)
                }
                try group.saveStates(in: transaction)
            }
        }
        let fault = try StoreFault(bench.service)
        try fault.armCommit()
        #expect(throws: Problem.self) { try accept() }
        try fault.disarm()
        #expect(try bench.service.states()["d"]?.newest?.time == now + -3600)
        #expect(try bench.service.accept(batches[0]).counts.accepted == 1)
    }

    /// Checks the state after a failure.
    private func isAsBefore(
        _ live: Workbench, _ before: [String: DeviceState], _ input: RecordedHistory.Input, _ place: String,
        _ random: inout SeededRandom
    ) throws -> Bool {
        // The crash is simulated either before or after other checks.
        let isFirst = Bool.random(using: &random)
        var difference: String?
        if isFirst { difference = try crashed(live).difference }
        if isOne(input) {
            let now = try live.service.states()
            difference = difference ?? ServiceWriter.difference(between: before, and: now)
        }
        let (next, due) = (try live.service.nextDeadline(), try live.service.trueDeadline())
        if let due, next.map({ $0 > due }) ?? true {
            difference = difference ?? "the next deadline is \(String(describing: next)), and one is due at \(due)"
        }
        if !isFirst, Int.random(in: 0..<4, using: &random) == 0 {
            try live.service.writeStates()
            if live.service.hasStatesToWrite { difference = difference ?? "states are missing" }
            difference = try difference ?? crashed(live).difference
        }
        #expect(difference == nil, "\(place)")
        return difference == nil
    }

    /// How the state after a crash now differs from the state in memory.
    private func crashed(_ live: Workbench) throws -> (difference: String?, isSound: Bool) {
        let directory = try TemporaryDirectory()
        let data = DataDirectory(path: directory.path + "/data")
        try live.service.copyStore(to: data)
        let survivor = try ServiceWriter(data, purpose: "test", clock: live.clock)
        return (try survivor.difference(from: live.service), true)
    }
}
