import Geodesy
import Geometry
import Model
import Monitor
import SQLite
import Store
import TestSupport
import Testing

@testable import Service

@Suite("Explanations")
struct ExplanationTests {
    private let bench: Workbench
    private static let start = Instant("2026-05-01T10:00:00Z")!
    private static let home = Coordinate(latitude: 52.5, longitude: 13.4)

    init() throws { bench = try Workbench() }

    private static func fence(_ change: (inout Geofence) -> Void = { _ in }) -> Geofence {
        var fence = Geofence(id: "home", name: "Home", shape: .circle(Circle(center: home, radius: 100)))
        change(&fence)
        return fence
    }

    /// Seconds after ten o'clock, metres north of home, and the accuracy in metres.
    typealias Seen = (seconds: Double, north: Double, accuracy: Double?)

    private func see(_ fixes: [Seen], device: String = "anna") throws {
        var batch = FixBatch()
        let number = batch.number(ofDevice: device)
        for (line, seen) in fixes.enumerated() {
            let place = Geodesic.direct(Self.home, azimuth: 0, distance: seen.north)
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

    /// The steps as "20 pending outside entering".
    private func told(_ explanation: Explanation) -> [String] {
        explanation.steps.map { step in
            "\(JSONValue(step.at - Self.start)) \(step.rule) \(step.before?.rawValue ?? "-") \(step.after?.rawValue ?? "-")"
        }
    }

    /// A story of one device and one fence, and how it is explained.
    struct Story: Sendable, CustomTestStringConvertible {
        var name: String
        var policy = PolicyOverride()
        var fence = ExplanationTests.fence()
        var fixes: [Seen]
        var steps: [String]
        /// The words of the last step.
        var because: String
        var answer: String

        var testDescription: String { name }
    }

    private static let stories: [Story] = [
        Story(
            name: "the first fix is outside", fixes: [(0, 340, 5)], steps: ["0 first unknown outside"],
            because: "nothing was known before: outside from here on",
            answer: "anna did not enter Home: the nearest of these fixes, of 10:00:00Z, lay 240 m outside."),
        Story(
            name: "the first fix is inside", fixes: [(0, 20, 5)], steps: ["0 first unknown inside"],
            because: "nothing was known before: inside from here on",
            answer: "anna is in Home at 2026-05-01 10:00:00Z: nothing was known before: inside from here on."),
        Story(
            name: "the first fix is too coarse", fixes: [(0, 20, 400)], steps: ["0 coarse unknown unknown"],
            because: "coarser than maxAccuracy 250 m and not wholly inside or outside: decides nothing",
            answer: "Nothing fired: no fix of anna was precise enough yet to tell where it was."),
        Story(
            name: "two fixes confirm an enter", fixes: [(0, 300, 5), (10, 20, 5), (20, 20, 5)],
            steps: ["0 first unknown outside", "10 pending outside entering", "20 confirmed entering inside"],
            because: "second fix inside: confirmed, dated back to 10:00:10Z",
            answer: "anna entered Home at 2026-05-01 10:00:10Z (sure at 10:00:20Z): second fix inside: confirmed, dated back to "
                + "10:00:10Z."),
        Story(
            name: "one fix of two", fixes: [(0, 300, 5), (10, 20, 5)],
            steps: ["0 first unknown outside", "10 pending outside entering"],
            because: "inside: the enter is pending for 1 of 2 fixes",
            answer: "anna did not enter Home: inside: the enter is pending for 1 of 2 fixes."),
        Story(
            name: "three fixes are asked for", policy: confirming(fixes: 3),
            fixes: [(0, 300, 5), (10, 20, 5), (20, 20, 5), (30, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "20 pending entering entering",
                "30 confirmed entering inside",
            ],
            because: "third fix inside: confirmed, dated back to 10:00:10Z",
            answer: "anna entered Home at 2026-05-01 10:00:10Z (sure at 10:00:30Z): third fix inside: confirmed, dated back to "
                + "10:00:10Z."),
        Story(
            name: "an enter is contradicted", fixes: [(0, 300, 5), (10, 20, 5), (20, 300, 5)],
            steps: ["0 first unknown outside", "10 pending outside entering", "20 contradicted entering outside"],
            because: "outside: contradicts the pending enter, which is dropped",
            answer: "anna did not enter Home: an enter was pending until 2026-05-01 10:00:20Z, and then a fix contradicted it."),
        Story(
            name: "a fix in the band decides nothing", fixes: [(0, 300, 5), (10, 96, 30)],
            steps: ["0 first unknown outside", "10 band outside outside"], because: "in the band: the last state holds",
            answer:
                "anna did not enter Home: the nearest of these fixes, of 10:00:10Z, lay 4 m inside, and only from 30 m inside on "
                + "is it certain, by the accuracy that counts."),
        Story(
            name: "a fix in the band leaves what is pending", fixes: [(0, 300, 5), (10, 20, 5), (20, 96, 30)],
            steps: ["0 first unknown outside", "10 pending outside entering", "20 band entering entering"],
            because: "in the band: neither confirms nor contradicts the pending change",
            answer: "anna did not enter Home: in the band: neither confirms nor contradicts the pending change."),
        Story(
            name: "a coarse fix decides nothing", fixes: [(0, 300, 5), (10, 20, 300)],
            steps: ["0 first unknown outside", "10 coarse outside outside"],
            because: "coarser than maxAccuracy 250 m and not wholly inside or outside: decides nothing",
            answer:
                "anna did not enter Home: the nearest of these fixes, of 10:00:10Z, lay 80 m inside and is too coarse: coarser than "
                + "maxAccuracy 250 m and not wholly inside or outside: decides nothing."),
        Story(
            name: "two fixes confirm an exit", fixes: [(0, 20, 5), (10, 300, 5), (20, 300, 5)],
            steps: ["0 first unknown inside", "10 pending inside exiting", "20 confirmed exiting outside"],
            because: "second fix outside: confirmed, dated back to 10:00:10Z",
            answer: "anna left Home at 2026-05-01 10:00:10Z (sure at 10:00:20Z): second fix outside: confirmed, dated back to "
                + "10:00:10Z."),
        Story(
            name: "an exit is contradicted", fixes: [(0, 20, 5), (10, 300, 5), (20, 20, 5)],
            steps: ["0 first unknown inside", "10 pending inside exiting", "20 contradicted exiting inside"],
            because: "inside: contradicts the pending exit, which is dropped",
            answer: "anna is in Home at 2026-05-01 10:00:00Z: nothing was known before: inside from here on."),
        Story(
            name: "a minute without contradiction confirms", fixes: [(0, 300, 5), (10, 20, 5), (100, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "70 deadline entering inside",
                "100 holds inside inside",
            ],
            because: "inside, as before",
            answer:
                "anna entered Home at 2026-05-01 10:00:10Z (sure at 10:01:10Z): nothing contradicted it for 60 s: confirmed by the "
                + "deadline, dated back to 10:00:10Z."),
        Story(
            name: "a phone's policy waits 20 s", policy: PolicyOverride(base: .phone),
            fixes: [(0, 300, 5), (10, 20, 5), (15, 20, 5), (30, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "15 pending entering entering",
                "30 confirmed entering inside",
            ],
            because: "third fix inside, 20 s after the first: confirmed, dated back to 10:00:10Z",
            answer: "anna entered Home at 2026-05-01 10:00:10Z (sure at 10:00:30Z): third fix inside, 20 s after the first: "
                + "confirmed, dated back to 10:00:10Z."),
        Story(
            name: "under exact one fix is enough", policy: PolicyOverride(base: .exact), fixes: [(0, 300, 5), (10, 99, 5)],
            steps: ["0 first unknown outside", "10 confirmed outside inside"], because: "inside: sure at once",
            answer: "anna entered Home at 2026-05-01 10:00:10Z: inside: sure at once."),
        Story(
            name: "a dwell falls due between two fixes", policy: PolicyOverride(base: .exact),
            fence: fence { $0.dwell = 60 }, fixes: [(0, 20, 5), (100, 20, 5)],
            steps: ["0 first unknown inside", "60 dwell inside inside", "100 holds inside inside"], because: "inside, as before",
            answer: "anna was still in Home at 2026-05-01 10:01:00Z: inside since 10:00:00Z: the dwell of 1 min is due."),
        Story(
            name: "a dwell falls due at a fix", policy: PolicyOverride(base: .exact), fence: fence { $0.dwell = 60 },
            fixes: [(0, 20, 5), (60, 20, 5)], steps: ["0 first unknown inside", "60 dwell inside inside"],
            because: "inside since 10:00:00Z: the dwell of 1 min is due",
            answer: "anna was still in Home at 2026-05-01 10:01:00Z: inside since 10:00:00Z: the dwell of 1 min is due."),
        Story(
            name: "an enter that is dated back has its dwell behind it", policy: confirming(fixes: 3),
            fence: fence { $0.dwell = 15 }, fixes: [(0, 300, 5), (10, 20, 5), (20, 20, 5), (30, 20, 5)],
            steps: [
                "0 first unknown outside", "10 pending outside entering", "20 pending entering entering",
                "30 confirmed entering inside",
            ],
            because: "third fix inside: confirmed, dated back to 10:00:10Z; its dwell is due too",
            answer:
                "anna entered Home at 2026-05-01 10:00:10Z (sure at 10:00:30Z): third fix inside: confirmed, dated back to "
                + "10:00:10Z; its dwell is due too."),
        Story(
            name: "the fence is not active", fence: fence { $0.isActive = false }, fixes: [(0, 300, 5), (10, 20, 5)],
            steps: ["0 inactive - -", "10 inactive - -"], because: "the fence is not active",
            answer: "Nothing could fire: the fence is not active."),
        Story(
            name: "the fence is for others",
            fence: fence {
                $0.devices = ["ben", "cem"]
                $0.groups = ["team"]
            }, fixes: [(0, 20, 5)], steps: ["0 notForDevice - -"],
            because: "the fence is not for this device, but for devices ben, cem and groups team",
            answer: "Nothing could fire: the fence is not for this device, but for devices ben, cem and groups team."),
    ]

    private static func confirming(fixes: Int) -> PolicyOverride {
        var policy = PolicyOverride()
        policy.confirmFixes = fixes
        return policy
    }

    @Test("Name the rule that held at each fix, and say why it fired or why not", arguments: stories)
    func rules(story: Story) throws {
        try bench.add([story.fence])
        try bench.service.put(Device(id: "anna", policy: story.policy))
        try see(story.fixes)
        let explanation = try explain()
        #expect(told(explanation) == story.steps)
        #expect(explanation.steps.last?.because == story.because)
        #expect(explanation.answer == story.answer)
        #expect(explanation.remarks.isEmpty)
    }

    @Test("Say that a late fix was not judged")
    func late() throws {
        try bench.add([Self.fence()])
        try see([(0, 300, 5), (100, 300, 5)])
        try see([(50, 20, 5)])
        let explanation = try explain()
        #expect(told(explanation) == ["0 first unknown outside", "50 late outside outside", "100 holds outside outside"])
        #expect(explanation.steps[1].because == "late: stored, not judged")
        #expect(explanation.answer.contains("lay 200 m outside"))
        #expect(explanation.remarks == ["1 fix shown here came late and is not judged."])
    }

    @Test("Go through all that a fence has been: not there, made, edited, switched off, removed, made again")
    func versions() throws {
        try bench.service.put(Device(id: "anna", policy: PolicyOverride(base: .exact)))
        try see([(0, 20, 5)])
        try bench.add([Self.fence()])
        try see([(10, 20, 5)])
        try bench.add([Self.fence { $0.shape = .circle(Circle(center: Self.home, radius: 10)) }])
        try see([(20, 5, 5)])
        try bench.add([
            Self.fence {
                $0.shape = .circle(Circle(center: Self.home, radius: 10))
                $0.isActive = false
            }
        ])
        try see([(30, 5, 5)])
        _ = try bench.service.apply([.remove(id: "home")])
        try see([(40, 5, 5)])
        try bench.add([Self.fence()])
        let explanation = try explain()
        #expect(
            told(explanation) == [
                "0 missing - -", "0 fenceChanged - inside", "10 holds inside inside", "10 fenceChanged inside outside",
                "20 confirmed outside inside", "20 fenceChanged inside -", "30 inactive - -", "30 fenceChanged - -",
                "40 missing - -", "40 fenceChanged - inside",
            ])
        #expect(
            explanation.steps.map(\.because).enumerated().filter { [0, 1, 3, 7, 8].contains($0.offset) }.map(\.element) == [
                "the fence did not exist yet", "the fence was made, and by its newest fix the device is inside",
                "the fence was edited, and by its newest fix the device is outside", "the fence was removed",
                "the fence had been removed",
            ])
        #expect(explanation.remarks.isEmpty)
        _ = try bench.service.apply([.remove(id: "home")])
        #expect(try told(explain()).last == "40 fenceChanged inside -", "a fence that was removed can be asked about")
    }

    @Test("Show so many fixes before the moment and after it, and the events around it")
    func window() throws {
        try bench.add([Self.fence()])
        let fixes = (0..<300).map { number -> Seen in
            (seconds: Double(number) * 10, north: (number / 50) % 2 == 0 ? 300 : 20, accuracy: 5)
        }
        try see(fixes)
        let explanation = try explain(at: 510, around: 2)
        #expect(explanation.steps.map { $0.at - Self.start } == [490, 500, 510, 520, 530])
        #expect(explanation.events.map(\.type) == [.enter, .exit])
        #expect(explanation.answer.hasPrefix("anna entered Home at 2026-05-01 10:08:20Z"))
        let quiet = try explain(at: 805, around: 2)
        #expect(quiet.steps.map { $0.at - Self.start } == [790, 800, 810, 820, 830])
        #expect(quiet.answer.hasPrefix("anna was in Home and did not leave: the furthest of these fixes"))
        #expect(quiet.events.map(\.type) == [.enter, .exit], "the last one before and the first one after")
        let end = try explain(around: 1)
        #expect(end.at == Self.start + 2990 && end.steps.count == 2)
        let early = try explain(at: -10, around: 1)
        #expect(
            early.answer
                == "Nothing could fire: 2026-05-01 09:59:50Z is before the first fix of anna that is stored, of 2026-05-01 10:00:00Z."
        )
    }

    @Test("Tell of a change that is dated back over the edge of what is shown")
    func edge() throws {
        try bench.add([Self.fence()])
        try bench.service.put(Device(id: "anna", policy: Self.confirming(fixes: 6)))
        try see((0...9).map { number -> Seen in (Double(number) * 10, number < 2 ? 300 : 20, 5) })
        let begin = try explain(at: 20, around: 1)
        #expect(begin.steps.map { $0.at - Self.start } == [10, 20, 30])
        #expect(
            begin.answer
                == "anna entered Home at 2026-05-01 10:00:20Z (sure at 10:01:10Z): inside: the enter is pending for 1 of 6 fixes; "
                + "what confirmed it comes after what is shown here.")
        let end = try explain(at: 70, around: 1)
        #expect(end.steps.map { $0.at - Self.start } == [60, 70, 80])
        #expect(end.answer.hasSuffix("6th fix inside: confirmed, dated back to 10:00:20Z."), "\(end.answer)")
        #expect(begin.remarks.isEmpty && end.remarks.isEmpty)
    }

    @Test("Say that positions are gone, and that the record knows more than they show")
    func gaps() throws {
        try bench.add([Self.fence()])
        try bench.service.put(Device(id: "anna", policy: PolicyOverride(base: .exact)))
        try see([(0, 300, 5), (10, 20, 5), (20, 300, 5), (30, 300, 5)])
        try bench.service.trimPositions(keeping: 1, now: Instant("2027-01-01T00:00:00Z")!)
        #expect(try explain().answer == "Nothing is known: no position of anna is stored.")
        try see([(40, 300, 5), (50, 300, 5)])
        let explanation = try explain()
        #expect(told(explanation) == ["40 first unknown outside", "50 holds outside outside"])
        #expect(explanation.remarks.count == 1 && explanation.remarks[0].contains("from the first that is left"))
        do {
            let connection = try Connection(path: bench.data.store, access: .write)
            try connection.execute("UPDATE event SET occurred_at = occurred_at + 35000, confirmed_at = occurred_at + 35000")
        }
        let reader = try GeofenceService(reading: bench.data)
        let told = try reader.explain(.init(deviceId: "anna", geofenceId: "home"))
        #expect(told.answer.hasSuffix("the fixes that are stored do not show why."))
        #expect(told.remarks.count == 2 && told.remarks[1].hasPrefix("On record is also: enter at 2026-05-01 10:00:45Z."))
    }

    @Test("Name who says each number of the policy")
    func policy() throws {
        var own = PolicyOverride()
        own.confirmFixes = 1
        try bench.add([Self.fence { $0.policy = own }])
        var device = PolicyOverride()
        device.exitMargin = 30
        try bench.service.put(Device(id: "anna", policy: device))
        try see([(0, 125, nil)])
        let explanation = try explain()
        let numbers = explanation.policy.map { "\($0.name) \(JSONValue($0.value)) \($0.source)" }
        #expect(
            numbers == [
                "accuracyCap 50 store", "maxAccuracy 250 store", "exitMargin 30 device", "confirmFixes 1 geofence",
                "confirmSeconds 0 store", "maxSpeed 340 store", "crossing 300 store",
            ])
        #expect(explanation.steps.first?.measurement?.margin == 30 && explanation.steps.first?.measurement?.reading == .band)
        try bench.service.put(Device(id: "anna", policy: PolicyOverride(base: .phone)))
        let edited = try explain()
        #expect(edited.policy.map(\.source.rawValue).filter { $0 == "device" }.count == 6)
        #expect(edited.remarks.count == 1 && edited.remarks[0].contains("edited after its first fix"))
    }

