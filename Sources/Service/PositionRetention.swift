import Model
import Store
import Synchronization

/// Deletes positions whose time of keeping is over while a service runs, step by step, so that what arrives meanwhile is not held up.
public final class PositionRetention: Sendable {
    /// What has come of it; told on a thread of the writer's.
    public enum Report: Sendable {
        case step(removed: Int)
        /// All steps together.
        case done(Queries.Trim, at: Instant)
        /// And what the steps before came to.
        case failed(Problem, after: Queries.Trim)
    }

    private let writer: Writer
    private let keepPositions: Double?
    private let clock: any WallClock
    private let report: @Sendable (Report) -> Void
    private let isUnderWay = Atomic<Bool>(false)

    /// - Parameter keepPositions: Seconds, for devices that say nothing else; nil for ever.
    public init(
        _ writer: Writer, keepPositions: Double?, clock: any WallClock, _ report: @escaping @Sendable (Report) -> Void
    ) {
        self.writer = writer
        self.keepPositions = keepPositions
        self.clock = clock
        self.report = report
    }

    /// Begins, unless it is under way.
    public func run() {
        guard !isUnderWay.exchange(true, ordering: .relaxed) else { return }
        step(after: Queries.Trim())
    }

    private func step(after before: Queries.Trim) {
        let (now, keeping) = (clock.now(), keepPositions)
        let isTaken = writer.submit(
            { service throws(Problem) in try service.trimPositions(keeping: keeping, now: now) },
            { [self] result in
                switch result {
                case .success(let step):
                    report(.step(removed: step.removed))
                    let all = before.adding(step)
                    if step.hasMore { return self.step(after: all) }
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
    /// Removes stored positions that are older than their device keeps them, or the store for those that say nothing else: one
    /// short transaction, so that what arrives meanwhile is not held up. Events, visits and states stay.
    ///
    /// To be called from time to time, and again at once as long as there is more.
    ///
    /// The room in the file is used for what comes next; the file itself becomes smaller only when it is written anew
    /// (`rewrite()`). A position that was removed is not known again when it is sent once more.
    ///
    /// - Parameters:
    ///   - keeping: Seconds, for devices that say nothing else; nil for ever, 0 for none at all.
    ///   - limit: The most positions to look at.
    /// - Returns: How many were removed, and whether more is left to look at.
    @discardableResult
    public func trimPositions(keeping: Double?, now: Instant, limit: Int = 5000) throws(Problem) -> Trim {
        try transaction { () throws(Problem) in try store.trimFixes(keeping: keeping, now: now, limit: limit) }
    }
}

extension Queries {
    public typealias Trim = RegionStore.Trim

    /// What would be deleted now if positions were kept for so long.
    ///
    /// - Parameters:
    ///   - id: Of the device; nil for all that leave it to the store.
    ///   - seconds: 0 for not at all.
    public func deletion(ofDevice id: String?, keeping seconds: Double) throws(Problem) -> PositionDeletion {
        var key: DeviceKey?
        if let id {
            guard let stored = try store.device(id: id) else { return PositionDeletion(positions: 0, of: 0) }
            key = stored.key
        }
        guard hasStore else { return PositionDeletion(positions: 0, of: 0) }
        let moment = seconds == 0 ? Instant.latest : clock.now() + -min(seconds, Device.longestKeeping)
        let count = try store.fixCount(of: key, before: moment)
        return PositionDeletion(positions: count.older, of: count.all)
    }
}
