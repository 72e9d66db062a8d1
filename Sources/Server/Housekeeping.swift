import Core
import Foundation
import History
import Model
import Places
import Presence
import Registrations
import Service
import Synchronization

/// The periodic work of a running service, once a second: fires deadlines, ends long polls, replays late fixes, deletes old positions,
/// makes scheduled backups, and updates metrics.
final class Housekeeping: Sendable {
    private let api: API
    private let directory: DataDirectory
    private let retention: PositionRetention
    private let seconds = Atomic<Int>(0)
    /// The second until which deadlines and replays are suspended, after a failure of the store.
    private let resumeSecond = Atomic<Int>(0)
    /// Whether the writer still has to fire the deadlines it was last asked to. While the store cannot be written, each attempt takes
    /// seconds, and attempts must not accumulate.
    private let isFiringDeadlines = Atomic<Bool>(false)

    /// Whether the writer still has to do its part of a replay.
    private let isReplaying = Atomic<Bool>(false)
    /// Whether a reader still has to survey the health of all phones. A survey that takes over a minute must not be followed by others
    /// that wait for it.
    let isSurveying = Atomic<Bool>(false)
    /// The version of the last known health of the phones, before the last survey.
    private let surveyedVersion = Atomic<UInt64>(.max)
    /// When the health of a phone may change although nothing is recorded: when a report becomes too old, for example.
    private let surveyDueAt = Mutex<Instant?>(nil)
    /// The second until which changes wait for the next survey.
    private let nextSurveySecond = Atomic<Int>(0)
    /// Whether the writer still has to try to write.
    private let isTestingStore = Atomic<Bool>(false)

    /// Whether erasures are still being finished.
    let isFinishingErasures = Atomic<Bool>(false)

    /// Whether the clock could not be relied on at the last tick.
    private let isClockDoubted = Atomic<Bool>(false)
    /// Whether a transaction kept the write-ahead log from shrinking when this was last checked.
    private let isLogHeld = Atomic<Bool>(false)

    /// The erasures that were unfinished when this was last checked.
    private let knownErasures = Mutex<[ServiceWriter.UnfinishedErasure]>([])

    /// - Parameter keepPositions: The default for all devices in seconds; nil for forever.
    init(_ api: API, _ directory: DataDirectory, keepPositions: Double?) {
        self.api = api
        self.directory = directory
        retention = PositionRetention(api.store.writer, keepPositions: keepPositions, clock: api.store.clock) {
            Self.recordRetention($0, api: api)
        }
    }

    /// Called every second.
    func tick() {
        let second = seconds.add(1, ordering: .relaxed).newValue
        // Before the writer gets the work of this second.
        api.diagnostics.metrics.queueDepth.set(api.store.writer.queueLength)
        api.waiters.tick()
        api.streams.endAbandoned()
        api.broker.tick()
        if let news = api.waitingDevices.takeNotice() { api.streams.sendNotices([news]) }
        if second % 15 == 0 { api.streams.heartbeat(at: api.store.clock.now()) }
        if second >= resumeSecond.load(ordering: .relaxed) {
            fireDeadlines(second)
            replayLateFixes(second)
            if second % 5 == 0 { recordLongWaits() }
            if second % 5 == 1 { recordHeldLog(second) }
        }
        logClock()
        api.store.writer.phones.checkForForeignChanges()
        if second % 60 == 1 || mayHealthHaveChanged && second >= nextSurveySecond.load(ordering: .relaxed) {
            surveyHealth(second)
        }
        if second % 60 == 1 {
            // Expired positions wait for a clock that can be relied on.
            if !isClockDoubted.load(ordering: .relaxed) { retention.start() }
            finishErasures()
        }
        testStore()
        api.scheduledBackups.tick()
        if second % 600 == 1 { requestRegionLists() }
        api.diagnostics.metrics.streams.set(api.streams.count)
        let logBytes = directory.logBytes
        api.diagnostics.metrics.logBytes.set(logBytes)
        api.diagnostics.metrics.storeBytes.set(DataDirectory.size(directory.storePath) + logBytes)
        api.diagnostics.log.writeDueSummaries()
    }

