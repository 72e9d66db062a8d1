import Core
import Model
import Operations
import Senders
import Service
import Settings
import Synchronization
import Workers

/// Makes the scheduled backups of a running service, one at a time, on the reader for long queries. It never uses the writer's thread.
///
/// The names of the files say when the last backup was made, so that a restart makes no difference.
final class ScheduledBackups: Sendable {
    private struct State {
        /// When to look again; nil before the first look.
        var next: Instant?
        /// The newest backup, if the command has failed with it, and when the next backup is due.
        var fileToCopy: (path: String, nextBackup: Instant)?
        var commandThread: WorkThreads?
    }

    private let store: StoreThreads
    private let diagnostics: Diagnostics
    private let state = Mutex(State())
    /// Whether a backup or its command is running.
    let isRunning = Atomic(false)
    private let isStopping = Atomic(false)

    /// Seconds after a failure until the next attempt.
    static let retryInterval = 600.0
    /// Seconds after which the command is killed.
    private static let commandTimeLimit = 3600.0

    init(_ store: StoreThreads, _ diagnostics: Diagnostics) { (self.store, self.diagnostics) = (store, diagnostics) }

    /// Begins a backup if one is due. Called every second.
    func tick() {
        // A backup with a wrong time would be removed too early or too late.
        guard let schedule = store.settings.backups, store.clock.problem == nil else { return }
        let now = store.clock.now()
        let isEarly = state.withLock { state in
            // If it is later than the longest wait, the clock was set back.
            state.next.map { now < $0 && $0 - now <= max(schedule.interval, Self.retryInterval) } ?? false
        }
        guard !isEarly, !isStopping.load(ordering: .relaxed), !isRunning.exchange(true, ordering: .relaxed) else { return }
        if let file = state.withLock({ $0.fileToCopy }), now < file.nextBackup, let command = schedule.command {
            return run(command, with: file.path, nextBackup: file.nextBackup, schedule)
        }
        let settings = store.settings
        let isTaken = store.longReaders.submit({ service throws(Problem) in
            let start = ContinuousClock.now
            return (result: try service.makeBackup(schedule, settings), duration: ContinuousClock.now - start)
        }) { [self] result in
            switch result {
            case .success((.notDue(let newest), _)):
                diagnostics.metrics.recordBackup(at: newest)
                end(next: newest + schedule.interval)
            case .success((.made(let made), let duration)):
                diagnostics.metrics.recordBackup(at: made.time)
                diagnostics.log.info(
                    "backup", "A scheduled backup was made.",
                    fields: [
                        .text("file", made.backup.path), .number("bytes", made.backup.bytes),
                        .number("removed", made.removed.count), .seconds("seconds", duration.seconds),
                    ])
                let next = made.time + schedule.interval
                if let command = schedule.command {
                    return run(command, with: made.backup.path, nextBackup: next, schedule)
                }
                end(next: next, recording: .success(()))
            case .failure(.cancelled): end(next: now)
            case .failure(let problem): end(next: now + Self.retryInterval, recording: .failure(problem))
            }
        }
        if !isTaken { end(next: now + 1) }
    }

    /// Ends a running command, and begins no other backup.
    func stop() {
        isStopping.store(true, ordering: .relaxed)
        state.withLock { $0.commandThread }?.join()
    }

    /// Runs the command on its own thread, because the reader has other queries to answer.
    private func run(_ command: String, with file: String, nextBackup: Instant, _ schedule: BackupSchedule) {
        if isStopping.load(ordering: .relaxed) { return end(next: nextBackup) }
        let thread = WorkThreads("picket backup command") { [self] in
            let end = ChildProcess.run([command, file], input: "", seconds: Self.commandTimeLimit) {
                isStopping.load(ordering: .relaxed)
            }
            let now = store.clock.now()
            if case .stopped = end { return self.end(next: now) }
            let details = Self.failure(end)
            state.withLock { $0.fileToCopy = details == nil ? nil : (file, nextBackup) }
            if let details {
                let problem = Problem.backupFailed(path: schedule.folder, details: Phrase("\(command): \(details)"))
                self.end(next: min(now + Self.retryInterval, nextBackup), recording: .failure(problem))
            } else {
                self.end(next: nextBackup, recording: .success(()))
            }
        }
        state.withLock { $0.commandThread = thread }
    }

    private func end(next: Instant, recording result: Result<Void, Problem>? = nil) {
        switch result {
        case .success?: diagnostics.jobs.recordEnd(of: .backup)
        case .failure(let problem)?: diagnostics.jobs.recordEnd(of: .backup, problem: problem)
        case nil: break
        }
        state.withLock { $0.next = next }
        isRunning.store(false, ordering: .releasing)
    }

    /// Why a command has failed; nil if it has not.
    private static func failure(_ end: ChildProcess.ExitResult) -> Phrase? {
        switch end {
        case .exited(0, _), .stopped: return nil
        case .exited(let status, ""): return Phrase("it ended with status \(plain: Int(status))")
        case .exited(let status, let output):
            let lines = output.split(whereSeparator: \.isNewline).joined(separator: " ")
            return Phrase("it ended with status \(plain: Int(status)) (\(lines))")
        case .killed(let signal): return .endedBySignal(signal)
        case .tookTooLong: return .endedAfter(commandTimeLimit)
        case .notStarted(let reason): return .verbatim(reason)
        }
    }
}
