import Model
import Registry

/// What a repair found, did and left.
public struct RepairReport: Sendable {
    /// One call and what came of it.
    public struct Step: Hashable, Sendable {
        public enum Outcome: String, CaseIterable, Sendable {
            case done, failed
            /// Not made: the repair was asked only for its plan, or could not go on.
            case planned
        }

        public var operation: RegistryOperation
        public var outcome: Outcome
        /// Also of a call that returned normally and failed later.
        public var error: RegistryError?
        public var at: Instant

        /// `{"operation","identifier","name","reason","outcome","error"}`
        public func json(_ profile: PlatformProfile) -> JSONValue {
            .compact([
                ("operation", .string(operation.verb)), ("identifier", .string(operation.id.shortText)),
                ("name", .string(operation.name)), ("reason", .string(operation.words(profile))),
                ("outcome", .string(outcome.rawValue)), ("error", error.map { .string($0.description) }),
            ])
        }
    }

    public var before: GeofenceHealthStatus
    public var steps: [Step]
    public var after: GeofenceHealthStatus
    /// What the system's states contradicted.
    public var reconciled: [ReconciledState]
    /// Whether the device is outside its new sentinel: a newer fix is needed for a choice that holds.
    public var needsFix: Bool
    public var startedAt: Instant
    public var finishedAt: Instant

    /// How many calls were made that change or ask something.
    public var calls: Int { steps.count { $0.outcome != .planned } }
    /// What is still wrong.
    public var left: [Finding] { after.unhealthyFindings }
    /// Whether nothing is left to do.
    public var isComplete: Bool { after.isHealthy == true }

    /// What a repair would do, and nothing of it done.
    public init(planned assessment: Assessment) {
        let status = GeofenceHealthStatus(assessment)
        let now = assessment.snapshot.takenAt
        let steps = assessment.plan.map { Step(operation: $0, outcome: .planned, error: nil, at: now) }
        self.init(
            before: status, steps: steps, after: status, reconciled: [], needsFix: false, startedAt: now, finishedAt: now)
    }

    /// Of a registry that could not be asked: nothing was planned or done.
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

    /// The problem to show a person; nil when all is well.
    public var problem: Problem? {
        if after.locationServicesEnabled != false, after.authorizationStatus == .always,
            let error = steps.last(where: { $0.error.map { FailureHandling($0) } == .person })?.error
        {
            return .regionMonitoringDenied(details: error.description)
        }
        return after.problem
    }

    /// `{"deviceId","before","operations":[{"operation","identifier","reason","outcome","error"}],"after","calls","left"}`, and
    /// when it is so `needsFix` and the `problem` that is left.
    public var json: JSONValue {
        let profile = after.profile ?? .ios
        return .compact([
            ("deviceId", .string(after.device.id)), ("startedAt", JSONValue(startedAt)), ("finishedAt", JSONValue(finishedAt)),
            ("before", before.json()),
            ("operations", .array(steps.map { $0.json(profile) })),
            ("after", after.json()), ("calls", JSONValue(calls)), ("left", .array(left.map { $0.json(profile) })),
            ("needsFix", needsFix ? true : nil), ("problem", problem?.json()),
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