    private func fireDeadlines(_ second: Int) {
        guard !isFiringDeadlines.exchange(true, ordering: .relaxed) else { return }
        let now = api.store.clock.now()
        let isTaken = api.store.writer.submit(
            { service throws(Problem) in
                // Deadlines wait for a clock that can be relied on.
                guard try service.recordClock() else { return false }
                _ = try service.fireDeadlines(upTo: now, within: .milliseconds(10))
                return try service.nextDeadline().map { $0 < now } ?? false
            },
            { [self] result in
                isFiringDeadlines.store(false, ordering: .relaxed)
                switch result {
                // Deadlines fire in several parts, so that positions that arrive meanwhile do not wait.
                case .success(let hasMore):
                    api.diagnostics.jobs.recordEnd(of: .deadlines)
                    if hasMore { fireDeadlines(second) }
                case .failure(let problem):
                    // After a failure the writer discards its state in memory. The pause avoids doing that every second.
                    resumeSecond.store(second + 10, ordering: .relaxed)
                    api.diagnostics.jobs.recordEnd(of: .deadlines, problem: problem)
                }
            })
        if !isTaken { isFiringDeadlines.store(false, ordering: .relaxed) }
    }

    /// - Parameter isInOrder: Whether the fixes have just been ordered for the replay.
    private func replayLateFixes(_ second: Int, isInOrder: Bool = false) {
        guard !isReplaying.exchange(true, ordering: .relaxed) else { return }
        let now = api.store.clock.now()
        let isTaken = api.store.writer.submit({ service throws(Problem) -> ServiceWriter.LateReplayStep? in
            if !isInOrder, try service.lateReplayNeedsOrder(at: now) { return nil }
            return try service.replayLate(at: now)
        }) { [self] result in
            isReplaying.store(false, ordering: .relaxed)
            switch result {
            case .success(nil):
                api.store.writer.sortFixes { [self] _ in replayLateFixes(second, isInOrder: true) }
            case .success(let step?):
                api.diagnostics.jobs.recordEnd(of: .replay)
                if let counts = step.done?.counts { api.diagnostics.metrics.countReplay(counts) }
                // A replay runs in several parts, so that positions that arrive meanwhile do not wait.
                if step.hasMore { replayLateFixes(second) }
            case .failure(let problem):
                resumeSecond.store(second + 10, ordering: .relaxed)
                api.diagnostics.jobs.recordEnd(of: .replay, problem: problem)
            }
        }
        if !isTaken { isReplaying.store(false, ordering: .relaxed) }
    }

    /// Records that late fixes have waited for long. A failure is reported by the writer's observer, and with the next replay.
    private func recordLongWaits() {
        let now = api.store.clock.now()
        _ = api.store.writer.submit({ service throws(Problem) in try service.recordLongWaits(at: now) }) { _ in }
    }

    /// Logs when the clock can no longer be relied on, and when it can again.
    private func logClock() {
        let problem = api.store.writer.clock.problem
        guard isClockDoubted.exchange(problem != nil, ordering: .relaxed) != (problem != nil) else { return }
        if let problem {
            api.diagnostics.log.logProblem(problem, "clock", level: .warning)
        } else {
            api.diagnostics.log.info("clock", "The clock is plausible again.")
        }
    }

    /// Records that an open transaction keeps the write-ahead log from shrinking: when that begins, each minute, and when it ends.
    private func recordHeldLog(_ second: Int) {
        let bytes = api.store.writer.heldLogBytes
        let wasHeld = isLogHeld.exchange(bytes != nil, ordering: .relaxed)
        guard let bytes else { return api.diagnostics.jobs.recordEnd(of: .wal) }
        guard !wasHeld || second % 60 == 1 else { return }
        let path = directory.storePath
        api.diagnostics.jobs.recordEnd(
            of: .wal, problem: .walHeld(path: path, bytes: bytes, holder: LogHolder.find(ofStore: path)))
    }

    private var mayHealthHaveChanged: Bool {
        if api.store.writer.health.version != surveyedVersion.load(ordering: .relaxed) { return true }
        let now = api.store.clock.now()
        return surveyDueAt.withLock { $0 }.map { $0 < now } ?? false
    }

