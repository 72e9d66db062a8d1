import Core
import Model
import Presence
import Service
import Store
import Synchronization

/// Deletes positions at the end of their retention period while a service runs, in small steps, so that incoming positions are not delayed.
package final class PositionRetention: Sendable {
    /// Progress of a deletion. Reported on a thread of the writer.
    package enum DeletionProgress: Sendable {
        case step(removed: Int)
        /// The total of all steps.
        case done(Queries.Trim, at: Instant)
        /// The problem, and the total of the steps before it.
        case failed(Problem, after: Queries.Trim)
    }

    private let writer: Writer
    private let keepPositions: Double?
    private let clock: any WallClock
    private let report: @Sendable (DeletionProgress) -> Void
    private let isUnderWay = Atomic<Bool>(false)

    /// - Parameter keepPositions: The retention period in seconds for devices without their own; nil for unlimited.
    ///
    package init(
        _ writer: Writer, keepPositions: Double?, clock: any WallClock, _ report: @escaping @Sendable (DeletionProgress) -> Void
    ) {
        self.writer = writer
        self.keepPositions = keepPositions
        self.clock = clock
        self.report = report
    }

    /// Starts a deletion, unless one is already running.
    package func start() {
        guard !isUnderWay.exchange(true, ordering: .relaxed) else { return }
        runStep(after: Queries.Trim())
    }

    private func runStep(after before: Queries.Trim) {
        let (now, keeping) = (clock.now(), keepPositions)
        let isTaken = writer.submit(
            { service throws(Problem) in try service.trimPositions(keeping: keeping, now: now) },
            { [self] result in
                switch result {
                case .success(let step):
                    report(.step(removed: step.removed))
                    let all = before.adding(step)
                    if step.hasMore { return self.runStep(after: all) }
                    isUnderWay.store(false, ordering: .relaxed)
                    report(.done(all, at: now))
                case .failure(let problem):
                    isUnderWay.store(false, ordering: .relaxed)
                    report(.failed(problem, after: before))
                }
            })
        if !isTaken { isUnderWay.store(false, ordering: .relaxed) }
    }
}

extension ServiceWriter {
    /// Deletes stored positions that are older than the retention period of their device, or the store's for devices without their own.
    /// This is one short transaction, so that incoming positions are not delayed. Events, visits and states are kept.
    ///
    /// Call it periodically, and again immediately while more work remains.
    ///
    /// The free space in the file is used for new data. The file becomes smaller only when it is rewritten (`rewrite()`). If a deleted
    /// position is sent again, it is not recognized as a duplicate.
    ///
    /// - Parameters:
    ///   - keeping: The retention period in seconds for devices without their own; nil for unlimited, 0 to keep none.
    ///   - limit: The maximum number of positions to examine.
    /// - Returns: The number of deleted positions, and whether more positions have to be examined.
    @discardableResult
    package func trimPositions(keeping: Double?, now: Instant, limit: Int = 5000) throws(Problem) -> Trim {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let step = try store.trimFixes(keeping: keeping, now: now, limit: limit, in: transaction)
            effects.health.formUnion(step.devices)
            // A replay reads its fixes step by step, and would miss those that were removed.
            for device in step.devices { interruptReplay(ofDevice: device) }
            for device in step.devicesWithWaitingFixes.sorted() {
                try resolveUnevaluated(ofDevice: device, at: now, in: transaction)
            }
            return step
        }
    }
}

extension Queries {
    package typealias Trim = PicketStore.TrimStep
}
