import Model
import Reconciler
import Store

// The journal of problems: what went wrong stays on record until it is over, or until a person has seen enough of it. Every source (a
// phone's registry, a device's input, a job of the service) records its failures and resolves them here.

extension Queries {
    public typealias StandingProblem = RegionStore.StandingProblem

    public typealias ProblemTotals = RegionStore.ProblemTotals

    /// The standing problem of that id, dismissed or not.
    public func problem(id: String) throws(Problem) -> StandingProblem {
        if id == String(StoreProblem.id), let problem = storeProblem?.current { return problem }
        guard let number = Int64(id), let problem = try store.problem(id: number) else {
            throw .notFound(kind: "problem", id: id, similar: [])
        }
        return problem
    }

    /// The first problems by id after one, beginning with that of the store itself.
    ///
    /// - Parameter withDismissed: Also those that a person has dismissed.
    public func problems(
        withDismissed: Bool, after id: String?, limit: Int
    ) throws(Problem) -> Page<StandingProblem> {
        let start = id.map { Int64($0) ?? -1 } ?? 0
        guard start >= 0 else {
            throw .validationFailed(field: "after", value: id ?? "", reason: "it names no problem", expected: "what 'next' said")
        }
        let moment = withDismissed ? Instant.latest : endOfDismissal
        let first = id == nil ? storeProblem?.current : nil
        let shown = [first].compactMap { $0 }.filter { withDismissed || !$0.isDismissed(at: clock.now()) }
        let kept = try store.problems(dismissedBefore: moment, after: start, limit: limit + 1)
        return Page(shown + kept, limit: limit) { String($0.id) }
    }

    /// The standing problems of a device that nobody has dismissed: of its registrations, and of what it sends.
    public func problems(of device: String) throws(Problem) -> [StandingProblem] {
        var found: [StandingProblem] = []
        for source in Self.problemSources(ofDevice: device) {
            if let problem = try store.problem(ofSource: source), !problem.isDismissed(at: clock.now()) { found.append(problem) }
        }
        return found
    }

    /// The sources of the problems that a device can have.
    static func problemSources(ofDevice device: String) -> [String] {
        [registrySource(device: device), intakeSource(device: device)]
    }

    /// How many problems stand that nobody has dismissed.
    public func problemTotals() throws(Problem) -> ProblemTotals {
        try recordedProblemTotals().adding(storeProblem?.current, at: clock.now())
    }

    /// The same without the problem of the store itself.
    public func recordedProblemTotals() throws(Problem) -> ProblemTotals {
        guard hasStore else { return ProblemTotals(standing: 0, escalated: 0) }
        return try store.problemTotals(dismissedBefore: endOfDismissal, escalatedFrom: StandingProblem.escalation)
    }

    /// What was dismissed before this moment is shown again.
    fileprivate var endOfDismissal: Instant { clock.now() + -StandingProblem.dismissal }

    // MARK: - Registrations

    /// The source of the problems of a device's registrations.
    public static func registrySource(device: String) -> String { registryPrefix + device }

    static let registryPrefix = "registry/"

    /// What led to knowing the health of a device's registrations.
    public enum HealthOccasion: Sendable {
        /// Somebody looked. Only a health that is new is a failure.
        case look
        /// A look that a repair or a failure follows, which will tell.
        case lookBeforeRepair
        /// A repair has ended, or an app has reported: each unhealthy one is a failure.
        case attempt
    }

    /// How the devices are whose journal says something else of their registrations than is so, though nobody has done anything: those that have
    /// recovered by themselves or are not managed any more, and those whose app has reported nothing for too long.
    public func changedHealth() throws(Problem) -> [GeofenceHealthStatus] {
        guard hasStore else { return [] }
        var changed: [GeofenceHealthStatus] = []
        for source in try store.problemSources(startingWith: Self.registryPrefix) {
            let id = String(source.dropFirst(Self.registryPrefix.count))
            guard let stored = try store.device(id: id) else { continue }
            let status = try health(of: stored.device).status
            if status.isHealthy == true || !status.isManaged { changed.append(status) }
        }
        try forEachHealth { status throws(Problem) in
            if status.isStale, try isNews(status) { changed.append(status) }
        }
        return changed
    }
}

extension ServiceWriter {
    /// Records a source's outcome: a problem, or with nil that all is well.
    ///
    /// - Parameter source: What it came from, as `registry/anna-phone`: its failures are counted together.
    public func record(outcome problem: Problem?, source: String) throws(Problem) {
        if let problem { try record(problem, source: source) } else { try resolve(source: source) }
    }