    /// Surveys the health of all phones. After a change, the next survey follows two seconds later, or ten times as long as this one
    /// takes, so that constant changes among many phones do not keep a reader busy.
    private func surveyHealth(_ second: Int) {
        guard !isSurveying.exchange(true, ordering: .relaxed) else { return }
        surveyedVersion.store(api.store.writer.health.version, ordering: .relaxed)
        surveyDueAt.withLock { $0 = nil }
        api.updateHealthMetrics { [self] survey in
            let now = seconds.load(ordering: .relaxed)
            let hasMore = survey?.hasMore ?? false
            surveyDueAt.withLock { $0 = survey?.dueAt }
            nextSurveySecond.store(hasMore ? now : now + 2 + 10 * (now - second), ordering: .relaxed)
            if hasMore { surveyedVersion.store(.max, ordering: .relaxed) }
            isSurveying.store(false, ordering: .relaxed)
        }
    }

    /// Seconds between two attempts to write after a failure, when nothing else is written.
    private static let retryInterval = 10.0

    /// Tests whether a store that could not be written can be written now.
    private func testStore() {
        guard let problem = api.diagnostics.storeProblem.current else { return }
        // The clock may have been set back since, which makes the difference negative.
        guard !(0..<Self.retryInterval).contains(api.store.clock.now() - problem.lastAt) else { return }
        guard !isTestingStore.exchange(true, ordering: .relaxed) else { return }
        // The writer's observer handles the outcome, as for all writes.
        let isTaken = api.store.writer.submit({ service throws(Problem) in try service.tryToWrite() }) { [self] _ in
            isTestingStore.store(false, ordering: .relaxed)
        }
        if !isTaken { isTestingStore.store(false, ordering: .relaxed) }
    }

    /// Finishes erasures that have made no progress for a minute. Others are still performed by their requests.
    private func finishErasures() {
        guard !isFinishingErasures.exchange(true, ordering: .relaxed) else { return }
        let api = api
        Task {
            defer { isFinishingErasures.store(false, ordering: .relaxed) }
            do throws(Problem) {
                let (ongoing, unfinished) = try await api.store.writer.perform { service throws(Problem) in
                    (try service.ongoingErasures(), try service.unfinishedErasures())
                }
                let known = knownErasures.withLock { known in
                    defer { known = unfinished + ongoing.map(\.erasure) }
                    return known
                }
                for (id, erasure) in ongoing where known.contains(where: { $0.isSame(as: erasure) }) {
                    _ = try await api.eraseDevice(id: id, key: erasure.device, rewriting: erasure.rewritesStore)
                }
                let isDone = try await api.finish(unfinished.filter { erasure in known.contains { $0.isSame(as: erasure) } })
                if isDone { api.diagnostics.jobs.recordEnd(of: .erasure) }
            } catch {
                api.diagnostics.jobs.recordEnd(of: .erasure, problem: error)
            }
        }
    }

    private func requestRegionLists() {
        let api = api
        Task {
            do throws(Problem) {
                try await api.repairCoordinator.requestOverdueLists()
                api.diagnostics.jobs.recordEnd(of: .lists)
            } catch {
                api.diagnostics.jobs.recordEnd(of: .lists, problem: error)
            }
        }
    }

    private static func recordRetention(_ report: PositionRetention.DeletionProgress, api: API) {
        switch report {
        case .step(let removed):
            api.diagnostics.metrics.deletedPositions.add(removed)
            api.diagnostics.jobs.recordEnd(of: .retention)
        case .done(let trim, let now):
            logTrim(trim, api: api)
            api.diagnostics.metrics.recordRetentionRun(at: now)
        case .failed(let problem, let trim):
            logTrim(trim, api: api)
            api.diagnostics.jobs.recordEnd(of: .retention, problem: problem)
        }
    }

    /// Logs all steps of a run as one line. With one line for each step, the log would suppress repeats and lose their numbers.
    private static func logTrim(_ trim: Queries.Trim, api: API) {
        guard trim.removed > 0 else { return }
        api.diagnostics.log.info(
            "deleted", "Positions were deleted because their retention time has ended.",
            fields: [.number("positions", trim.removed), .number("devices", trim.devices.count)])
    }
}
