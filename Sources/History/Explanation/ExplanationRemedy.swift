import Core
import Geodesy
import Model
import Monitor
import Store

/// A single change that would lead the engine to another decision about the moment of an explanation.
struct ExplanationRemedy: Hashable, Sendable {
    /// What is changed.
    enum Field: String, CaseIterable, Sendable {
        // Fields of a policy
        case confirmFixes, confirmSeconds, exitMargin, accuracyCap, maxAccuracy, stay, crossing, maxSpeed
        /// The radius of the geofence.
        case radius
        /// How often the device reports its position. It is unknown whether this would have changed anything.
        case interval
    }

    /// Whose value is changed.
    enum Subject: String, CaseIterable, Sendable { case geofence, device }

    /// Where the device would have been.
    struct Outcome: Hashable, Sendable {
        var device: String
        var fence: String
        var isInside: Bool
        /// When the device would have entered or left; nil if it would have stayed where it was.
        var since: StepReason.Time?
    }

    var field: Field
    /// In the unit of the field; infinite for no limit.
    var value: Double
    var subject: Subject
    /// Nil for `interval`, whose effect is not known.
    var outcome: Outcome?
    /// The command that makes the change; nil if there is none.
    var command: String?
    /// The command that tries the change on the stored positions, without storing anything; nil if there is none.
    var trial: String?

    /// As a sentence.
    func words(in language: Language = .english, zone: LocalTimeZone = .utc) -> String {
        phrase(in: zone).text(in: language)
    }

    private func phrase(in zone: LocalTimeZone) -> Phrase {
        guard let outcome else {
            return Phrase(
                """
                Only one position is inside. If the device reported more often than every \(duration: value), more could be.
                """)
        }
        let (device, fence) = (outcome.device, outcome.fence)
        return switch (outcome.isInside, outcome.since?.text(in: zone)) {
        case (true, let time?): Phrase("With \(change), \(device) would have entered \(fence) at \(time).")
        case (true, nil): Phrase("With \(change), \(device) would have stayed in \(fence).")
        case (false, let time?): Phrase("With \(change), \(device) would have left \(fence) at \(time).")
        case (false, nil): Phrase("With \(change), \(device) would not have entered \(fence).")
        }
    }

    private var change: Phrase {
        let name = field.rawValue
        return switch (field, subject, value.isFinite) {
        case (.radius, _, _): Phrase("a radius of \(length: value)")
        case (_, .geofence, true): Phrase("\(name) \(field.amount(value)) for this geofence")
        case (_, .geofence, false): Phrase("no \(name) for this geofence")
        case (_, .device, true): Phrase("\(name) \(field.amount(value)) for this device")
        case (_, .device, false): Phrase("no \(name) for this device")
        }
    }
}

extension ExplanationRemedy.Field {
    /// A value with its unit.
    func amount(_ value: Double) -> Phrase {
        switch self {
        case .confirmFixes, .stay: Phrase("\(tenths: value)")
        case .confirmSeconds, .crossing, .interval: Phrase("\(tenths: value) s")
        case .exitMargin, .accuracyCap, .maxAccuracy, .radius: Phrase("\(length: value)")
        case .maxSpeed: Phrase("\(tenths: value) m/s")
        }
    }
}

extension ExplanationRemedy: JSONWritable {
    static let output = JSONOutput<ExplanationRemedy>(
        "ExplanationRemedy", summary: "A single change that would have led to another decision",
        .init(
            "field", kind: .word,
            summary: "A field of the policy, radius (meters), or interval (seconds between positions), whose effect is not known",
            content: \.field),
        .init("value", kind: .limit("none"), summary: "The value; none: no limit", content: \.value),
        .init("subject", kind: .word, summary: "Whose value it is", content: \.subject),
        .init("summary", kind: .text, summary: "What would have happened, in one sentence") {
            $0.words(in: $1.language, zone: $1.zone)
        },
        .init("command", optional: .text, summary: "The command that makes the change", content: \.command),
        .init(
            "try", optional: .text, summary: "The command that tries it on the stored positions, and stores nothing",
            content: \.trial))
}

/// Searches for a remedy: evaluates the positions around a moment again, each time with one change, until the outcome differs.
///
/// It runs the engine and knows none of its rules. The cost is limited: about 40 runs over at most 2,000 positions.
struct RemedySearch {
    private let device: Device
    private let fence: PicketStore.FenceVersion
    /// The store's policy.
    private let policy: DecisionPolicy
    private let at: Instant
    /// In order of time.
    private let fixes: [Fix]
    /// A period. If a transition in it only happens earlier or later, that does not count as another outcome.
    private let period: ClosedRange<Instant>
    /// Deadlines before this moment have fired.
    private let end: Instant

