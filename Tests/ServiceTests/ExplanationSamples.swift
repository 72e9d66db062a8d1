import Geodesy
import Model

@testable import Service

/// At least one value of each case that has words in `ExplanationCatalog`. The switch in `place` is exhaustive, so a case that it lacks
/// does not compile. A case without a sample fails `ExplanationCatalogTests`.
enum ExplanationSamples {
    static let noon = Instant("2026-05-01T12:00:00Z")!
    static let time = StepReason.Time(noon + -90, beside: noon)

    static let causes = single + Explanation.State.allCases.map { StepReason.Cause.holdsIn(.outside, $0) }

    private static let single: [StepReason.Cause] = [
        .fenceNotMadeYet, .fenceGone, .fenceInactive, .fenceForOthers(devices: ["van"], groups: []),
        .fenceForOthers(devices: ["van", "bus"], groups: ["family", "team"]), .noArea, .coarse(maxAccuracy: 250),
        .band(isPending: false), .band(isPending: true), .jump(speed: 1234, most: 55.5), .leaving(meters: 1250, since: time),
        .first(.inside), .first(.outside), .pending(.inside, .enter, .init()),
        .pending(.outside, .exit, .init(fixes: .init(done: 1, of: 2), seconds: .init(done: 5, of: 20.5))),
        .sureAtOnce(.inside),
        .sureWithEarlier(.outside, time), .confirmed(.inside, count: 2, first: time, seconds: nil),
        .confirmed(.outside, count: 22, first: time, seconds: 30), .contradicted(.outside, .enter),
        .contradicted(.inside, .exit),
        .dwell(.init(stay: nil)), .dwell(.init(stay: .init(since: time, seconds: 600))), .holds(.inside),
        .wentThrough(.init(fixes: .init(done: 1, of: 2))), .nothingLeadsBack(.init(seconds: .init(done: 1, of: 20))),
        .wasThrough(since: nil), .wasThrough(since: time), .leadsBack, .entersAfterPassage(.init()), .doubtEnded, .moreExact,
        .dropped(first: time, seconds: 300), .uncontradicted(first: time, seconds: 60), .fence(.made, nil),
        .fence(.edited, .init(state: .inside, isLastBelieved: true)),
        .fence(.removed, .init(state: .outside, isLastBelieved: false)),
        .device(nil), .reported(.inside), .reported(.outside),
    ]

    static func place(_ cause: StepReason.Cause) -> Int {
        switch cause {
        case .fenceNotMadeYet: 0
        case .fenceGone: 1
        case .fenceInactive: 2
        case .fenceForOthers: 3
        case .noArea: 4
        case .coarse: 5
        case .band: 6
        case .jump: 7
        case .leaving: 8
        case .first: 9
        case .pending: 10
        case .sureAtOnce: 11
        case .sureWithEarlier: 12
        case .confirmed: 13
        case .contradicted: 14
        case .dwell: 15
        case .holds: 16
        case .holdsIn: 17
        case .wentThrough: 18
        case .nothingLeadsBack: 19
        case .wasThrough: 20
        case .leadsBack: 21
        case .entersAfterPassage: 22
        case .doubtEnded: 23
        case .dropped: 24
        case .uncontradicted: 25
        case .fence: 26
        case .device: 27
        case .reported: 28
        case .moreExact: 29
        }
    }

    /// Each cause alone, and with all values that can accompany it.
    static let reasons: [StepReason] = causes.flatMap { cause in
        let alone = StepReason(cause)
        var whole = alone
        whole.stay = .init(since: time, accuracy: 12.5)
        whole.dwell = .init(stay: .init(since: time, seconds: 3600))
        return [alone, whole]
    }

    static let inside = ExplanationAnswer.Place(device: "anna", fence: "Home", at: noon, isInside: true, notSeenSince: nil)
    static let outside = ExplanationAnswer.Place(
        device: "anna", fence: "Home", at: noon, isInside: false, notSeenSince: noon + -30_000)

    static let events: [Event] =
        EventType.allCases.flatMap { [event($0, .moved), event($0, .initial)] } + Cause.allCases.map { event(.exit, $0) }

    private static func event(_ type: EventType, _ cause: Cause) -> Event {
        let fix = Fix(time: noon, coordinate: Coordinate(latitude: 52.5, longitude: 13.4))
        return Event(
            id: "1", sequence: 1, type: type, deviceId: "anna", geofenceId: "home", geofenceName: "Home", occurredAt: noon,
            recordedAt: noon, confirmedAt: noon + 20, cause: cause, fix: fix, duration: 5400)
    }