    /// Records that something went wrong at a source. A problem that was dismissed is shown again when it has changed, when this
    /// escalates it, when it has failed twice as often as when it was dismissed, or a day later.
    public func record(_ problem: Problem, source: String) throws(Problem) {
        let now = clock.now()
        try transaction(ofJournal: true) { () throws(Problem) in try recordWithin(problem, source: source, at: now) }
    }

    /// What `record(_:source:)` does, within a transaction.
    func recordWithin(_ problem: Problem, source: String, at now: Instant) throws(Problem) {
        let standing = StandingProblem(problem, source: source, at: now)
        try store.save(standing.following(try store.problem(ofSource: source), at: now))
        try tell(source)
    }

    /// Records that something went well at a source: its problem is over, and its failures are counted anew.
    public func resolve(source: String) throws(Problem) {
        guard try store.problem(ofSource: source) != nil else { return }
        try transaction(ofJournal: true) { () throws(Problem) in try resolveWithin(source: source) }
    }

    /// What `resolve(source:)` does, within a transaction.
    func resolveWithin(source: String) throws(Problem) {
        guard let standing = try store.problem(ofSource: source) else { return }
        try store.removeProblem(ofSource: source)
        publish(ServiceNotice(resolutionOf: standing))
    }

    /// Hides a problem until there is news of it, or for a day. Its failures go on being counted.
    @discardableResult
    public func dismiss(problem id: String) throws(Problem) -> StandingProblem {
        let problem = try self.problem(id: id)
        if problem.id == StoreProblem.id {
            // It may just have ended.
            guard let dismissed = storeProblem?.dismiss() else { throw .notFound(kind: "problem", id: id, similar: []) }
            return dismissed
        }
        if problem.isDismissed(at: clock.now()) { return problem }
        let dismissed = problem.dismissed(at: clock.now())
        try transaction(ofJournal: true) { () throws(Problem) in
            try store.save(dismissed)
            try tell(dismissed.source)
        }
        return dismissed
    }

    /// Resolves the problems of input that names no device, where none has come for a day: nothing else can tell that it is over.
    public func resolveNamelessIntake() throws(Problem) {
        let end = endOfDismissal
        for source in try store.problemSources(startingWith: Self.namelessIntake) where !source.hasPrefix(Self.intakePrefix) {
            guard let standing = try store.problem(ofSource: source), standing.lastAt < end else { continue }
            try resolve(source: source)
        }
    }

    /// Tells watchers of a source's problem as it is now.
    private func tell(_ source: String) throws(Problem) {
        guard onNotice != nil, let standing = try store.problem(ofSource: source) else { return }
        let now = clock.now()
        publish(
            ServiceNotice(
                .problem, deviceId: standing.deviceId, standing.json(in: .english, contact: supportContact, at: now)))
    }

    /// Keeps the health of a device when it has changed, and records or resolves its problem.
    ///
    /// - Parameter problem: What a repair knows better than the health; nil for the problem that the health is.
    public func record(
        _ status: GeofenceHealthStatus, _ occasion: HealthOccasion = .look, problem: Problem? = nil
    ) throws(Problem) {
        let now = clock.now()
        try transaction { () throws(Problem) in try recordWithin(status, occasion, problem: problem, at: now) }
    }

    /// What `record(_:_:problem:)` does, within a transaction.
    func recordWithin(
        _ status: GeofenceHealthStatus, _ occasion: HealthOccasion, problem: Problem? = nil, at now: Instant
    ) throws(Problem) {
        let source = Self.registrySource(device: status.device.id)
        // Registrations that nobody manages any more have no problem.
        guard status.isManaged else { return try resolveWithin(source: source) }
        let key = try storedDevice(id: status.device.id).key
        let isNews = try store.isNews(status, of: key)
        if isNews {
            try store.append(status, of: key, at: now)
            publish(ServiceNotice(.health, deviceId: status.device.id, status.json(saved: 0)))
        }
        if let problem = problem ?? status.problem {
            if occasion == .attempt || occasion == .look && isNews { try recordWithin(problem, source: source, at: now) }
        } else {
            try resolveWithin(source: source)
        }
    }

    /// Keeps the report of a repair that has ended, and records or resolves the device's problem.
    func record(_ report: RepairReport, of device: DeviceKey) throws(Problem) {
        let now = clock.now()
        try transaction { () throws(Problem) in
            try store.append(report, of: device, at: now)
            try recordWithin(report.after, .attempt, problem: report.problem, at: now)
            publish(
                ServiceNotice(
                    .repair, deviceId: report.after.device.id,
                    [
                        "deviceId": .string(report.after.device.id), "calls": JSONValue(report.calls),
                        "left": JSONValue(report.left.count), "statusSummary": .string(report.after.statusSummary),
                    ]))
        }
    }
}

