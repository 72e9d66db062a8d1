import Model
import Store

// The problem journal: a problem stays open until it is resolved, and is shown until a person dismisses it. Each source (a phone's
// registry, a device's input, a task of the service) records its failures here and resolves them.

extension Queries {
    package typealias OpenProblem = PicketStore.OpenProblem

    package typealias DeviceProblem = PicketStore.DeviceProblem

    package typealias ProblemTotals = PicketStore.ProblemTotals

    /// The open problem with this id, whether it is dismissed or not. Throws `Problem.notFound` if there is none.
    package func problem(id: String) throws(Problem) -> OpenProblem {
        if id == String(StoreProblem.id), let problem = shownStoreProblem?.current { return problem }
        guard let number = Int64(id), let problem = try store.problem(id: number) else {
            throw .notFound(kind: .problem, id: id, similar: [])
        }
        return problem
    }

    /// At most `limit` open problems after an id, sorted by id. The problem of the store itself comes first.
    ///
    /// - Parameter withDismissed: Whether dismissed problems are included.
    package func problems(
        withDismissed: Bool, after id: String?, limit: Int
    ) throws(Problem) -> Page<OpenProblem> {
        let start = id.map { Int64($0) ?? -1 } ?? 0
        guard start >= 0 else {
            throw .validationFailed(
                field: "after", value: id ?? "", reason: .namesNothing(.problem), expected: .whatWasSaid("next"))
        }
        let moment = withDismissed ? Instant.latest : endOfDismissal
        let first = id == nil ? shownStoreProblem?.current : nil
        let shown = [first].compactMap { $0 }.filter { withDismissed || !$0.isDismissed(at: clock.now()) }
        let kept = try store.problems(dismissedBefore: moment, after: start, limit: limit + 1)
        return Page(shown + kept, limit: limit) { String($0.id) }
    }

    /// The open problems of a device's registrations and input that are not dismissed.
    package func problems(of device: String) throws(Problem) -> [OpenProblem] {
        var found: [OpenProblem] = []
        for source in Self.problemSources(ofDevice: device) {
            if let problem = try store.problem(ofSource: source), !problem.isDismissed(at: clock.now()) { found.append(problem) }
        }
        return found
    }

    /// The sources of all problems that a device can have.
    package static func problemSources(ofDevice device: String) -> [String] {
        DeviceProblem.allCases.map { $0.source(of: device) }
    }

    /// The numbers of open problems that are not dismissed.
    package func problemTotals() throws(Problem) -> ProblemTotals {
        try recordedProblemTotals().adding(shownStoreProblem?.current, at: clock.now())
    }

    /// The numbers of open problems in the journal, without the problem of the store itself.
    package func recordedProblemTotals() throws(Problem) -> ProblemTotals {
        guard hasStore else { return ProblemTotals(standing: 0, escalated: 0) }
        return try store.problemTotals(dismissedBefore: endOfDismissal, escalatedFrom: OpenProblem.escalation)
    }

    /// A problem that was dismissed before this moment is shown again.
    package var endOfDismissal: Instant { clock.now() + -OpenProblem.dismissal }
}

extension ServiceWriter {
    /// Records the outcome of a task: a problem, or nil for success.
    ///
    /// - Parameter source: The source of the outcome, for example `registry/anna-phone`. Consecutive failures of a source are counted
    ///   together.
    package func record(outcome problem: Problem?, source: String) throws(Problem) {
        if let problem { try record(problem, source: source) } else { try resolve(source: source) }
    }

    /// Records a problem of a source. A dismissed problem is shown again if it has changed, if this failure escalates it, if it has failed
    /// twice as often as when it was dismissed, or after a day.
    ///
    /// - Parameters:
    ///   - now: When it happened; nil for the clock's time.
    ///   - isFailure: Whether something has failed once more. Otherwise the problem replaces the open one with its count.
    package func record(_ problem: Problem, source: String, at now: Instant? = nil, isFailure: Bool = true) throws(Problem) {
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            try record(problem, source: source, at: now, isFailure: isFailure, in: transaction)
        }
    }

    /// Records a problem like `record(_:source:at:isFailure:)`, within a transaction.
    package func record(
        _ problem: Problem, source: String, at now: Instant? = nil, isFailure: Bool = true, in transaction: borrowing Transaction
    ) throws(Problem) {
        let now = now ?? clock.now()
        let standing = OpenProblem(problem, source: source, at: now)
        try store.save(standing.following(try store.problem(ofSource: source), isFailure: isFailure, at: now), in: transaction)
        try publishProblem(source)
    }

    /// Resolves the problem of a source, and resets its count of failures.
    package func resolve(source: String) throws(Problem) {
        // Most sources have no problem, and then nothing has to be written.
        if try store.problem(ofSource: source) == nil { return }
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            try resolve(source: source, in: transaction)
        }
    }

    /// Resolves the problem of a source like `resolve(source:)`, within a transaction.
    package func resolve(source: String, in transaction: borrowing Transaction) throws(Problem) {
        guard let standing = try store.problem(ofSource: source) else { return }
        try store.removeProblem(ofSource: source, in: transaction)
        publish(ServiceNotice(resolutionOf: standing))
    }

    /// Hides a problem until it changes, at most for a day. Its failures continue to be counted. A loss of a journal happens once, so
    /// its dismissal resolves it.
    @discardableResult
    package func dismiss(problem id: String) throws(Problem) -> OpenProblem {
        let problem = try self.problem(id: id)
        if problem.id == StoreProblem.id {
            // The problem may have just been resolved.
            guard let dismissed = storeProblem?.dismiss() else { throw .notFound(kind: .problem, id: id, similar: []) }
            return dismissed
        }
        if problem.isDismissed(at: clock.now()) { return problem }
        let dismissed = problem.dismissed(at: clock.now())
        if dismissed.source.hasPrefix(DeviceProblem.journal.rawValue) || dismissed.source == Self.damagedDeviceSource {
            try resolve(source: dismissed.source)
            return dismissed
        }
        try transaction(ofJournal: true) { (transaction: borrowing Transaction) throws(Problem) in
            try store.save(dismissed, in: transaction)
            try publishProblem(dismissed.source)
        }
        return dismissed
    }

    /// Publishes a notice of a source's current problem.
    private func publishProblem(_ source: String) throws(Problem) {
        guard news != nil, let standing = try store.problem(ofSource: source) else { return }
        let now = clock.now()
        publish(
            ServiceNotice(
                .problem, deviceId: standing.deviceId,
                in: { ShownProblem(standing, at: now).json(in: AnswerLocale($0, contact: supportContact)) }))
    }
}

