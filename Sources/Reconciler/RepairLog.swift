import Model
import Registry

/// What a repair has found and done so far.
struct RepairLog {
    var before: GeofenceHealthStatus?
    var steps: [RepairOutcome.Step] = []
    var reconciled: [ReconciledState] = []
    /// The number of elements of `reconciled` that were passed on.
    var handedOutCount = 0
    var needsFix = false
    var startedAt: Instant?
    var finishedAt: Instant?

    /// The elements of `reconciled` that were not passed on yet.
    var notHandedOut: [ReconciledState] { Array(reconciled[handedOutCount...]) }

    /// Marks the `start` call that failed after it had returned. Returns its region; nil if this repair made no such call, or if the call
    /// is marked already.
    mutating func markFailed(later failure: RegistrySnapshot.Failure) -> Region? {
        guard let startedAt, failure.at >= startedAt,
            let index = steps.lastIndex(where: { $0.operation.id == failure.id && $0.operation.verb == "start" }),
            steps[index].at <= failure.at, steps[index].error == nil, case .start(let region) = steps[index].operation.kind
        else { return nil }
        steps[index].outcome = .failed
        steps[index].error = failure.error
        return region
    }

    func report(after: GeofenceHealthStatus, unknown: GeofenceHealthStatus) -> RepairOutcome {
        RepairOutcome(
            before: before ?? unknown, steps: steps, after: after, reconciled: reconciled, needsFix: needsFix,
            startedAt: startedAt ?? .earliest, finishedAt: finishedAt ?? startedAt ?? .earliest)
    }
}
