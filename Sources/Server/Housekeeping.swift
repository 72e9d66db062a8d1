import Foundation
import Model
import Service
import Synchronization

/// What a running service does by the clock, once a second: deadlines fire, those that wait are told, late fixes are judged in
/// their place, positions are forgotten after their time, and what an operator looks at is measured.
final class Housekeeping: Sendable {
    private let api: API
    private let directory: DataDirectory
    private let retention: PositionRetention
    private let seconds = Atomic<Int>(0)
    /// The second before which deadlines are left alone, after the store has failed.
    private let resume = Atomic<Int>(0)
    /// Whether the writer has not yet done what it was last asked for: while the store cannot be written each try takes seconds,
    /// and those behind it must not add up.
    private let isWaiting = Atomic<Bool>(false)

    /// Whether the writer has not yet done its part of a replay.
    private let isReplaying = Atomic<Bool>(false)
    /// Whether the writer has not yet tried to write.
    private let isTrying = Atomic<Bool>(false)

    /// - Parameter keepPositions: Seconds, for devices that say nothing else; nil for ever.
    init(_ api: API, _ directory: DataDirectory, keepPositions: Double?) {
        self.api = api
        self.directory = directory
        retention = PositionRetention(api.writer, keepPositions: keepPositions, clock: api.clock) { Self.note($0, api) }
    }

    /// To be called each second.
    func tick() {
        let second = seconds.add(1, ordering: .relaxed).newValue
        api.waiters.tick()
        api.broker.tick()
        if let news = api.waiting.news() { api.streams.tell([news]) }
        if second % 15 == 0 { api.streams.heartbeat(at: api.clock.now()) }
        if second >= resume.load(ordering: .relaxed) {
            fireDeadlines(second)
            replayLateFixes(second)
        }
        if second % 60 == 1 {
            retention.run()
            api.lookAtPhones {}
        }
        tryStore()
        if second % 600 == 1 { askForLists() }
        api.metrics.queueDepth.set(api.writer.depth)
        api.metrics.streams.set(api.streams.count)
        api.metrics.storeBytes.set(DataDirectory.size(directory.store) + DataDirectory.size(directory.store + "-wal"))
        api.operatorLog.tick()
    }

    private func fireDeadlines(_ second: Int) {
        guard !isWaiting.exchange(true, ordering: .relaxed) else { return }
        let now = api.clock.now()
        let isTaken = api.writer.submit(
            { service throws(Problem) in
                _ = try service.fireDeadlines(upTo: now)
                return try service.nextDeadline().map { $0 < now } ?? false
            },
            { [self] result in
                isWaiting.store(false, ordering: .relaxed)
                switch result {
                // In parts, so that what arrives meanwhile is not held up.
                case .success(let hasMore):
                    api.jobs.ended(.deadlines)
                    if hasMore { fireDeadlines(second) }
                case .failure(let problem):
                    // What failed forgets what is in memory; not each second anew.
                    resume.store(second + 10, ordering: .relaxed)
                    api.jobs.ended(.deadlines, problem)
                }
            })
        if !isTaken { isWaiting.store(false, ordering: .relaxed) }
    }

    /// - Parameter isInOrder: Whether fixes have just been put in order for it.
    private func replayLateFixes(_ second: Int, isInOrder: Bool = false) {
        guard !isReplaying.exchange(true, ordering: .relaxed) else { return }
        let now = api.clock.now()
        let isTaken = api.writer.submit({ service throws(Problem) -> ServiceWriter.LateReplayStep? in
            if !isInOrder, try service.lateReplayNeedsOrder(at: now) { return nil }
            return try service.replayLate(at: now)
        }) { [self] result in
            isReplaying.store(false, ordering: .relaxed)
            switch result {
            case .success(nil):
                api.writer.orderFixes { [self] in replayLateFixes(second, isInOrder: true) }
            case .success(let step?):
                api.jobs.ended(.replay)
                if let counts = step.done?.counts { api.metrics.replayed(counts) }
                // In parts, so that what arrives meanwhile is not held up.
                if step.hasMore { replayLateFixes(second) }
            case .failure(let problem):
                resume.store(second + 10, ordering: .relaxed)
                api.jobs.ended(.replay, problem)
            }
        }
        if !isTaken { isReplaying.store(false, ordering: .relaxed) }
    }

    /// Seconds from a failure to write to the next attempt, where nothing else is to be written.
    private static let patience = 10.0

    /// Tries whether a store that could not be written can be by now.
    private func tryStore() {
        guard let problem = api.storeProblem.current else { return }
        // The clock may have been set back since.
        guard !(0..<Self.patience).contains(api.clock.now() - problem.lastAt) else { return }
        guard !isTrying.exchange(true, ordering: .relaxed) else { return }
        // What comes of it is told by the writer's observer, as of everything that is written.
        let isTaken = api.writer.submit({ service throws(Problem) in try service.tryToWrite() }) { [self] _ in
            isTrying.store(false, ordering: .relaxed)
        }
        if !isTaken { isTrying.store(false, ordering: .relaxed) }
    }

    private func askForLists() {
        let api = api
        Task {
            do throws(Problem) {
                try await api.desk.askForLists()
                api.jobs.ended(.lists)
            } catch {
                api.jobs.ended(.lists, error)
            }
        }
    }

    private static func note(_ report: PositionRetention.Report, _ api: API) {
        switch report {
        case .step(let removed):
            api.metrics.forgottenPositions.add(removed)
            api.jobs.ended(.retention)
        case .done(let trim, let now):
            log(trim, api)
            api.metrics.retentionRan(at: now)
        case .failed(let problem, let trim):
            log(trim, api)
            api.jobs.ended(.retention, problem)
        }
    }

    /// Logs all steps as one: a line for each would be held back as a repeat, and its number be lost.
    private static func log(_ trim: Queries.Trim, _ api: API) {
        guard trim.removed > 0 else { return }
        api.operatorLog.info(
            "deleted", "Positions were deleted because their time of keeping is over.",
            [.number("positions", trim.removed), .number("devices", trim.devices.count)])
    }
}
