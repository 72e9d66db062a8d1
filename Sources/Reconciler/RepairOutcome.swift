import Model
import Registry

/// What a repair found, what it did, and what is still wrong.
public struct RepairOutcome: Sendable {
    /// One operation and its outcome.
    public struct Step: Hashable, Sendable {
        /// The outcome of an operation.
        public enum Outcome: String, CaseIterable, Sendable {
            /// The call returned normally, and no failure was reported afterward.
            case done
            /// The call threw an error, or a failure was reported after it had returned.
            case failed
            /// The call was not made: only the plan was requested, or the repair could not continue.
            case planned
        }

        /// The operation.
        public var operation: RegistryOperation
        /// What became of it.
        public var outcome: Outcome
        /// Also set for a call that returned normally and failed later.
        public var error: RegistryError?
        /// When the call ended.
        public var at: Instant
    }

    /// The health before the first operation.
    public var before: GeofenceHealthStatus
    /// The operations, in their order.
    public var steps: [Step]
    /// The health after the last operation.
    public var after: GeofenceHealthStatus
    /// The states that contradicted the recorded visits.
    public var reconciled: [ReconciledState]
    /// Whether the device is outside its new sentinel, so that a newer fix is needed for a valid selection.
    public var needsFix: Bool
    /// When the repair began.
    public var startedAt: Instant
    /// When the repair ended.
    public var finishedAt: Instant

    /// The number of calls that were made.
    public var callCount: Int { steps.count { $0.outcome != .planned } }
    /// The findings that are still unhealthy.
    public var remainingFindings: [Finding] { after.unhealthyFindings }
    /// Whether there are calls that only the device's app can make, when it reports next.
    public var waitsForApp: Bool { after.device.registry == .app && steps.contains { $0.outcome == .planned } }
    /// Whether the device is healthy after the repair.
    public var isComplete: Bool { after.isHealthy == true }

    /// A report of the plan alone; nothing was done.
    public init(planned assessment: Assessment) {
        let status = GeofenceHealthStatus(assessment)
        let now = assessment.snapshot.takenAt
        let steps = assessment.plan.map { Step(operation: $0, outcome: .planned, error: nil, at: now) }
        self.init(
            before: status, steps: steps, after: status, reconciled: [], needsFix: false, startedAt: now, finishedAt: now)
    }

    /// A report of a repair that could not start because the registry gave no answer.
    public init(nothingDone status: GeofenceHealthStatus, at now: Instant) {
        self.init(
            before: status, steps: [], after: status, reconciled: [], needsFix: false, startedAt: now, finishedAt: now)
    }

    init(
        before: GeofenceHealthStatus, steps: [Step], after: GeofenceHealthStatus, reconciled: [ReconciledState], needsFix: Bool,
        startedAt: Instant, finishedAt: Instant
    ) {
        self.before = before
        self.steps = steps
        self.after = after
        self.reconciled = reconciled
        self.needsFix = needsFix
        self.startedAt = startedAt
        self.finishedAt = finishedAt
    }

    /// This report combined with that of a repair that continued right after it.
    public func followed(by next: RepairOutcome) -> RepairOutcome {
        RepairOutcome(
            before: before, steps: steps + next.steps, after: next.after, reconciled: reconciled + next.reconciled,
            needsFix: next.needsFix, startedAt: startedAt, finishedAt: next.finishedAt)
    }

    /// The problem to show to the person; nil if the device is healthy.
    public var problem: Problem? {
        if after.locationServicesEnabled != false, after.authorizationStatus == .always,
            let error = steps.last(where: { $0.error.map { FailureHandling($0) } == .waitForPerson })?.error
        {
            return .regionMonitoringDenied(details: .verbatim(error.description))
        }
        return after.problem
    }

    /// The report as a JSON object; `output` describes the members.
    ///
    /// - Parameter language: The language of the sentences.
    public func json(in language: Language = .english) -> JSONValue { json(in: AnswerLocale(language)) }
}

extension RepairOutcome: JSONWritable {
    package static let output = JSONOutput<RepairOutcome>(
        "RepairReport", summary: "What a repair found, what it did, and what is still wrong",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.after.device.id),
        .init("startedAt", kind: .time, summary: "When the repair began", content: \.startedAt),
        .init("finishedAt", kind: .time, summary: "When the repair ended", content: \.finishedAt),
        .init("before", kind: .object, summary: "The health before the repair", content: { HealthDocument($0.before) }),
        .init(
            "operations", kind: .list(of: .object(of: Step.output)), summary: "The operations in their order",
            content: { report in report.steps.map { ($0, report.profile) } }),
        .init("after", kind: .object, summary: "The health after the repair", content: { HealthDocument($0.after) }),
        .init("calls", kind: .whole, summary: "The number of calls that were made", content: \.callCount),
        .init(
            "left", kind: .list(of: .object(of: Finding.output)), summary: "What is still wrong",
            content: { report in report.remainingFindings.map { ($0, report.profile) } }),
        .init(
            "needsFix", optional: .flag, summary: "Whether a newer position of the device is needed first",
            content: { $0.needsFix ? true : nil }),
        .init(
            "waitsForApp", optional: .flag, summary: "Whether the app carries out the planned operations when it next reports",
            content: { $0.waitsForApp ? true : nil }),
        .init("problem", optional: .object, summary: "The problem to show to the person", content: \.problem),
        .init(
            "reconciled", optional: .list(of: .object), summary: "The region states that contradict the recorded visits",
            content: { $0.reconciled.isEmpty ? nil : $0.reconciled }))

    private var profile: PlatformProfile { after.profile ?? .ios }
}

extension RepairOutcome.Step {
    /// The texts of a step depend on the platform.
    package static let output = JSONOutput<(step: RepairOutcome.Step, profile: PlatformProfile)>(
        "RepairStep", summary: "An operation and its outcome",
        .init("operation", kind: .word, summary: "The operation", content: \.step.operation.kind.name),
        .init("identifier", kind: .text, summary: "The region's identifier", content: \.step.operation.id.shortText),
        .init("name", kind: .text, summary: "The geofence's name") { $0.step.operation.name(in: $1.language) },
        .init("reason", kind: .text, summary: "The reason in words") { $0.step.operation.words($0.profile, in: $1.language) },
        .init("outcome", kind: .word, summary: "The outcome", content: \.step.outcome),
        .init("error", optional: .text, summary: "The operating system's error", content: \.step.error?.description))
}

extension RepairOutcome.Step.Outcome: Named {
    /// A word, as the end of a line.
    package var phrase: Phrase {
        switch self {
        case .done: Phrase("done")
        case .failed: Phrase("failed")
        case .planned: Phrase("planned")
        }
    }
}
