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

@Suite("Correcting a part of the past")
struct PastSpanTests {
    private let start = Instant("2026-05-01T00:00:00Z")!
    private let home = Coordinate(latitude: 52.5, longitude: 13.4)

    private func depot(_ north: Double) -> Geofence {
        Geofence(id: "depot", name: "Depot", shape: .circle(Circle(center: home.north(north), radius: 100)))
    }

    /// A device that goes from one place to another and back, with a fix every ten minutes. It is within 100 m of the first place at each
    /// fourth fix, and of the second, 1,000 m away, two fixes later.
    private func live(_ bench: Workbench, fixes: Range<Int>) throws {
        try bench.service.save(Device(id: "van", policy: PolicyOverride(base: .exact)))
        var batch = FixBatch()
        for number in fixes {
            let place = home.north([0, 500, 1000, 500][number % 4])
            batch.rows.append(
                .init(
                    fix: Fix(time: start + Double(number) * 600, coordinate: place), device: batch.number(ofDevice: "van"),
                    line: number))
        }
        _ = try bench.service.accept(batch)
    }

    /// The events of a period that are not retracted, as fix numbers and types.
    private func story(_ bench: Workbench, from: Instant = .earliest, to: Instant = .latest) throws -> [String] {
        var filter = Queries.EventFilter()
        filter.excludesRetracted = true
        var found: [(Instant, String)] = []
        try bench.service.forEachEvent(filter) { event in
            guard event.occurredAt >= from, event.occurredAt < to else { return }
            found.append((event.occurredAt, "\(event.type) \(Int((event.occurredAt - start) / 600))"))
        }
        return found.sorted { $0 < $1 }.map(\.1)
    }

    private func correct(_ bench: Workbench, _ correction: PastCorrection) throws -> [PastFinding] {
        var findings: [PastFinding] = []
        _ = try bench.service.correctPast(correction) { findings.append($0) }
        return findings
    }

