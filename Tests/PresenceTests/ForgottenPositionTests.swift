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

@Suite("Soundness of the store when positions are forgotten")
struct ForgottenPositionTests {
    private let start = Instant("2026-05-01T10:00:00Z")!
    private let home = RecordedHistory.home

    /// The flaws in the order of the enters and exits that are not retracted, for each device and geofence: they must alternate
    /// in order of time, and an exit must name the time of its enter. Events of one moment may be in any order.
    ///
    /// - Parameter removals: The numbers of the newest events when devices were removed, by device. Events before and after such a number
    ///   are of different devices.
    private func alternationFlaws(_ service: ServiceWriter, removals: [String: [Int64]]) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        filter.types = [.enter, .exit]
        var pairs: [String: [Event]] = [:]
        try service.forEachEvent(filter) { event in
            let life = removals[event.deviceId, default: []].count { $0 < event.sequence }
            pairs["\(event.deviceId), life \(life), at \(event.geofenceId ?? "-")", default: []].append(event)
        }
        var flaws: [String] = []
        for (pair, events) in pairs {
            var waiting = events.sorted { ($0.occurredAt, $0.sequence) < ($1.occurredAt, $1.sequence) }
            var enteredAt: Instant?
            while let first = waiting.first {
                let next = waiting.firstIndex {
                    $0.occurredAt == first.occurredAt
                        && (enteredAt == nil ? $0.type == .enter : $0.type == .exit && $0.enteredAt == enteredAt)
                }
                guard let next else {
                    flaws.append("\(pair): \(first.type) \(first.occurredAt)")
                    break
                }
                let event = waiting.remove(at: next)
                enteredAt = event.type == .enter ? event.occurredAt : nil
            }
        }
        return flaws
    }

    @Test("After any history of inputs, edits and removals, the store is sound", arguments: Histories.parts)
    func sound(part: Int) throws {
        var provenDevices = 0
        for seed in Histories.seeds(1...60, part: part) {
            let bench = try Workbench()
            let service = bench.service
            service.serve()
            let history = RecordedHistory(seed: seed, count: 220, isForgetting: true)
            var removals: [String: [Int64]] = [:]
            var isSound = true
            for (index, (now, input)) in history.inputs.enumerated() where isSound {
                bench.clock.set(now)
                _ = try service.apply(input, at: now)
                if case .remove(let id) = input { removals[id, default: []].append(try service.newestSequence()) }
                guard index % 10 == 9 else { continue }
                let check = try service.checkStore()
                #expect(check.isSound, "seed \(seed), after input \(index) (\(input.word)): \(check.flaws.first)")
                let flaws = try alternationFlaws(service, removals: removals)
                #expect(flaws.isEmpty, "seed \(seed), after input \(index) (\(input.word))")
                isSound = check.isSound && flaws.isEmpty
            }
            guard isSound else { continue }
            // A replay of what was not forgotten gives what is on record.
            _ = try service.replay(device: nil, since: nil) { _ in }
            let counts = try service.simulateReplay(device: nil, since: nil) { finding in
                #expect(finding.lines.isEmpty, "seed \(seed), \(finding.deviceId): \(finding.lines.first?.description ?? "")")
            }
            provenDevices += counts.devices
            let check = try service.checkStore()
            #expect(check.isSound, "seed \(seed), at the end: \(check.flaws.first)")
            #expect(try alternationFlaws(service, removals: removals).isEmpty, "seed \(seed), at the end")
        }
        #expect(provenDevices > 0)
    }

    /// A service with a geofence at home.
    private func bench(keeping seconds: Double) throws -> Workbench {
        let bench = try Workbench()
        bench.service.serve()
        try bench.add([Geofence(id: "f", name: "F", shape: .circle(Circle(center: home, radius: 500)))])
        bench.service.keepPositions = seconds
        return bench
    }

    /// Sends a position at a moment, given in seconds after the start like `now`.
    private func send(_ bench: Workbench, at time: Double, isInside: Bool, now: Double) throws -> IntakeResult {
        bench.clock.set(start + now)
        var batch = FixBatch()
        let fix = Fix(time: start + time, coordinate: home.north(isInside ? 0 : 11_000))
        batch.rows = [.init(fix: fix, device: batch.number(ofDevice: "d"), line: 1)]
        return try bench.service.accept(batch, policy: .exact)
    }

    private func standing(_ bench: Workbench) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var events: [Event] = []
        try bench.service.forEachEvent(filter) { events.append($0) }
        return events.sorted { ($0.occurredAt, $0.sequence) < ($1.occurredAt, $1.sequence) }
            .map { "\($0.type) \(JSONValue($0.occurredAt - start))" }
    }

    @Test(
        "After positions were forgotten and others removed, an older position is late, even after a restart",
        arguments: [false, true])
    func olderThanRestart(restarts: Bool) throws {
        let bench = try bench(keeping: 10)
        _ = try send(bench, at: -60, isInside: false, now: -60)
        _ = try send(bench, at: -20, isInside: true, now: -20)
        try bench.service.trimPositions(keeping: 10, now: start)
        _ = try send(bench, at: 0, isInside: true, now: 0)
        _ = try bench.service.removePositions(ofDevice: "d", since: start + -3)
        #expect(try standing(bench) == ["enter -20", "exit -3"])
        if restarts { try bench.service.forget() }
        let late = try send(bench, at: -3600, isInside: true, now: 1)
        #expect(late.counts.late == 1 && late.events.isEmpty)
        #expect(try bench.service.deviceStatus(of: "d").newest == nil)
        #expect(try bench.service.deviceStatus(of: "d").unevaluated?.cause == .positionsMissing)
        if restarts { try bench.service.forget() }
        #expect(try send(bench, at: -5, isInside: false, now: 2).counts.late == 1)
        #expect(try send(bench, at: 2, isInside: true, now: 2).events.map(\.type) == [.enter])
        #expect(try send(bench, at: 3, isInside: false, now: 3).events.map(\.type) == [.exit])
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try standing(bench) == ["enter -20", "exit -3", "enter 2", "exit 3"])
        #expect(try bench.service.checkStore().isSound)
        // A device that is removed and added again has no past.
        try bench.service.removeDevice(id: "d")
        #expect(try send(bench, at: -3600, isInside: true, now: 4).counts.late == 0)
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("Positions of a device that has started again can be removed again, back to its first one", arguments: [false, true])
    func removedAgain(restarts: Bool) throws {
        let bench = try bench(keeping: 0)
        for (index, isInside) in [false, true, false, true, false, true].enumerated() {
            _ = try send(bench, at: Double(index) * 10, isInside: isInside, now: Double(index) * 10)
        }
        #expect(try bench.service.removePositions(ofDevice: "d", since: start + 45).retracted == 1)
        #expect(try standing(bench) == ["enter 10", "exit 20", "enter 30", "exit 40"])
        if restarts { try bench.service.forget() }
        #expect(try bench.service.removePositions(ofDevice: "d", since: start + 35).retracted == 1)
        #expect(try standing(bench) == ["enter 10", "exit 20", "enter 30", "exit 35"])
        if restarts { try bench.service.forget() }
        #expect(try send(bench, at: 34, isInside: true, now: 60).counts.late == 1)
        #expect(try bench.service.removePositions(ofDevice: "d", since: .earliest).retracted == 4)
        #expect(try standing(bench).isEmpty)
        #expect(try bench.service.deviceStatus(of: "d").unevaluated == nil)
        #expect(try send(bench, at: 20, isInside: true, now: 70).events.map(\.type) == [.enter])
        #expect(try bench.service.checkStore().isSound)
    }

    @Test("When only late positions are left, later edits of geofences still count as later", arguments: [-3600.0, -200_000])
    func onlyLateLeft(time: Double) throws {
        let bench = try bench(keeping: .infinity)
        _ = try send(bench, at: 0, isInside: false, now: 0)
        _ = try send(bench, at: time, isInside: true, now: 1)
        _ = try bench.service.replayLate(all: true) { _ in }
        _ = try bench.service.removePositions(ofDevice: "d", since: start + -10)
        let enter = "enter \(JSONValue(time))"
        #expect(try standing(bench) == [enter])
        let other = Geofence(id: "g", name: "G", shape: .circle(Circle(center: home, radius: 200)))
        #expect(try bench.service.apply([.save(other)]).map(\.cause) == [.fenceChanged])
        #expect(try standing(bench) == [enter, enter])
        _ = try bench.service.replay(device: "d", since: nil) { _ in }
        #expect(try bench.service.checkStore().isSound)
        #expect(try bench.service.apply([.remove(id: "f")]).map(\.cause) == [.fenceRemoved])
        #expect(try send(bench, at: 10, isInside: true, now: 10).events.allSatisfy { $0.geofenceId == nil })
        let counts = try bench.service.replay(device: "d", since: nil) { _ in }
        #expect(counts.new + counts.retracted == 0)
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "\(check.flaws.first)")
    }

    @Test("A replay in steps does not miss positions that are forgotten between two steps")
    func forgottenDuringReplay() throws {
        let bench = try bench(keeping: .infinity)
        for minute in 0..<40 {
            _ = try send(bench, at: Double(minute) * 60, isInside: minute / 5 % 2 == 1, now: Double(minute) * 60)
        }
        _ = try send(bench, at: 30, isInside: true, now: 2400)
        let events = try standing(bench)
        let step = try bench.service.replayLate(at: nil, limit: 5)
        #expect(step.done == nil && step.hasMore)
        try bench.service.trimPositions(keeping: 600, now: start + 2400)
        while try bench.service.replayLate(at: nil, limit: 5).hasMore {}
        #expect(try standing(bench) == events)
        #expect(try bench.service.checkStore().isSound)
    }
}