extension PicketStore.OpenProblem {
    /// The number of consecutive failures from which on a problem is escalated.
    static let escalation = 3
    /// Seconds after which a dismissed problem is shown again: one day.
    static let dismissal = 86_400.0

    package var isEscalated: Bool { failures >= Self.escalation }

    /// Whether the problem is hidden because a person dismissed it less than a day ago.
    package func isDismissed(at now: Instant) -> Bool { dismissedAt.map { now - $0 < Self.dismissal } ?? false }

    /// The id of the device that the problem concerns; nil if it does not concern a device.
    var deviceId: String? { ProblemSource(source).deviceID }

    /// This problem as the next one of its source, with the count and the dismissal of the open problem.
    ///
    /// - Parameters:
    ///   - before: The source's open problem; nil if there is none.
    ///   - isFailure: Whether something has failed once more.
    func following(_ before: Self?, isFailure: Bool = true, at now: Instant) -> Self {
        guard let before else { return self }
        var next = self
        next.id = before.id
        next.firstAt = before.firstAt
        next.failures = before.failures + (isFailure ? 1 : 0)
        if !next.isNoteworthy(after: before, at: now) {
            next.dismissedAt = before.dismissedAt
            next.dismissedFailures = before.dismissedFailures
        }
        return next
    }

    /// A copy of the problem that is dismissed.
    func dismissed(at now: Instant) -> Self {
        var dismissed = self
        dismissed.dismissedAt = now
        dismissed.dismissedFailures = failures
        return dismissed
    }

    /// Whether a person who dismissed the preceding problem should see this one.
    fileprivate func isNoteworthy(after before: Self, at now: Instant) -> Bool {
        guard before.isDismissed(at: now) else { return true }
        // The first escalation shows a problem again. After that, it is shown again when the number of failures has doubled.
        return identity != before.identity || isEscalated != before.isEscalated
            || failures >= 2 * max(Self.escalation, before.dismissedFailures ?? 0)
    }

    /// What identifies a problem of a source: its code and its parameters, without those that differ between failures.
    private var identity: [String] {
        let parameters = words[Language.english.rawValue]?["parameters"]?.members ?? []
        let passing: Set = [
            "details", "detailsIn", "reason", "reasonIn", "retryAfter", "value", "time", "lag", "meters", "times", "seconds",
        ]
        return [code] + parameters.filter { !passing.contains($0.name) }.map { "\($0.name)=\($0.value)" }
    }

    /// The problem; nil if a newer version of Picket recorded it.
    package var problem: Problem? {
        Problem(code: code, parameters: words[Language.english.rawValue]?["parameters"] ?? .null)
    }
}

extension Queries {
    /// The language and the contact for an answer.
    package func locale(_ language: Language) -> AnswerLocale { AnswerLocale(language, contact: supportContact) }

    /// An open problem as JSON for people.
    package func json(_ problem: OpenProblem, in language: Language) -> JSONValue {
        ShownProblem(problem, at: clock.now()).json(in: locale(language))
    }
}

extension PicketStore.ProblemTotals: JSONWritable {
    package static let output = JSONOutput<PicketStore.ProblemTotals>(
        "ProblemTotals", summary: "The numbers of open problems that are not dismissed",
        .init("standing", kind: .whole, summary: "Open problems", content: \.standing),
        .init("escalated", kind: .whole, summary: "Problems that have failed three times or more", content: \.escalated))

    /// These numbers plus a problem, if it is not nil and not dismissed.
    package func adding(_ problem: PicketStore.OpenProblem?, at now: Instant) -> Self {
        guard let problem, !problem.isDismissed(at: now) else { return self }
        return .init(standing: standing + 1, escalated: escalated + (problem.isEscalated ? 1 : 0))
    }
}

extension ServiceNotice {
    /// A notice that a problem was resolved: `{"id","source","isResolved":true}`.
    init(resolutionOf problem: PicketStore.OpenProblem) {
        self.init(
            .problem, deviceId: problem.deviceId,
            ["id": .string(String(problem.id)), "source": .string(problem.source), "isResolved": true])
    }
}
