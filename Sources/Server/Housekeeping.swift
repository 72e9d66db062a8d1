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
    /// The retention period for devices without their own in seconds; nil for forever.
    private let keepPositions: Double?
    private let seconds = Atomic<Int>(0)
    /// The second until which deadlines and replays are suspended, after a failure of the store.
    private let resumeSecond = Atomic<Int>(0)
    /// The version of the last known health of the phones, before the last survey.
    private let surveyedVersion = Atomic<UInt64>(.max)
    /// When the health of a phone may change although nothing is recorded: when a report becomes too old, for example.
    private let surveyDueAt = Mutex<Instant?>(nil)
    /// The second until which changes wait for the next survey.
    private let nextSurveySecond = Atomic<Int>(0)
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
        self.keepPositions = keepPositions
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
            fireDeadlines()
            replayLateFixes()
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
            if !isClockDoubted.load(ordering: .relaxed) { deletePositions() }
            finishErasures()
        }
        if second % 60 == 2 { api.storeTokenUses() }
        testStore()
        api.scheduledBackups.tick()
        if second % 600 == 1 { requestRegionLists() }
        api.diagnostics.metrics.streams.set(api.streams.count)
        let logBytes = directory.logBytes
        api.diagnostics.metrics.logBytes.set(logBytes)
        api.diagnostics.metrics.storeBytes.set(DataDirectory.size(directory.storePath) + logBytes)
        api.diagnostics.log.writeDueSummaries()
    }

    /// Runs a long job of the writer, unless it is running already. A job must not wait for itself: while the store cannot be written, each
    /// attempt takes seconds.
    ///
    /// - Parameters:
    ///   - progress: Called with the job after each step.
    ///   - completion: Called with the job after its last successful step, and with the problem if the next one has failed.
    private func run<Job: LongJob>(
        _ name: JobName, _ job: Job, progress: @escaping @Sendable (Job) -> Void = { _ in },
        _ completion: @escaping @Sendable (Job, Problem?) -> Void
    ) {
        guard api.runningJobs.begin(name) else { return }
        api.store.writer.start(
            job,
            progress: { [api] job in
                // A step that waits for something has done nothing yet.
                if job.needs.isEmpty { api.diagnostics.jobs.recordEnd(of: name) }
                progress(job)
            }
        ) { [api] job, problem in
            completion(job, problem)
            if let problem { api.diagnostics.jobs.recordEnd(of: name, problem: problem) }
            api.runningJobs.end(name)
        }
    }

    private func fireDeadlines() {
        run(.deadlines, DeadlineJob(upTo: api.store.clock.now())) { [self] _, problem in pause(after: problem) }
    }

    private func replayLateFixes() {
        run(
            .replay, LateReplayJob(),
            progress: { [api] job in if let counts = job.done { api.diagnostics.metrics.countReplay(counts) } }
        ) { [self] _, problem in pause(after: problem) }
    }

    /// Suspends deadlines and replays for some seconds after a failure. The writer then discards its state in memory, which must not happen
    /// every second.
    private func pause(after problem: Problem?) {
        if problem != nil { resumeSecond.store(seconds.load(ordering: .relaxed) + 10, ordering: .relaxed) }
    }

    private func deletePositions() {
        run(
            .retention, RetentionJob(keepPositions: keepPositions),
            progress: { [api] job in api.diagnostics.metrics.deletedPositions.add(job.removedInStep) }
        ) { [api] job, problem in
            // One line for each step would let the log suppress repeats, and lose their numbers.
            if job.total.removed > 0 {
                api.diagnostics.log.info(
                    "deleted", "Positions were deleted because their retention time has ended.",
                    fields: [.number("positions", job.total.removed), .number("devices", job.total.devices.count)])
            }
            if problem == nil { api.diagnostics.metrics.recordRetentionRun(at: job.time) }
        }
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
        // A survey that takes over a minute must not be followed by others that wait for it.
        guard api.runningJobs.begin(.health) else { return }
        surveyedVersion.store(api.store.writer.health.version, ordering: .relaxed)
        surveyDueAt.withLock { $0 = nil }
        api.updateHealthMetrics { [self] survey in
            let now = seconds.load(ordering: .relaxed)
            let hasMore = survey?.hasMore ?? false
            surveyDueAt.withLock { $0 = survey?.dueAt }
            nextSurveySecond.store(hasMore ? now : now + 2 + 10 * (now - second), ordering: .relaxed)
            if hasMore { surveyedVersion.store(.max, ordering: .relaxed) }
            api.runningJobs.end(.health)
        }
    }

    /// Seconds between two attempts to write after a failure, when nothing else is written.
    private static let retryInterval = 10.0

    /// Tests whether a store that could not be written can be written now.
    private func testStore() {
        guard let problem = api.diagnostics.storeProblem.current else { return }
        // The clock may have been set back since, which makes the difference negative.
        guard !(0..<Self.retryInterval).contains(api.store.clock.now() - problem.lastAt) else { return }
        guard api.runningJobs.begin(.storeTest) else { return }
        // The writer's observer handles the outcome, as for all writes.
        let isTaken = api.store.writer.submit({ service throws(Problem) in try service.tryToWrite() }) { [api] _ in
            api.runningJobs.end(.storeTest)
        }
        if !isTaken { api.runningJobs.end(.storeTest) }
    }

    /// Finishes erasures that have made no progress for a minute. Others are still performed by their requests.
    private func finishErasures() {
        guard api.runningJobs.begin(.erasure) else { return }
        let api = api
        Task {
            defer { api.runningJobs.end(.erasure) }
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
}
