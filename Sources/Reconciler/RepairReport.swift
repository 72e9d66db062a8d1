import Model
import Registry

/// What a repair found, what it did, and what is still wrong.
public struct RepairReport: Sendable {
    /// One operation and its outcome.
    public struct Step: Hashable, Sendable {
        public enum Outcome: String, CaseIterable, Sendable {
            case done, failed
            /// The call was not made: only the plan was requested, or the repair could not continue.
            case planned
        }

        public var operation: RegistryOperation
        public var outcome: Outcome
        /// Also set for a call that returned normally and failed later.
        public var error: RegistryError?
        public var at: Instant

        /// `{"operation","identifier","name","reason","outcome","error"}`
        public func json(_ profile: PlatformProfile, in language: Language = .english) -> JSONValue {
            .compact([
                ("operation", .string(operation.verb)), ("identifier", .string(operation.id.shortText)),
                ("name", .string(operation.name(in: language))), ("reason", .string(operation.words(profile, in: language))),
                ("outcome", .string(outcome.rawValue)), ("error", error.map { .string($0.description) }),
            ])
        }
    }

    public var before: GeofenceHealthStatus
    public var steps: [Step]
    public var after: GeofenceHealthStatus
    /// The states that contradicted the recorded visits.
    public var reconciled: [ReconciledState]
    /// Whether the device is outside its new sentinel, so that a newer fix is needed for a valid selection.
    public var needsFix: Bool
    public var startedAt: Instant
    public var finishedAt: Instant

    /// The number of calls that were made.
    public var callCount: Int { steps.count { $0.outcome != .planned } }
    /// The findings that are still unhealthy.
    public var remainingFindings: [Finding] { after.unhealthyFindings }
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

    /// The problem to show to the person; nil if the device is healthy.
    public var problem: Problem? {
        if after.locationServicesEnabled != false, after.authorizationStatus == .always,
            let error = steps.last(where: { $0.error.map { FailureHandling($0) } == .waitForPerson })?.error
        {
            return .regionMonitoringDenied(details: .verbatim(error.description))
        }
        return after.problem
    }

    /// `{"deviceId","before","operations":[{"operation","identifier","reason","outcome","error"}],"after","calls","left"}`, and if they
    /// apply `needsFix`, `problem` and `reconciled`.
    ///
    /// - Parameter language: The language of the sentences.
    public func json(in language: Language = .english) -> JSONValue {
        let profile = after.profile ?? .ios
        return .compact([
            ("deviceId", .string(after.device.id)), ("startedAt", JSONValue(startedAt)), ("finishedAt", JSONValue(finishedAt)),
            ("before", before.json(in: language)),
            ("operations", .array(steps.map { $0.json(profile, in: language) })),
            ("after", after.json(in: language)), ("calls", JSONValue(callCount)),
            ("left", .array(remainingFindings.map { $0.json(profile, in: language) })),
            ("needsFix", needsFix ? true : nil), ("problem", problem?.json(in: language)),
            (
                "reconciled",
                reconciled.isEmpty
                    ? nil
                    : .array(
                        reconciled.map {
                            [
                                "geofenceId": .string($0.geofenceID), "state": .string($0.state.rawValue),
                                "at": JSONValue($0.at),
                            ]
                        })
            ),
        ])
    }
}