    /// The numbers of positions before and after the moment that are evaluated.
    static let mostBefore = 1000
    static let mostAfter = 1000
    /// `period` extends at least this many seconds before and after the moment.
    static let leastPeriod = 600.0

    init(
        device: Device, fence: PicketStore.FenceVersion, policy: DecisionPolicy, at: Instant, fixes: [Fix],
        steps: [Explanation.Step]
    ) {
        (self.device, self.fence, self.policy, self.at, self.fixes) = (device, fence, policy, at, fixes)
        let (first, last) = (steps.first?.at ?? at, steps.last?.at ?? at)
        period = min(first, at + -Self.leastPeriod)...max(last, at + Self.leastPeriod)
        end = last + 0.001
    }

    // MARK: - Outcomes

    /// The enters and exits of one evaluation, in order of time.
    private struct Course {
        var changes: [(at: Instant, isEnter: Bool)] = []

        func isInside(at moment: Instant) -> Bool { changes.last { $0.at <= moment }?.isEnter ?? false }

        /// Whether the device is inside at the beginning of a period and after each change in it.
        func states(in period: ClosedRange<Instant>) -> [Bool] {
            [isInside(at: period.lowerBound)]
                + changes.filter { period.lowerBound < $0.at && $0.at <= period.upperBound }.map(\.isEnter)
        }
    }

    private func course(_ geofence: Geofence, _ device: Device) -> Course {
        let engine = TransitionEngine(fences: FenceSet(revision: 0, [.init(key: fence.key, geofence: geofence)]))
        var state = DeviceState(device: device, policy: policy)
        var found: [Transition] = []
        for fix in fixes { engine.observe(fix, &state, into: &found) }
        engine.advance(before: end, &state, into: &found)
        let changes = found.filter { [.enter, .exit].contains($0.type) }.map { (at: $0.occurredAt, isEnter: $0.type == .enter) }
        return Course(changes: changes.sorted { $0.at < $1.at })
    }

    /// How another evaluation differs at the moment, or between the positions around it. Nil if it does not, or if only the time
    /// of a transition differs.
    private func difference(_ other: Course, from known: Course) -> ExplanationRemedy.Outcome? {
        let (states, others) = (known.states(in: period), other.states(in: period))
        if states == others { return nil }
        // The positions that would show a later transition may still be to come.
        let recently = fixes.suffix(3).first?.time ?? at
        for (shorter, longer, course) in [(states, others, other), (others, states, known)] {
            if longer.dropLast().elementsEqual(shorter), let last = course.changes.last?.at, last >= recently { return nil }
        }
        let first = fixes.last { $0.time <= at }?.time ?? at
        let last = fixes.first { $0.time > at }?.time ?? at
        let moments = [at, first, last] + (known.changes + other.changes).map(\.at).filter { first <= $0 && $0 <= last }
        guard let moment = moments.first(where: { other.isInside(at: $0) != known.isInside(at: $0) }) else { return nil }
        let change = other.changes.last { $0.at <= moment }
        let isNew =
            change.map { change in !known.changes.contains { $0.at == change.at && $0.isEnter == change.isEnter } } ?? false
        return .init(
            device: device.id, fence: fence.geofence.name, isInside: other.isInside(at: moment),
            since: isNew ? change.map { .init($0.at, beside: at) } : nil)
    }

    // MARK: - Changes

    /// The first change with another outcome; nil if there is none, or if the positions alone do not lead to what is on record.
    ///
    /// - Parameter isInside: Whether the device was inside at the moment, as the record says.
    func remedy(isInside: Bool) -> ExplanationRemedy? {
        let known = course(fence.geofence, device)
        guard known.isInside(at: at) == isInside else { return nil }
        for (field, value) in policyChanges {
            let own = fence.geofence.policy.setting(field, to: value)
            let usual = device.policy.setting(field, to: value)
            var (changedFence, changedDevice) = (fence.geofence, device)
            (changedFence.policy, changedDevice.policy) = (own, usual)
            let forDevice = difference(course(fence.geofence, changedDevice), from: known)
            let trial = forDevice.map { _ in "picket replay --device \(Self.word(device.id)) --policy \(Self.text(usual))" }
            if let outcome = difference(course(changedFence, device), from: known) {
                return ExplanationRemedy(
                    field: field, value: value, subject: .geofence, outcome: outcome,
                    command: "picket geofence edit \(Self.word(fence.geofence.id)) --policy \(Self.text(own))", trial: trial)
            }
            if let forDevice {
                return ExplanationRemedy(
                    field: field, value: value, subject: .device, outcome: forDevice,
                    command: "picket device edit \(Self.word(device.id)) --policy \(Self.text(usual))", trial: trial)
            }
        }
        guard case .circle(let circle) = fence.geofence.shape else { return nil }
        for factor in [1.1, 0.9, 1.25, 0.75, 1.5, 0.5] {
            let radius = (circle.radius * factor).rounded()
            guard radius >= 1, radius != circle.radius else { continue }
            var changed = fence.geofence
            changed.shape = .circle(Circle(center: circle.center, radius: radius))
            guard let outcome = difference(course(changed, device), from: known) else { continue }
            let center = circle.center
            return ExplanationRemedy(
                field: .radius, value: radius, subject: .geofence, outcome: outcome,
                command: "picket geofence edit \(Self.word(fence.geofence.id)) --circle "
                    + "\(center.latitude),\(center.longitude),\(Format.decimal(radius, 0))")
        }
        return nil
    }