    @Test("Name who is not there")
    func unknown() throws {
        try bench.add([Self.fence()])
        try bench.service.put(Device(id: "anna"))
        let nothing = try explain()
        #expect(nothing.answer == "Nothing is known: no position of anna is stored." && nothing.at == nil)
        #expect(throws: Problem.notFound(kind: "device", id: "ana", similar: ["anna"])) {
            try bench.service.explain(.init(deviceId: "ana", geofenceId: "home"))
        }
        #expect(throws: Problem.notFound(kind: "geofence", id: "hom", similar: ["home"])) {
            try bench.service.explain(.init(deviceId: "anna", geofenceId: "hom"))
        }
    }

    @Test("A fix whose certain word is not followed is a jump")
    func jump() {
        let fence = RegionStore.FenceVersion(key: FenceKey(1), geofence: Self.fence(), start: 1)
        let before = Fix(time: Self.start, coordinate: Geodesic.direct(Self.home, azimuth: 0, distance: 12_400))
        let fix = Fix(time: Self.start + 10, coordinate: Self.home)
        let outside = PairStep.Known(standing: .outside)
        let step = PairStep(
            at: fix.time, happening: .fix(fix, isLate: false), before: outside, after: outside, previous: before, revision: 1,
            version: 0, transitions: [])
        let measurement = FenceGauge(fence.geofence, policy: .balanced)?.measure(fix)
        let found = RuleThatHeld(device: Device(id: "anna"), versions: [fence], policy: .balanced)(step, measurement)
        #expect(found.rule == .jump)
        #expect(found.because == "implies 1,240 m/s, more than 340 m/s: a jump, not believed until the next one agrees")
    }

    @Test(
        "Come to what is on record, through edits, clocks and phones that report",
        arguments: [1, 2, 3, 5, 8, 10] as [UInt64])
    func histories(seed: UInt64) throws {
        var history = LivedHistory(seed: seed)
        for (number, id) in history.devices.enumerated() {
            try bench.service.put(
                Device(
                    id: id, groups: number % 2 == 0 ? [] : ["odd"],
                    policy: number < 2 ? PolicyOverride(base: .exact) : PolicyOverride()))
        }
        for _ in 0..<150 { try history.step(bench.service) }
        func line(_ type: EventType, _ occurred: Instant, _ confirmed: Instant, _ cause: Cause) -> String {
            "\(occurred) \(type) \(confirmed) \(cause)"
        }
        var compared = 0
        for device in history.devices {
            for number in 1...8 where try bench.service.store.hasKnownGeofence(id: "f\(number)") {
                var filter = RegionStore.EventFilter()
                filter.deviceId = device
                filter.geofenceId = "f\(number)"
                var recorded: [String] = []
                try bench.service.forEachEvent(filter) {
                    recorded.append(line($0.type, $0.occurredAt, $0.confirmedAt, $0.cause))
                }
                let found = try bench.service.explain(
                    .init(deviceId: device, geofenceId: "f\(number)", around: 1000))
                let again = found.steps.flatMap(\.transitions).map {
                    line($0.type, $0.occurredAt, $0.confirmedAt, $0.cause)
                }
                #expect(again == recorded, "seed \(seed), \(device), f\(number)")
                #expect(found.steps.allSatisfy { $0.rule != .jump }, "seed \(seed)")
                for (step, next) in zip(found.steps, found.steps.dropFirst()) {
                    if step.rule == .late { continue }
                    #expect(step.after == next.before, "seed \(seed), \(device), f\(number), \(next.at)")
                }
                compared += recorded.count
            }
        }
        #expect(compared > 20, "seed \(seed)")
    }
}
