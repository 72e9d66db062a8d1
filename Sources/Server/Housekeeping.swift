import Foundation
import Model
import Service
import Synchronization

/// The periodic work of a running service, once a second: fires deadlines, ends long polls, replays late fixes, deletes old positions, and
/// updates metrics.
final class Housekeeping: Sendable {
    private let api: API
    private let directory: DataDirectory
    private let retention: PositionRetention
    private let seconds = Atomic<Int>(0)
    /// The second until which deadlines and replays are suspended, after a failure of the store.
    private let resume = Atomic<Int>(0)
    /// Whether the writer still has to fire the deadlines it was last asked to. While the store cannot be written, each attempt takes
    /// seconds, and attempts must not accumulate.
    private let isWaiting = Atomic<Bool>(false)

    /// Whether the writer still has to do its part of a replay.
    private let isReplaying = Atomic<Bool>(false)
    /// Whether the writer still has to try to write.
    private let isTrying = Atomic<Bool>(false)

    /// - Parameter keepPositions: The default for all devices in seconds; nil for forever.
    init(_ api: API, _ directory: DataDirectory, keepPositions: Double?) {
        self.api = api
        self.directory = directory
        retention = PositionRetention(api.writer, keepPositions: keepPositions, clock: api.clock) { Self.note($0, api) }
    }

    /// Called every second.
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
                // Deadlines fire in several parts, so that positions that arrive meanwhile do not wait.
                case .success(let hasMore):
                    api.jobs.ended(.deadlines)
                    if hasMore { fireDeadlines(second) }
                case .failure(let problem):
                    // After a failure the writer discards its state in memory. The pause avoids doing that every second.
                    resume.store(second + 10, ordering: .relaxed)
                    api.jobs.ended(.deadlines, problem)
                }
            })
        if !isTaken { isWaiting.store(false, ordering: .relaxed) }
    }

    /// - Parameter isInOrder: Whether the fixes have just been ordered for the replay.
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
                // A replay runs in several parts, so that positions that arrive meanwhile do not wait.
                if step.hasMore { replayLateFixes(second) }
            case .failure(let problem):
                resume.store(second + 10, ordering: .relaxed)
                api.jobs.ended(.replay, problem)
            }
        }
        if !isTaken { isReplaying.store(false, ordering: .relaxed) }
    }

    /// Seconds between two attempts to write after a failure, when nothing else is written.
    private static let patience = 10.0

    /// Tests whether a store that could not be written can be written now.
    private func tryStore() {
        guard let problem = api.storeProblem.current else { return }
        // The clock may have been set back since, which makes the difference negative.
        guard !(0..<Self.patience).contains(api.clock.now() - problem.lastAt) else { return }
        guard !isTrying.exchange(true, ordering: .relaxed) else { return }
        // The writer's observer handles the outcome, as for all writes.
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

    /// Logs all steps of a run as one line. With one line for each step, the log would suppress repeats and lose their numbers.
    private static func log(_ trim: Queries.Trim, _ api: API) {
        guard trim.removed > 0 else { return }
        api.operatorLog.info(
            "deleted", "Positions were deleted because their time of keeping is over.",
            [.number("positions", trim.removed), .number("devices", trim.devices.count)])
    }
}
