import Geodesy
import Geometry
import Model
import Monitor
import SQLite
import ServiceTestSupport
import TestSupport
import Testing

@testable import Core
@testable import History
@testable import Places
@testable import Presence
@testable import Store

@Suite("Explanations")
struct ExplanationTests {
    private let bench: Workbench
    private static let start = Instant("2026-05-01T10:00:00Z")!

    init() throws { bench = try Workbench() }

    private typealias Seen = ExplanationStory.Seen

    private func see(_ fixes: [Seen], device: String = "anna") throws {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (line, seen) in fixes.enumerated() {
            let place = Geodesic.direct(ExplanationStory.home, azimuth: 0, distance: seen.north)
            batch.rows.append(
                .init(
                    fix: Fix(time: Self.start + seen.seconds, coordinate: place, accuracy: seen.accuracy), device: number,
                    line: line))
        }
        _ = try bench.service.accept(batch)
    }

    private func explain(at seconds: Double? = nil, around: Int = 50) throws -> Explanation {
        try bench.service.explain(
            .init(deviceId: "anna", geofenceId: "home", at: seconds.map { Self.start + $0 }, around: around))
    }

    /// The steps in the form "20 pending outside entering".
    private func stepTexts(_ explanation: Explanation) -> [String] {
        explanation.steps.map { step in
            "\(JSONValue(step.at - Self.start)) \(step.criterion) \(step.before?.rawValue ?? "-") \(step.after?.rawValue ?? "-")"
        }
    }

    @Test(
        "An explanation names the criterion that applied at each fix, and why the fence fired or did not",
        arguments: ExplanationStory.all)
    func rules(story: ExplanationStory) throws {
        try bench.add([story.fence])
        try bench.service.save(Device(id: "anna", policy: story.policy))
        try see(story.fixes)
        let explanation = try explain()
        #expect(stepTexts(explanation) == story.steps)
        #expect(explanation.steps.last?.because.words() == story.because)
        #expect(explanation.answer.words() == story.answer)
        #expect(explanation.remarks.isEmpty)
    }

    /// What would differ, and the commands.
    private func remedy(at seconds: Double, around: Int = 5) throws -> [String] {
        try explain(at: seconds, around: around).remedies.flatMap { [$0.words(), $0.command ?? "-", $0.trial ?? "-"] }
    }

    @Test("A visit that one fix shows is missed for want of a second, and the remedy and how to try it are named")
    func remedyForMissedVisit() throws {
        try bench.add([ExplanationStory.fence()])
        try see([(0, 1000, 8), (60, 900, 8), (120, 20, 8), (150, 900, 8), (210, 1000, 8), (270, 1500, 8)])
        let expected = [
            "With confirmFixes 1 for this geofence, anna would have entered Home at 10:02:00Z.",
            "picket geofence edit home --policy '{\"confirmFixes\":1}'",
            "picket replay --device anna --policy '{\"confirmFixes\":1}'",
        ]
        #expect(try remedy(at: 120) == expected && remedy(at: 130) == expected)
        let json = try explain(at: 120, around: 5).json(in: AnswerLocale())["remedies"]?.array?.first
        #expect(
            json?["field"] == "confirmFixes" && json?["value"]?.double == 1 && json?["subject"] == "geofence"
                && json?["try"]?.string == expected[2], "\(json?.description ?? "-")")
        // Far from the time of the visit nothing would differ.
        #expect(try remedy(at: 270) == [])
        // The command that tries it shows the visit.
        var found: [Event] = []
        _ = try bench.service.simulateReplay(
            device: "anna", since: nil, policy: try PolicyOverride(#"{"confirmFixes":1}"#, field: "policy")
        ) { found += $0.right }
        #expect(found.map(\.type) == [.enter, .exit])
        #expect(try bench.service.geofence(id: "home").policy.isEmpty, "nothing was stored")
    }

    @Test("Two wrong fixes make an exit, which a third fix would have had to confirm")
    func remedyForFalseExit() throws {
        try bench.add([ExplanationStory.fence()])
        let policy = try PolicyOverride(#"{"stay":0}"#, field: "policy")
        try bench.service.save(Device(id: "anna", policy: policy))
        let home = (0..<6).map { (Double($0) * 60, 20.0, Double?.some(8)) }
        let back = (0..<6).map { (480 + Double($0) * 60, 20.0, Double?.some(8)) }
        try see(home + [(360, 600, 35), (420, 600, 35)] + back)
        #expect(
            try remedy(at: 360) == [
                "With confirmFixes 3 for this geofence, anna would have stayed in Home.",
                "picket geofence edit home --policy '{\"confirmFixes\":3}'",
                "picket replay --device anna --policy '{\"confirmFixes\":3,\"stay\":0}'",
            ])
    }

