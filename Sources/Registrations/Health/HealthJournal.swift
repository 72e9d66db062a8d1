import Core
import Model
import Places
import Reconciler
import Store

// What the problem journal and the history of health record about phones.

extension Queries {
    /// Why the health of a device's registrations was determined.
    package enum HealthOccasion: Sendable {
        /// The health was only read, so nothing was tried. It begins or replaces the device's problem, and does not count as a failure of
        /// one that is open.
        case observation
        /// The health was read before a repair, or a failure is recorded separately, so that its problem is not recorded.
        case observationBeforeRepair
        /// A repair has ended or an app has reported. Every unhealthy result counts as a failure.
        case attempt
    }

    /// The result of a survey of all phones.
    package struct HealthSurvey: Sendable {
        package var totals = HealthTotals()
        /// The health of devices that the journal does not agree with: it has changed since it was last recorded, or its problem is missing
        /// or has ended. At most `maxOutdated`.
        var outdated: [GeofenceHealthStatus] = []
        /// Whether there are more such devices.
        package var hasMore = false
        /// When the health of a device may change although nothing is recorded; nil if that is not known.
        package var dueAt: Instant?
        /// `HealthCache.version` before the survey.
        var version: UInt64 = 0

        /// An assessment holds the list of a device's geofences, which can be long.
        static let maxOutdated = 100

        /// Whether another device can be listed. If not, `hasMore` is set.
        mutating func hasRoom() -> Bool {
            if outdated.count == Self.maxOutdated { hasMore = true }
            return !hasMore
        }
    }

    /// Surveys the health of all phones. A phone that has never answered has no problem yet.
    ///
    /// - Complexity: See `healthTotals(_:)`; in addition, reads what was last recorded of each managed device.
    package func surveyHealth() throws(Problem) -> HealthSurvey {
        var survey = HealthSurvey()
        guard hasStore else {
            survey.totals = try healthTotals()
            return survey
        }
        survey.version = healthCache?.version ?? 0
        let prefix = DeviceProblem.registry.rawValue
        var withProblem = Set(try store.problemSources(startingWith: prefix).map { String($0.dropFirst(prefix.count)) })
        survey.totals = try healthTotals { stored, outcome, assessed throws(Problem) in
            let hasProblem = withProblem.remove(stored.device.id) != nil
            guard try isOutdated(outcome, of: stored.key, hasProblem: hasProblem), survey.hasRoom() else { return }
            let status = if let assessed { assessed } else { try health(of: stored.device).status }
            survey.outdated.append(status)
        }
        for id in withProblem.sorted() {
            guard let stored = try store.device(id: id), stored.device.registry == .none else { continue }
            if survey.hasRoom() { survey.outdated.append(try health(of: stored.device).status) }
        }
        survey.dueAt = healthCache?.nextEnd(after: clock.now())
        return survey
    }

    /// The health of devices that the journal does not agree with: of one device, or of all that a survey finds at once.
    ///
    /// - Returns: The health, and whether there are more such devices.
    package func changedHealth(ofDevice id: String?) throws(Problem) -> (changed: [GeofenceHealthStatus], hasMore: Bool) {
        guard let id else {
            let survey = try surveyHealth()
            return (survey.outdated, survey.hasMore)
        }
        let status = try health(of: device(id: id)).status
        guard status.isManaged, try isOutdated(status) else { return ([], false) }
        return ([status], false)
    }

    /// Whether the journal does not agree with the health of a device: it has changed since it was last recorded, or its problem is missing or
    /// has ended. A phone that has never answered has no problem yet.
    private func isOutdated(
        _ outcome: HealthCache.Outcome, of key: DeviceKey, hasProblem: Bool
    ) throws(Problem) -> Bool {
        let last = try store.lastHealth(of: key)
        guard last != nil || outcome.isHealthy != nil || outcome.isStale else { return false }
        let isRecorded = last?.isHealthy == outcome.isHealthy && last?.summary.description == outcome.summary
        return !isRecorded || hasProblem == (outcome.isHealthy == true)
    }

    /// Whether the journal does not agree with the health of a managed device.
    func isOutdated(_ status: GeofenceHealthStatus) throws(Problem) -> Bool {
        let id = status.device.id
        return try isOutdated(
            HealthCache.Outcome(status), of: storedDevice(id: id).key,
            hasProblem: store.problem(ofSource: DeviceProblem.registry.source(of: id)) != nil)
    }
}

extension ServiceWriter {
    /// Records what a survey has found, except of devices that have changed since. The change leads to another survey.
    package func record(_ survey: HealthSurvey) throws(Problem) {
        for status in survey.outdated {
            guard let stored = try store.device(id: status.device.id), stored.device == status.device,
                sharedHealth?.hasChanged(stored, since: survey.version) != true
            else { continue }
            try record(status)
        }
    }

    /// Stores the health of a device if it has changed, and records or resolves its problem.
    ///
    /// - Parameters:
    ///   - problem: A more specific problem from a repair; nil for the problem that follows from the health.
    ///   - now: When the health was determined; nil for the clock's time.
    package func record(
        _ status: GeofenceHealthStatus, _ occasion: HealthOccasion = .observation, problem: Problem? = nil, at now: Instant? = nil
    ) throws(Problem) {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try record(status, occasion, problem: problem, at: now, in: transaction)
        }
    }

    /// Stores the health of a device like `record(_:_:problem:at:)`, within a transaction.
    func record(
        _ status: GeofenceHealthStatus, _ occasion: HealthOccasion = .observation, problem: Problem? = nil,
        at now: Instant? = nil,
        in transaction: borrowing Transaction
    ) throws(Problem) {
        let now = now ?? clock.now()
        let source = DeviceProblem.registry.source(of: status.device.id)
        // Registrations that are no longer managed have no problem.
        guard status.isManaged else { return try resolve(source: source, in: transaction) }
        let key = try storedDevice(id: status.device.id).key
        let isNews = try store.hasHealthChanged(status, of: key)
        if isNews {
            try store.append(status, of: key, at: now, in: transaction)
            publish(ServiceNotice(.health, deviceId: status.device.id) { status.json(saved: 0, in: $0) })
        }
        if let problem = problem ?? status.problem {
            let isRecorded =
                switch occasion {
                case .attempt: true
                case .observation: isNews ? true : try store.problem(ofSource: source) == nil
                case .observationBeforeRepair: false
                }
            if isRecorded { try record(problem, source: source, at: now, isFailure: occasion == .attempt, in: transaction) }
        } else {
            try resolve(source: source, in: transaction)
        }
    }

    /// Stores the report of a finished repair, and records or resolves the device's problem.
    func record(_ report: RepairOutcome, of device: DeviceKey) throws(Problem) {
        let now = clock.now()
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.append(report, of: device, at: now, in: transaction)
            try record(report.after, .attempt, problem: report.problem, at: now, in: transaction)
            publish(
                ServiceNotice(.repair, deviceId: report.after.device.id) { language in
                    [
                        "deviceId": .string(report.after.device.id), "calls": JSONValue(report.callCount),
                        "left": JSONValue(report.remainingFindings.count),
                        "statusSummary": .string(report.after.summary.sentence(in: language)),
                    ]
                })
        }
    }
}
