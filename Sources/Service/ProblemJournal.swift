import Model
import Reconciler
import Store

// The journal of problems: what went wrong stays on record until it is over, or until a person has seen enough of it.

extension GeofenceService {
    public typealias StandingProblem = RegionStore.StandingProblem

    /// Notes that something went wrong at a source. A problem that was dismissed is shown again when it has become another one,
    /// or is escalated by this.
    ///
    /// - Parameter source: What failed, as `registry/anna-phone`: its failures are counted together.
    public func record(_ problem: Problem, source: String) throws(Problem) {
        let now = clock.now()
        try transaction { () throws(Problem) in try recordWithin(problem, source: source, at: now) }
    }

    /// What `record(_:source:)` does, within a transaction.
    func recordWithin(_ problem: Problem, source: String, at now: Instant) throws(Problem) {
        var standing = StandingProblem(problem, source: source, at: now)
        if let before = try store.problem(ofSource: source) {
            standing.firstAt = before.firstAt
            standing.failures = before.failures + 1
            let isNews = before.code != standing.code || standing.isEscalated != before.isEscalated
            standing.dismissedAt = isNews ? nil : before.dismissedAt
        }
        try store.save(standing)
    }

    /// The standing problems of a device: of its registrations, and of what it sends.
    public func problems(of device: String) throws(Problem) -> [StandingProblem] {
        var found: [StandingProblem] = []
        for source in ["registry/\(device)", Self.intakeSource(device: device)] {
            if let problem = try store.problem(ofSource: source), problem.dismissedAt == nil { found.append(problem) }
        }
        return found
    }

    /// Notes that something went well at a source: its problem is over, and its failures are counted anew.
    public func resolve(source: String) throws(Problem) {
        guard try store.problem(ofSource: source) != nil else { return }
        try transaction { () throws(Problem) in try store.removeProblem(ofSource: source) }
    }

    /// Hides a problem. Its failures go on being counted.
    @discardableResult
    public func dismiss(problem id: String) throws(Problem) -> StandingProblem {
        guard let number = Int64(id), var problem = try store.problem(id: number) else {
            throw .notFound(kind: "problem", id: id, similar: [])
        }
        if problem.dismissedAt == nil {
            problem.dismissedAt = clock.now()
            let dismissed = problem
            try transaction { () throws(Problem) in try store.save(dismissed) }
        }
        return problem
    }

    /// The first problems by id after one.
    public func problems(
        withDismissed: Bool, after id: String?, limit: Int
    ) throws(Problem) -> Page<StandingProblem> {
        let start = id.map { Int64($0) ?? -1 } ?? 0
        guard start >= 0 else {
            throw .validationFailed(field: "after", value: id ?? "", reason: "it names no problem", expected: "what 'next' said")
        }
        return Page(try store.problems(withDismissed: withDismissed, after: start, limit: limit + 1), limit: limit) {
            String($0.id)
        }
    }

    /// Notes how a repair of a device's registrations ended.
    public func note(_ report: RepairReport) throws(Problem) {
        let source = "registry/\(report.after.device.id)"
        if let problem = report.problem {
            try record(problem, source: source)
        } else {
            try resolve(source: source)
        }
    }
}

extension RegionStore.StandingProblem {
    /// From so many failures on, one after the other, a problem is escalated.
    public static let escalation = 3

    public var isEscalated: Bool { failures >= Self.escalation }

    /// `{"id","source","problem","firstAt","lastAt","consecutiveFailures","isEscalated","isDismissed"}`
    public func json(in language: Language) -> JSONValue {
        [
            "id": .string(String(id)), "source": .string(source),
            "problem": words[language.rawValue] ?? words[Language.english.rawValue] ?? .null, "firstAt": JSONValue(firstAt),
            "lastAt": JSONValue(lastAt), "consecutiveFailures": JSONValue(failures), "isEscalated": .bool(isEscalated),
            "isDismissed": .bool(dismissedAt != nil),
        ]
    }
}