    /// The changes of the policy, those with the smallest effect first.
    private var policyChanges: [(field: ExplanationRemedy.Field, value: Double)] {
        let held = fence.geofence.policy.applied(to: device.policy.applied(to: policy))
        let margin = FenceMeter(fence.geofence, policy: held).map { $0.margin } ?? held.exitMargin.minimum
        var changes: [(field: ExplanationRemedy.Field, value: Double)] = []
        func add(_ field: ExplanationRemedy.Field, _ values: Double..., instead known: Double) {
            for value in values where value != known && !value.isNaN { changes.append((field, value)) }
        }
        let fixes = Double(held.confirmFixes)
        add(.confirmFixes, 1, fixes + 1, fixes + 2, instead: fixes)
        add(.confirmSeconds, 0, instead: held.confirmSeconds)
        add(.exitMargin, (margin / 2).rounded(), (margin * 2).rounded(), 0, instead: margin)
        add(.accuracyCap, 0, instead: held.accuracyCap)
        add(.maxAccuracy, held.maxAccuracy * 2, held.maxAccuracy * 4, instead: held.maxAccuracy)
        add(.stay, 0, instead: held.stay)
        add(.crossing, 0, 900, 3600, instead: held.crossing)
        add(.maxSpeed, .infinity, instead: held.maxSpeed)
        return changes
    }

    private static func text(_ policy: PolicyOverride) -> String { (policy.json?.description ?? "none").shellQuoted }

    /// An id as a word of a command.
    private static func word(_ id: String) -> String {
        id.utf8.allSatisfy { byte in
            byte >= 48 && byte <= 57 || byte >= 65 && byte <= 90 || byte >= 97 && byte <= 122 || "._-".utf8.contains(byte)
        } ? id : id.shellQuoted
    }
}

extension PolicyOverride {
    /// The override with another value of a field.
    fileprivate func setting(_ field: ExplanationRemedy.Field, to value: Double) -> PolicyOverride {
        var changed = self
        switch field {
        case .confirmFixes: changed.confirmFixes = Int(value)
        case .confirmSeconds: changed.confirmSeconds = value
        case .exitMargin: changed.exitMargin = value
        case .accuracyCap: changed.accuracyCap = value
        case .maxAccuracy: changed.maxAccuracy = value
        case .stay: changed.stay = value
        case .crossing: changed.crossing = value
        case .maxSpeed: changed.maxSpeed = value
        case .radius, .interval: break
        }
        return changed
    }
}

extension ExplanationRemedy {
    /// The remedy if only one position lay inside, and those before and after it lay outside: more frequent positions. Nothing
    /// else could show a visit. The value is the time between the positions.
    ///
    /// - Parameter steps: The steps around the moment.
    static func interval(_ device: String, at: Instant, _ steps: [Explanation.Step]) -> ExplanationRemedy? {
        let measured = steps.filter { $0.fix != nil && ($0.measurement?.distance.isFinite ?? false) }
        func isInside(_ index: Int) -> Bool { measured[index].measurement.map { $0.distance <= 0 } ?? false }
        let next = measured.firstIndex { $0.at > at } ?? measured.endIndex
        guard let place = [next - 1, next].first(where: { measured.indices.contains($0) && isInside($0) }), place > 0,
            place + 1 < measured.count, !isInside(place - 1),
            !isInside(place + 1)
        else { return nil }
        let gap = max(measured[place].at - measured[place - 1].at, measured[place + 1].at - measured[place].at)
        return gap < 2 ? nil : ExplanationRemedy(field: .interval, value: gap, subject: .device)
    }
}