extension RegionStore.StandingProblem {
    /// From so many failures on, one after the other, a problem is escalated.
    public static let escalation = 3
    /// A problem that was dismissed is shown again after so many seconds: a day.
    public static let dismissal = 86_400.0

    public var isEscalated: Bool { failures >= Self.escalation }

    /// Whether it is hidden: a person has dismissed it, less than a day ago.
    public func isDismissed(at now: Instant) -> Bool { dismissedAt.map { now - $0 < Self.dismissal } ?? false }

    /// Whom it is about; nil when it is not a device.
    public var deviceId: String? {
        for prefix in [Queries.registryPrefix, Queries.intakePrefix] where source.hasPrefix(prefix) {
            return String(source.dropFirst(prefix.count))
        }
        return nil
    }

    /// This problem as the next failure of its source.
    ///
    /// - Parameter before: The problem that stood until now; nil when this is the source's first failure.
    func following(_ before: Self?, at now: Instant) -> Self {
        guard let before else { return self }
        var next = self
        next.id = before.id
        next.firstAt = before.firstAt
        next.failures = before.failures + 1
        if !next.isNews(after: before, at: now) {
            next.dismissedAt = before.dismissedAt
            next.dismissedFailures = before.dismissedFailures
        }
        return next
    }

    /// This problem as a person has dismissed it.
    func dismissed(at now: Instant) -> Self {
        var dismissed = self
        dismissed.dismissedAt = now
        dismissed.dismissedFailures = failures
        return dismissed
    }

    /// Whether a person who has dismissed the one before wants to know of this one.
    fileprivate func isNews(after before: Self, at now: Instant) -> Bool {
        guard before.isDismissed(at: now) else { return true }
        // Before it is escalated, that is what comes next; from then on it counts when there are twice as many failures.
        return identity != before.identity || isEscalated != before.isEscalated
            || failures >= 2 * max(Self.escalation, before.dismissedFailures ?? 0)
    }

    /// What makes two problems of a source the same: their code and their values, but for those that differ from one failure to the
    /// next.
    private var identity: [String] {
        let parameters = words[Language.english.rawValue]?["parameters"]?.members ?? []
        let passing: Set = ["details", "reason", "retryAfter"]
        return [code] + parameters.filter { !passing.contains($0.name) }.map { "\($0.name)=\($0.value)" }
    }

    /// The problem itself; nil when it is of a newer Picket.
    public var problem: Problem? {
        Problem(code: code, parameters: words[Language.english.rawValue]?["parameters"] ?? .null)
    }

    /// `{"id","source","problem","firstAt","lastAt","consecutiveFailures","isEscalated","isDismissed"}`
    ///
    /// - Parameter contact: See `Problem.json(in:contact:)`.
    public func json(in language: Language, contact: SupportContact?, at now: Instant) -> JSONValue {
        let recorded = words[language.rawValue] ?? words[Language.english.rawValue] ?? .null
        return [
            "id": .string(String(id)), "source": .string(source),
            "problem": problem?.json(in: language, contact: contact) ?? recorded, "firstAt": JSONValue(firstAt),
            "lastAt": JSONValue(lastAt), "consecutiveFailures": JSONValue(failures), "isEscalated": .bool(isEscalated),
            "isDismissed": .bool(isDismissed(at: now)),
        ]
    }
}

extension Queries {
    /// A standing problem as people are shown it; see `StandingProblem.json(in:contact:at:)`.
    public func json(_ problem: StandingProblem, in language: Language) -> JSONValue {
        problem.json(in: language, contact: supportContact, at: clock.now())
    }
}

extension RegionStore.ProblemTotals {
    /// These, and one problem more where there is one that nobody has dismissed.
    public func adding(_ problem: RegionStore.StandingProblem?, at now: Instant) -> Self {
        guard let problem, !problem.isDismissed(at: now) else { return self }
        return .init(standing: standing + 1, escalated: escalated + (problem.isEscalated ? 1 : 0))
    }
}

extension ServiceNotice {
    /// `{"id","source","isResolved":true}`: a problem is over.
    init(resolutionOf problem: RegionStore.StandingProblem) {
        self.init(
            .problem, deviceId: problem.deviceId,
            ["id": .string(String(problem.id)), "source": .string(problem.source), "isResolved": true])
    }
}