    @Test(
        "Events from before the first position that is left stay, with and without a checkpoint",
        arguments: [(400, 150), (60, 41), (60, 42)])
    func removed(fixes: Int, gone: Int) throws {
        let bench = try Workbench()
        try bench.add([depot(0)])
        try live(bench, fixes: 0..<fixes)
        try bench.add([depot(1000)])
        while try bench.service.trimPositions(keeping: 3600, now: start + Double(gone) * 600 + 3600, limit: 100).hasMore {}
        let before = try story(bench)
        let always = try Workbench()
        try always.add([depot(1000)])
        try live(always, fixes: 0..<fixes)

        let request = PastCorrection(geofences: ["depot"])
        let finding = try #require(correct(bench, request).first)
        let since = try #require(finding.since)
        #expect(since >= start + Double(gone) * 600 && since <= start + Double(gone + 150) * 600)
        if fixes < 100 { #expect(since == start + Double(gone) * 600) }
        #expect(try story(bench, to: since) == before.filter { Double($0.split(separator: " ")[1])! * 600 < since - start })
        #expect(try story(bench, from: since + 600) == story(always, from: since + 600))
        let check = try bench.service.checkStore()
        #expect(check.isSound, "\(check.flaws.first)")
        #expect(try correct(bench, request).allSatisfy(\.changes.isEmpty))

        // Positions after that, late ones too, are evaluated as usual.
        try live(bench, fixes: fixes..<fixes + 8)
        try live(always, fixes: fixes..<fixes + 8)
        #expect(try story(bench, from: since + 600) == story(always, from: since + 600))
        #expect(try bench.service.checkStore().isSound)
        let explanation = try bench.service.explain(.init(deviceId: "van", geofenceId: "depot", at: since + 6000, around: 2))
        let remark = ExplanationRemark.backdated(isRemoved: false, from: since, to: start + Double(fixes - 1) * 600)
        #expect(explanation.remarks.contains(remark), "\(explanation.remarks)")
    }

    @Test("With since, the first position at or after it is the first that counts")
    func since() throws {
        let bench = try Workbench()
        try live(bench, fixes: 0..<200)
        try bench.add([depot(0)])
        let request = PastCorrection(geofences: ["depot"], since: start + 101 * 600)
        let finding = try #require(correct(bench, request).first)
        #expect(finding.since == start + 101 * 600)
        #expect(finding.changes.map(\.geofenceId) == ["depot"])
        #expect(try story(bench) == (26..<50).flatMap { ["enter \($0 * 4)", "exit \($0 * 4 + 1)"] })
        #expect(try bench.service.checkStore().isSound)
        #expect(try correct(bench, request).allSatisfy(\.changes.isEmpty))
        // The geofence as it was then holds from there on; the one that is made afterward holds for everything.
        try bench.add([depot(1000)])
        _ = try correct(bench, PastCorrection(geofences: ["depot"], since: start + 150 * 600))
        let mixed = try story(bench)
        #expect(Array(mixed.prefix(24)) == (26..<38).flatMap { ["enter \($0 * 4)", "exit \($0 * 4 + 1)"] })
        #expect(mixed.contains("enter 154") && mixed.contains("exit 155") && !mixed.contains("enter 156"))
        #expect(try bench.service.checkStore().isSound)
        _ = try correct(bench, PastCorrection(geofences: ["depot"]))
        #expect(try story(bench) == (0..<50).flatMap { ["enter \($0 * 4 + 2)", "exit \($0 * 4 + 3)"] })
        let check = try bench.service.checkStore()
        #expect(check.isSound && check.replay.unprovenDevices == 0, "\(check.flaws.first)")
    }

    @Test("Events that are retracted and recorded again have their own ids, few and many", arguments: [8, 200])
    func ids(fixes: Int) throws {
        let bench = try Workbench()
        try live(bench, fixes: 0..<fixes)
        for place in [0.0, 1000, 0, 1000] {
            try bench.add([depot(place)])
            _ = try correct(bench, PastCorrection(geofences: ["depot"]))
        }
        let events = try bench.events()
        #expect(events.count > fixes && Set(events.map(\.id)).count == events.count)
        let retractions = events.compactMap(\.retracts)
        #expect(Set(retractions).count == retractions.count && Set(retractions).isSubset(of: events.map(\.id)))
        #expect(try story(bench) == (0..<fixes / 4).flatMap { ["enter \($0 * 4 + 2)", "exit \($0 * 4 + 3)"] })
    }

    @Test("An explanation says that a replay with present geofences decided")
    func explained() throws {
        let bench = try Workbench()
        try live(bench, fixes: 0..<20)
        try bench.add([depot(0)])
        let question = Explanation.Question(deviceId: "van", geofenceId: "depot", at: start + 4 * 600, around: 1)
        #expect(try bench.service.explain(question).remarks.isEmpty)
        _ = try correct(bench, PastCorrection(geofences: ["depot"]))
        let explanation = try bench.service.explain(question)
        #expect(explanation.remarks == [.backdated(isRemoved: false, from: nil, to: start + 19 * 600)])
        #expect(explanation.steps.flatMap(\.transitions).map(\.type) == [.enter, .exit])
        #expect(explanation.events.map(\.cause).contains(.corrected))
        #expect(explanation.answer.words().contains("entered Depot"), "\(explanation.answer.words())")
    }

    @Test("Geofences and positions that are not there are refused, with a reason")
    func refusals() throws {
        let bench = try Workbench()
        try bench.add([depot(0)])
        func refusal(_ correction: PastCorrection) throws -> Problem? {
            do throws(Problem) {
                _ = try bench.service.simulateCorrection(correction) { _ in }
                return nil
            } catch { return error }
        }
        func reason(_ correction: PastCorrection) throws -> Phrase? {
            if case .validationFailed(_, _, let reason, _)? = try refusal(correction) { reason } else { nil }
        }
        #expect(try reason(PastCorrection()) == .noPositionStored)
        try live(bench, fixes: 0..<4)
        #expect(try refusal(PastCorrection(geofences: ["depo"])) == .notFound(kind: .geofence, id: "depo", similar: ["depot"]))
        #expect(try refusal(PastCorrection(device: "va")) == .notFound(kind: .device, id: "va", similar: ["van"]))
        #expect(try reason(PastCorrection(since: start + 5 * 600)) == .noPositionStored)
        try bench.service.save(Device(id: "bus"))
        #expect(try reason(PastCorrection(device: "bus")) == .noPositionStored)
        var off = depot(0)
        off.isActive = false
        try bench.add([off])
        #expect(try reason(PastCorrection(geofences: ["depot"])) == .geofenceIsOff)
        try bench.service.apply([.remove(id: "depot")])
        #expect(try reason(PastCorrection(geofences: ["depot"])) == .geofenceIsRemoved)
        #expect(try refusal(PastCorrection(geofences: ["depot"], includesRemoved: true)) == nil)
    }
}