    @Test("A device that parks next to a geofence would have left it with a smaller exit margin")
    func remedyForNeighbor() throws {
        try bench.add([ExplanationStory.fence()])
        // A device with a stay point leaves without a change: the mean of its fixes has a smaller margin.
        let policy = try PolicyOverride(#"{"stay":0}"#, field: "policy")
        try bench.service.save(Device(id: "anna", policy: policy))
        try see([(0, 2000, 6), (120, 50, 6)] + (2..<20).map { (Double($0) * 120, 125, 6) })
        let found = try remedy(at: 1800)
        #expect(
            found.first?.hasPrefix("With exitMargin 15 m for this geofence, anna would have left Home at ") == true, "\(found)")
    }

    @Test("Nothing is suggested where a visit is as the fixes show it, or a change would only move its time")
    func noRemedy() throws {
        try bench.add([ExplanationStory.fence()])
        let walk = (0..<60).map { (Double($0) * 10, 600 - Double($0) * 10, Double?.some(5)) }
        try see(walk + (0..<60).map { (600 + Double($0) * 10, Double($0) * 10, Double?.some(5)) })
        var events: [Event] = []
        try bench.service.forEachEvent(.init()) { events.append($0) }
        #expect(events.map(\.type) == [.enter, .exit])
        for event in events { #expect(try remedy(at: event.occurredAt - Self.start) == [], "\(event.type)") }
        #expect(try remedy(at: 0) == [] && remedy(at: 600) == [] && remedy(at: 1190) == [])
    }

    @Test("Late fixes are explained in their place, as waiting for a replay")
    func late() throws {
        try bench.add([ExplanationStory.fence()])
        try see([(0, 300, 5), (100, 300, 5)])
        try see([(50, 20, 5), (60, 20, 5)])
        let explanation = try explain()
        #expect(
            stepTexts(explanation) == [
                "0 first unknown outside", "50 pending outside entering", "60 confirmed entering inside",
                "100 pending inside exiting",
            ])
        #expect(
            explanation.remarks.map { $0.words() } == [
                "Positions arrived late, the first from 2026-05-01 10:00:50Z, and wait for a replay; this evaluation includes them in order of time."
            ])
    }

    @Test("An outlier and a pass through the fence are explained")
    func outlierAndPassage() throws {
        try bench.add([ExplanationStory.fence()])
        try see([(0, 300, 5), (10, 20_000, 5), (20, 310, 5), (40, -310, 5), (50, -320, 5)])
        let explanation = try explain()
        #expect(
            stepTexts(explanation) == [
                "0 first unknown outside", "10 outlier outside outside", "20 holds outside outside", "40 passage outside passing",
                "50 passage passing outside",
            ])
        #expect(
            explanation.steps[1].because.words()
                == "implies 1,969 m/s, more than 340 m/s: an outlier unless the next position agrees")
        #expect(
            explanation.steps[3].because.words()
                == "outside again, and the path from the previous position leads through it: a visit is pending (1 of 2 positions)"
        )
        #expect(explanation.steps[4].because.words().hasPrefix("the path led through it: a visit from 10:00:26"))
    }

    @Test("A pass through that the clock confirms is explained for the end that was asked about")
    func passageByDeadline() throws {
        try bench.add([ExplanationStory.fence()])
        try see([(0, 1000, 5), (60, 300, 5), (120, -300, 5), (600, -400, 5)])
        let explanation = try explain(at: 101)
        #expect(
            stepTexts(explanation).prefix(4) == [
                "0 first unknown outside", "60 holds outside outside", "120 passage outside passing",
                "180 passage passing outside",
            ])
        #expect(
            explanation.answer.words().hasPrefix("At 2026-05-01 10:01:41Z anna was not in Home; it left at 10:01:40Z"),
            "\(explanation.answer.words())")
        #expect(
            explanation.answer.words().contains("the path led through it: a visit from 10:01:20"),
            "\(explanation.answer.words())")
    }

    @Test("An exit confirmed by silence and one confirmed late are explained")
    func believed() throws {
        try bench.add([ExplanationStory.fence()])
        let home = (0...8).map { number -> Seen in (Double(number * 10), 20, 5) }
        try see(home + [(90, 1500, 5), (40_000, 1500, 5)])
        var explanation = try explain(at: 90)
        #expect(
            explanation.answer.words().hasPrefix(
                "anna left Home at 2026-05-01 10:01:30Z (confirmed at 10:02:30Z): no later position contradicted the one"))
        try bench.add([ExplanationStory.fence { $0.shape = .circle(Circle(center: ExplanationStory.home, radius: 2000)) }])
        try see((0...8).map { number -> Seen in (50_000 + Double(number * 10), 20, 5) } + [(50_090, 3000, 5), (50_120, 3010, 5)])
        explanation = try explain(at: 50_090)
        #expect(
            explanation.answer.words().hasSuffix(
                "outside, and so was the position of 23:54:50Z, which was in doubt: confirmed, dated back to that position."),
            "\(explanation.answer.words())")
        #expect(explanation.remarks.isEmpty)
    }

    @Test("An edit after an outlier that the fence had accepted is shown")
    func editAfterDoubt() throws {
        try bench.add([
            ExplanationStory.fence {
                $0.shape = .circle(
                    Circle(center: Geodesic.direct(ExplanationStory.home, azimuth: 0, distance: 50_000), radius: 1000))
                $0.policy = PolicyOverride(base: .exact)
            }
        ])
        try see([(0, 0, 5), (60, 50_000, 5)])
        #expect(try explain().at == Self.start + 60, "the newest fix, though it is doubted")
        try bench.add([ExplanationStory.fence { $0.isActive = false }])
        let explanation = try explain()
        #expect(stepTexts(explanation) == ["0 first unknown outside", "60 confirmed outside inside", "60 fenceChanged inside -"])
        #expect(explanation.remarks.isEmpty)
    }

    @Test("The answer for a moment covers everything that happened at that moment")
    func moment() throws {
        try bench.add([ExplanationStory.fence()])
        try bench.service.save(Device(id: "anna", policy: PolicyOverride(base: .exact)))
        try see([(0, 20, nil), (60, 20, nil), (120, 300, nil), (120, 310, nil), (180, 320, nil)])
        #expect(try explain(at: 60, around: 1).remarks.isEmpty)
        #expect(
            try explain(at: 119, around: 1).answer.words().hasPrefix(
                "At 2026-05-01 10:01:59Z anna was in Home; it left at 10:02:00Z"))
    }

    @Test("Fixes that came much too late are explained, as waiting for a replay")
    func muchTooLate() throws {
        try bench.add([ExplanationStory.fence()])
        try bench.service.save(Device(id: "anna", policy: PolicyOverride(base: .exact)))
        let month = 30 * 86_400.0
        try see([(month, 300, nil), (month + 60, 300, nil)])
        try see([(0, 20, nil), (300, 300, nil)])
        let explanation = try explain(at: 0)
        #expect(
            explanation.answer.words().hasPrefix(
                "At 2026-05-01 10:00:00Z anna was not in Home, according to the recorded events; according to the stored positions, it left at 10:05:00Z"
            ),
            "\(explanation.answer.words())")
        #expect(explanation.remarks == [.lateFixesWait(since: Self.start)])
        _ = try bench.service.replayLate(all: true) { _ in }
        #expect(try explain(at: 0).remarks.isEmpty)
        #expect(try bench.service.checkStore().replay.lateFixes == 0)
    }

    @Test("A stay, an outlier from it and its end are explained")
    func stay() throws {
        try bench.add([ExplanationStory.fence()])
        var fixes: [(Double, Double, Double?)] = []
        for number in 0...8 { fixes.append((Double(number * 10), Double(80 + number % 2 * 10), 10)) }
        try see(fixes + [(90, 108, 10), (100, 240, 10), (110, 85, 10)])
        var explanation = try explain()
        #expect(
            stepTexts(explanation).suffix(4) == [
                "80 holds inside inside", "90 holds inside inside", "100 leaving inside inside", "110 holds inside inside",
            ])
        let steps = explanation.steps.suffix(4)
        #expect(
            steps[steps.startIndex + 1].because.words().hasPrefix(
                "it has not moved since 10:00:00Z, so the mean of its positions is used (±")
        )
        #expect(steps[steps.startIndex + 1].measurement?.distance ?? 0 < 0, "by the mean it is inside, though the fix is not")
        #expect(
            steps[steps.startIndex + 2].because.words().contains(
                " m from where the device has been since 10:00:00Z, more than noise explains"))
        try see([(120, 240, 10), (130, 300, 10)])
        explanation = try explain()
        #expect(
            stepTexts(explanation).suffix(3) == [
                "110 holds inside inside", "120 leaving inside inside", "130 confirmed inside outside",
            ])
        #expect(explanation.events.last?.occurredAt == Self.start + 120)
    }

    @Test("All versions of a fence are covered: missing, created, edited, inactive, removed and created again")
    func versions() throws {
        try bench.service.save(Device(id: "anna", policy: PolicyOverride(base: .exact)))
        try see([(0, 20, 5)])
        try bench.add([ExplanationStory.fence()])
        try see([(10, 20, 5)])
        try bench.add([ExplanationStory.fence { $0.shape = .circle(Circle(center: ExplanationStory.home, radius: 10)) }])
        try see([(20, 5, 5)])
        try bench.add([
            ExplanationStory.fence {
                $0.shape = .circle(Circle(center: ExplanationStory.home, radius: 10))
                $0.isActive = false
            }
        ])
        try see([(30, 5, 5)])
        _ = try bench.service.apply([.remove(id: "home")])
        try see([(40, 5, 5)])
        try bench.add([ExplanationStory.fence()])
        let explanation = try explain()
        #expect(
            stepTexts(explanation) == [
                "0 missing - -", "0 fenceChanged - inside", "10 holds inside inside", "10 fenceChanged inside outside",
                "20 confirmed outside inside", "20 fenceChanged inside -", "30 inactive - -", "30 fenceChanged - -",
                "40 missing - -", "40 fenceChanged - inside",
            ])
        #expect(
            explanation.steps.map { $0.because.words() }.enumerated().filter { [0, 1, 3, 7, 8].contains($0.offset) }.map(
                \.element) == [
                    "the geofence did not exist yet", "the geofence was created, and by its newest position the device is inside",
                    "the geofence was edited, and by its newest position the device is outside", "the geofence was removed",
                    "the geofence had been removed",
                ])
        #expect(explanation.remarks.isEmpty)
        _ = try bench.service.apply([.remove(id: "home")])
        #expect(try stepTexts(explain()).last == "40 fenceChanged inside -", "a fence that was removed can be asked about")
    }

    @Test("An explanation shows the given number of fixes before and after the moment, and the events among them")
    func window() throws {
        try bench.add([ExplanationStory.fence()])
        let fixes = (0..<300).map { number -> Seen in
            let isOutside = (number / 50) % 2 == 0
            return (seconds: Double(number) * 10.0, north: isOutside ? 300 : 20, accuracy: 5)
        }
        try see(fixes)
        let explanation = try explain(at: 510, around: 2)
        #expect(explanation.steps.map { $0.at - Self.start } == [490, 500, 510, 520, 530])
        #expect(explanation.events.map(\.type) == [.enter, .exit])
        #expect(explanation.answer.words().hasPrefix("At 2026-05-01 10:08:30Z anna was in Home; it entered at 10:08:20Z"))
        let quiet = try explain(at: 805, around: 2)
        #expect(quiet.steps.map { $0.at - Self.start } == [790, 800, 810, 820, 830])
        #expect(
            quiet.answer.words().hasPrefix(
                "At 2026-05-01 10:13:25Z anna was in Home and did not leave: the furthest of these positions"))
        #expect(quiet.events.map(\.type) == [.enter, .exit], "the last one before and the first one after")
        let end = try explain(around: 1)
        #expect(end.at == Self.start + 2990 && end.steps.count == 2)
        let early = try explain(at: -10, around: 1)
        #expect(
            early.answer.words()
                == "No event was possible: 2026-05-01 09:59:50Z is before the first stored position of anna, from 2026-05-01 10:00:00Z."
        )
    }

    @Test("A change that is dated back beyond the shown fixes is explained")
    func edge() throws {
        try bench.add([ExplanationStory.fence()])
        try bench.service.save(Device(id: "anna", policy: ExplanationStory.confirming(fixes: 6)))
        try see((0...9).map { number -> Seen in (Double(number) * 10, number < 2 ? 300 : 20, 5) })
        let begin = try explain(at: 20, around: 1)
        #expect(begin.steps.map { $0.at - Self.start } == [10, 20, 30])
        #expect(
            begin.answer.words()
                == "anna entered Home at 2026-05-01 10:00:20Z (confirmed at 10:01:10Z): inside: the enter is pending (1 of 6 positions); "
                + "the position that confirmed it is later than those shown here.")
        let end = try explain(at: 70, around: 1)
        #expect(end.steps.map { $0.at - Self.start } == [60, 70, 80])
        #expect(end.answer.words().hasSuffix("6th position inside: confirmed, dated back to 10:00:20Z."), "\(end.answer.words())")
        #expect(begin.remarks.isEmpty && end.remarks.isEmpty)
    }

    @Test("The answer says where the device was at the moment, and names the visits of that day")
    func visits() throws {
        try bench.add([ExplanationStory.fence()])
        try bench.service.save(Device(id: "anna", policy: PolicyOverride(base: .exact), silentAfter: 7200))
        // At home from 10:00 to 11:00 and from 15:00 to 16:00; elsewhere in the evening.
        let hours: [(Double, Double)] = [(0, 20), (1, 300), (5, 20), (6, 300)]
        try see(hours.map { ($0.0 * 3600, $0.1, nil) } + (0..<20).map { (25_200 + Double($0) * 600, 2000, nil) })
        func answer(_ hour: Double) throws -> Explanation { try explain(at: hour * 3600, around: 2) }
        func interval(_ visit: Visit?) -> [Double?]? {
            visit.map { [$0.enteredAt, $0.exitedAt].map { $0.map { $0 - Self.start } } }
        }
        let evening = try explain(around: 2)
        #expect(
            evening.answer.words()
                == "At 2026-05-01 20:10:00Z anna was not in Home: the nearest of these positions, from 19:50:00Z, was 1.9 km outside."
        )
        #expect(interval(evening.visits.before) == [18_000, 21_600] && evening.visits.after == nil)
        let noon = try answer(2.5)
        #expect(noon.visits.current == nil)
        #expect(interval(noon.visits.before) == [0, 3600] && interval(noon.visits.after) == [18_000, 21_600])
        #expect(noon.answer.words().hasPrefix("At 2026-05-01 12:30:00Z anna was not in Home; it left at 11:00:00Z: "))
        // The device was not seen, so its absence is unknown.
        #expect(
            try answer(4).answer.words().hasPrefix(
                "At 2026-05-01 14:00:00Z anna was not in Home, not seen since 11:00:00Z; it entered at 15:"))
        let there = try answer(5.5)
        #expect(there.answer.words().hasPrefix("At 2026-05-01 15:30:00Z anna was in Home; it entered at 15:00:00Z: "))
        #expect(interval(there.visits.current) == [18_000, 21_600])
        #expect(interval(there.visits.before) == [0, 3600] && there.visits.after == nil)
        // A visit does not include the moment of its exit, but includes the moment of its enter.
        #expect(interval(try answer(6).visits.before) == [18_000, 21_600])
        #expect(interval(try answer(5).visits.current) == [18_000, 21_600])
        let json = there.json(in: AnswerLocale())
        #expect(
            json["visit"]?["seenSeconds"]?.double == 0 && json["visitBefore"]?["open"]?.bool == false
                && json["visitAfter"] == nil)
    }

    @Test("The answer says when positions are gone, and when events show more than positions")
    func gaps() throws {
        try bench.add([ExplanationStory.fence()])
        try bench.service.save(Device(id: "anna", policy: PolicyOverride(base: .exact)))
        try see([(0, 300, 5), (10, 20, 5), (20, 300, 5), (30, 300, 5)])
        try bench.service.trimPositions(keeping: 1, now: Instant("2027-01-01T00:00:00Z")!)
        #expect(
            try explain().answer.words()
                == "At 2026-05-01 10:00:30Z anna was not in Home, according to the recorded events; no stored position shows why."
        )
        #expect(
            try explain(at: 15).answer.words()
                == "At 2026-05-01 10:00:15Z anna was in Home, according to the recorded events; no stored position shows why."
        )
        try see([(40, 300, 5), (50, 300, 5)])
        let explanation = try explain()
        #expect(stepTexts(explanation) == ["40 first unknown outside", "50 holds outside outside"])
        #expect(explanation.remarks.count == 1 && explanation.remarks[0].words().contains("with the first one that is left"))
        do {
            let connection = try Connection(path: bench.data.storePath, access: .write)
            try connection.execute("UPDATE event SET occurred_at = occurred_at + 35000, confirmed_at = occurred_at + 35000")
        }
        let reader = try ServiceReader(bench.data)
        let another = try reader.explain(.init(deviceId: "anna", geofenceId: "home"))
        #expect(another.answer.words().hasSuffix("the stored positions do not show why."))
        #expect(
            another.remarks.count == 2 && another.remarks[1].words().hasPrefix("Also recorded: enter at 2026-05-01 10:00:45Z."))
    }

    @Test("The origin of each value of the policy is named")
    func policy() throws {
        var own = PolicyOverride()
        own.confirmFixes = 1
        try bench.add([ExplanationStory.fence { $0.policy = own }])
        var device = PolicyOverride()
        device.exitMargin = 30
        try bench.service.save(Device(id: "anna", policy: device))
        try see([(0, 125, nil)])
        let explanation = try explain()
        let numbers = explanation.policy.map { "\($0.name) \(JSONValue($0.value)) \($0.source)" }
        #expect(
            numbers == [
                "accuracyCap 50 store", "maxAccuracy 250 store", "exitMargin 30 device", "confirmFixes 1 geofence",
                "confirmSeconds 0 store", "maxSpeed 340 store", "crossing 300 store", "stay 4.5 store",
            ])
        #expect(
            explanation.steps.first?.measurement?.exitMargin == 30
                && explanation.steps.first?.measurement?.containment == .uncertain)
        try bench.service.save(Device(id: "anna", policy: PolicyOverride(base: .phone)))
        let edited = try explain()
        #expect(edited.policy.count { $0.source.rawValue == "device" } == 7)
        #expect(edited.remarks.isEmpty)
        #expect(stepTexts(edited) == ["0 first unknown outside", "0 deviceChanged outside outside"])
        #expect(
            edited.steps.last?.because.words()
                == "the device's groups or policy were edited, and by its newest position the device is outside"
        )
        try see([(10, 90, nil)])
        // Earlier steps use the policy of their time.
        let later = try explain()
        #expect(later.steps.compactMap(\.measurement?.exitMargin) == [30, 100])
        #expect(try explain(at: 5, around: 1).policy.map(\.source) == edited.policy.map(\.source))
    }

    @Test("An unknown device or geofence is named, with similar ones")
    func unknown() throws {
        try bench.add([ExplanationStory.fence()])
        try bench.service.save(Device(id: "anna"))
        let nothing = try explain()
        #expect(nothing.answer.words() == "Nothing is known: no position of anna is stored." && nothing.at == nil)
        #expect(throws: Problem.notFound(kind: .device, id: "ana", similar: ["anna"])) {
            try bench.service.explain(.init(deviceId: "ana", geofenceId: "home"))
        }
        #expect(throws: Problem.notFound(kind: .geofence, id: "hom", similar: ["home"])) {
            try bench.service.explain(.init(deviceId: "anna", geofenceId: "hom"))
        }
    }

    @Test("A fix that is not believed is explained as an outlier, with the implied speed")
    func outlier() {
        let fence = PicketStore.FenceVersion(key: FenceKey(1), geofence: ExplanationStory.fence(), start: 1)
        let before = Fix(time: Self.start, coordinate: Geodesic.direct(ExplanationStory.home, azimuth: 0, distance: 12_400))
        let fix = Fix(time: Self.start + 10, coordinate: ExplanationStory.home)
        let outside = TimelineStep.PairState(state: .outside)
        let step = TimelineStep(
            at: fix.time, event: .fix(fix), before: outside, after: outside, previous: before, revision: 1,
            version: 0, device: Device(id: "anna"), transitions: [], isDoubted: true)
        let measurement = FenceMeter(fence.geofence, policy: .balanced)?.measure(fix)
        let found = AppliedCriterion(device: Device(id: "anna"), versions: [fence], policy: .balanced)(step, measurement)
        var believed = step
        believed.isDoubted = false
        let other = AppliedCriterion(device: Device(id: "anna"), versions: [fence], policy: .balanced)(believed, measurement)
        #expect(other.criterion == .holds)
        #expect(found.criterion == .outlier)
        #expect(found.reason.words() == "implies 1,240 m/s, more than 340 m/s: an outlier unless the next position agrees")
    }
}