    static let lacks: [ExplanationAnswer.Lack] = [
        .nothing, .coarse(reasons[0]), .inside(by: 12.5), .outside(by: 1250), .reason(reasons[0]),
    ]

    static func place(_ lack: ExplanationAnswer.Lack) -> Int {
        switch lack {
        case .nothing: 0
        case .coarse: 1
        case .inside: 2
        case .outside: 3
        case .reason: 4
        }
    }

    private static let fixes: [ExplanationAnswer.Missing] = lacks.flatMap { lack in
        [-0.2, 0, 1250, -.infinity, .infinity].flatMap { (distance: Double) -> [ExplanationAnswer.Missing] in
            [.fix(.enter, time, distance: distance, lack), .fix(.exit, time, distance: distance, lack)]
        }
    }

    static let missing: [ExplanationAnswer.Missing] =
        fixes + [.reason(reasons[0]), .contradicted(.enter, time), .contradicted(.exit, time), .nothingMeasured]

    static func place(_ missing: ExplanationAnswer.Missing) -> Int {
        switch missing {
        case .reason: 0
        case .contradicted: 1
        case .nothingMeasured: 2
        case .fix: 3
        }
    }

    static let answers = plain + happened + absent

    private static let plain: [ExplanationAnswer] = [
        .nothingKnown(device: "anna"), .onRecord(inside), .onRecordBefore(outside, first: noon),
        .beforeFirstFix(device: "anna", at: noon, first: noon + 60), .nothingCouldFire(at: noon, reasons[0]), .unknown(outside),
        .untold(inside, .enter, noon, reasons[0]), .untold(outside, .exit, noon, reasons[0]), .insideByFixes(outside),
    ]

    private static let happened: [ExplanationAnswer] = events.flatMap { event in
        let causes: [ExplanationAnswer.Cause] = [.step(reasons[0]), .confirmedLater(reasons[0]), .notShown]
        return causes.flatMap { cause -> [ExplanationAnswer] in
            [.happened(event, device: "anna", fence: "Home", cause), .happenedNear(inside, event, cause)]
        }
    }

    private static let absent: [ExplanationAnswer] = missing.flatMap { missing -> [ExplanationAnswer] in
        [
            .outsideByFixes(inside, missing), .stayed(inside, missing), .stayedOut(outside, isEntering: true, missing),
            .stayedOut(outside, isEntering: false, missing),
        ]
    }

    static func place(_ answer: ExplanationAnswer) -> Int {
        switch answer {
        case .nothingKnown: 0
        case .onRecord: 1
        case .onRecordBefore: 2
        case .beforeFirstFix: 3
        case .happened: 4
        case .happenedNear: 5
        case .untold: 6
        case .nothingCouldFire: 7
        case .unknown: 8
        case .insideByFixes: 9
        case .outsideByFixes: 10
        case .stayed: 11
        case .stayedOut: 12
        }
    }

    static let remarks: [ExplanationRemark] =
        EventType.allCases.map { .alsoOnRecord($0, at: noon) }
        + [.positionsRemoved, .lateFixesWait(since: noon), .lateFixesNotEvaluated(since: noon)]
        + [.backdated(isRemoved: false, from: nil, to: noon), .backdated(isRemoved: true, from: noon, to: noon)]

    static func place(_ remark: ExplanationRemark) -> Int {
        switch remark {
        case .positionsRemoved: 0
        case .lateFixesWait: 1
        case .lateFixesNotEvaluated: 2
        case .alsoOnRecord: 3
        case .backdated: 4
        }
    }

    static let remedies: [ExplanationRemedy] =
        ExplanationRemedy.Field.allCases.filter { $0 != .interval }.flatMap { field in
            [(true, true), (true, false), (false, true), (false, false)].map { isInside, isNew in
                ExplanationRemedy(
                    field: field, value: field == .maxSpeed ? .infinity : 2, subject: isNew ? .geofence : .device,
                    outcome: .init(
                        device: "anna", fence: "Home", isInside: isInside, since: isNew ? .init(noon, beside: noon) : nil))
            }
        } + [ExplanationRemedy(field: .interval, value: 300, subject: .device)]
}
