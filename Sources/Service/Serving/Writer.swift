import Foundation
import Model
import Settings
import Store
import Synchronization
import Workers

/// The one thread that writes to a store while a service runs.
///
/// Requests hand it their positions and edits and are told when these are kept. All that waits when a transaction begins goes into
/// it together (group commit), so the price of a commit is shared by as many requests as there are.
public final class Writer: Sendable {
    /// What is told of the positions of a request: what became of them, once it is kept.
    public typealias Told = @Sendable (Result<IntakeResult, Problem>) -> Void

    /// What the writer tells of its work, for whoever measures. Called on its thread.
    public struct Observer: Sendable {
        /// Events that are kept now, in order of sequence.
        public var events: @Sendable ([Event]) -> Void = { _ in }
        /// Whether anybody follows devices as they move. Without anybody, `kept` is told of none.
        public var followsDevices: @Sendable () -> Bool = { false }
        /// Positions are kept now: with the newest of each device that has moved.
        public var kept: @Sendable ([LivePosition]) -> Void = { _ in }
        /// A transaction of positions that was committed.
        public var group: @Sendable (Group) -> Void = { _ in }
        /// How long a sync of the log took, in seconds.
        public var sync: @Sendable (_ seconds: Double) -> Void = { _ in }
        /// What else has changed and is kept now.
        public var notices: @Sendable ([ServiceNotice]) -> Void = { _ in }
        /// The store could not be written. Called on any thread.
        public var storeFailed: @Sendable (Problem) -> Void = { _ in }
        /// Something was written, and is kept now. Called on any thread.
        public var storeWritten: @Sendable () -> Void = {}
        /// What could not be synced is on the disk after all: all events up to this number.
        public var recovered: @Sendable (_ newest: Int64) -> Void = { _ in }
        /// Something that no request can be told of.
        public var problem: @Sendable (Problem) -> Void = { _ in }

        public init() {}
    }

    /// A transaction of positions.
    public struct Group: Sendable {
        /// What became of the positions of each request.
        public var results: [IntakeResult]
        /// The time of the newest fix; nil when none was accepted.
        public var newest: Instant?
        /// From its begin to its commit.
        public var seconds: Double
    }

    /// What was put in order in the directory.
    public let care: DirectoryCare?
    private let inbox = Inbox()
    private let threads: WorkThreads
    private let log: LogSync
    /// Whether there is something that readers cannot read yet.
    private let isBehind = Flag()
    private let checkpoint: LogCheckpoint

    /// Opens the data directory to write, and starts.
    ///
    /// - Parameters:
    ///   - keepPositions: Seconds that positions are kept, for devices that say nothing else; nil for ever.
    ///   - appReportMaxAge: See `GeofenceService.appReportMaxAge`.
    ///   - emergencyNumbers: Whom to call where an alarm is raised.
    ///   - storeProblem: Shown with the problems that it keeps.
    ///   - supportContact: See `GeofenceService.supportContact`.
    ///   - sync: Brings the file of a descriptor to the disk; another than the system's for tests alone.
    /// - Throws: `Problem.storeBusy` while another process writes to it, and the problems of opening a store.
    public init(
        _ directory: DataDirectory, purpose: String, durability: Durability = .full, keepPositions: Double? = nil,
        appReportMaxAge: Double = Settings.usualAppReportMaxAge, emergencyNumbers: EmergencyNumbers = EmergencyNumbers(),
        storeProblem: StoreProblem? = nil, supportContact: SupportContact? = nil,
        clock: any WallClock = SystemClock(),
        observer: Observer = Observer(),
        sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
    ) throws(Problem) {
        let service = try GeofenceService(writing: directory, purpose: purpose, clock: clock)
        if durability == .normal { try service.store.beginUnsyncedCommits(boot: MachineRun.name) }
        try service.store.prepareToServe()
        service.keepPositions = keepPositions
        service.appReportMaxAge = appReportMaxAge
        service.emergencyNumbers = emergencyNumbers
        service.storeProblem = storeProblem
        service.supportContact = supportContact
        // Else the first position would wait for it.
        _ = try service.engine()
        service.isServing = true
        service.behind.isOn = true
        // What an earlier run may have left of it: the store has just been written.
        try service.resolve(source: StoreProblem.source)
        care = service.care
        let log = LogSync(log: directory.store + "-wal", meter: observer.sync, sync: sync)
        self.log = log
        let checkpoint = LogCheckpoint(store: directory.store) { observer.problem($0) }
        self.checkpoint = checkpoint
        let loop = Loop(
            service: service, inbox: inbox, log: log, checkpoint: checkpoint, isBehind: isBehind,
            waitsForSync: durability == .full, observer: observer)
        threads = WorkThreads("picket writer") { loop.run() }
    }

    /// Takes the positions of a request. What became of them is told once they are kept, on a thread of the writer's that must
    /// not be held up.
    ///
    /// - Returns: False when too much waits already, or the writer has been stopped; then nothing is told.
    public func submit(
        _ batch: consuming FixBatch, policy: DecisionPolicy.Name? = nil, _ told: @escaping Told
    ) -> Bool {
        inbox.add(batch, policy, told)
    }

    /// Does something with the store, between the positions; `told` is called once what it has changed is kept.
    ///
    /// - Returns: False when the writer has been stopped; then nothing is done.
    public func submit<Result: Sendable>(
        _ body: @escaping @Sendable (GeofenceService) throws(Problem) -> Result,
        _ told: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        inbox.queue.add(
            .edit { service in
                let result: Swift.Result<Result, Problem>
                do throws(Problem) {
                    result = .success(try body(try service.get()))
                } catch {
                    result = .failure(error)
                }
                return { problem in told(problem.map { .failure($0) } ?? result) }
            })
    }

    /// Has everything that is kept by now written to the tables that readers read, too; then calls `told`, whether it could be or not.
    ///
    /// - Complexity: Nothing to do, unless positions have come since the states were last written.
    public func settle(_ told: @escaping @Sendable () -> Void) {
        guard isBehind.value.load(ordering: .acquiring), inbox.queue.add(.settle(told)) else { return told() }
    }

    /// The same, and waits for it. Not to be called on a thread of the writer's.
    func settle() {
        let settled = DispatchSemaphore(value: 0)
        settle { settled.signal() }
        settled.wait()
    }

    /// Requests and edits that wait.
    public var depth: Int { inbox.queue.count }

    /// Takes nothing more, finishes what was taken, and gives the directory back.
    public func stop() {
        inbox.queue.close()
        threads.join()
        checkpoint.stop()
        log.stop()
    }
}

/// What waits for the writer.
private final class Inbox: Sendable {
    enum Work: Sendable {
        case positions(FixBatch, DecisionPolicy.Name?, Writer.Told)
        /// Does its own transactions, or does nothing for a problem that there is; gives what to tell once they are kept.
        case edit(@Sendable (Result<GeofenceService, Problem>) -> @Sendable (Problem?) -> Void)
        /// Writes all states, and tells that.
        case settle(@Sendable () -> Void)
    }

    let queue = WorkQueue<Work>()
    /// Fixes that wait to be judged.
    private let fixes = Atomic<Int>(0)
    /// So many may wait; more are turned away.
    private static let most = 1_000_000

    func add(_ batch: FixBatch, _ policy: DecisionPolicy.Name?, _ told: @escaping Writer.Told) -> Bool {
        let count = batch.rows.count
        let (before, _) = fixes.add(count, ordering: .relaxed)
        if before < Self.most, queue.add(.positions(batch, policy, told)) { return true }
        judged(count)
        return false
    }

    /// Notes that so many no longer wait.
    func judged(_ count: Int) { fixes.subtract(count, ordering: .relaxed) }
}

/// The writer's thread.
///
/// `@unchecked Sendable`: it is made on one thread and handed to the writer's before that starts; from then on only that one uses it,
/// but for `fail`, which needs an atomic and what is `Sendable` alone.
private final class Loop: @unchecked Sendable {
    private typealias Request = (batch: FixBatch, policy: DecisionPolicy.Name?, told: Writer.Told)

    private var service: GeofenceService?
    private let inbox: Inbox
    private let log: LogSync
    private let checkpoint: LogCheckpoint
    /// How many pages had been written when the log was last brought into the file.
    private var pages = 0
    private let isBehind: Flag
    /// Whether what was committed counts as kept only when it is synced.
    private let waitsForSync: Bool
    /// When the log was last synced though nobody waits for it.
    private var syncedAt = ContinuousClock.now
    private let observer: Writer.Observer
    /// Whether something was written that is not yet known to be kept.
    private var hasWritten = false
    /// Whether what is derived could not be written the last time.
    private var cannotWriteDerived = false
    /// How often the store could not be written.
    private let failures = Atomic<Int>(0)
    /// Events that are committed, and not yet known to be kept.
    private var committed: [Event] = []
    private var committedNotices: [ServiceNotice] = []
    /// So many fixes go into one transaction at most.
    private static let mostInGroup = 50_000
    /// Microseconds for others to come along, where a transaction costs more than to judge its fixes.
    private static let linger: UInt32 = 100

    init(
        service: GeofenceService, inbox: Inbox, log: LogSync, checkpoint: LogCheckpoint, isBehind: Flag, waitsForSync: Bool,
        observer: Writer.Observer
    ) {
        self.isBehind = isBehind
        self.checkpoint = checkpoint
        self.waitsForSync = waitsForSync
        self.service = service
        self.inbox = inbox
        self.log = log
        self.observer = observer
        service.onCommit = { [unowned self] in committed += $0 }
        service.onNotice = { [unowned self] in committedNotices += $0 }
        service.onWritten = { [unowned self] in hasWritten = true }
        service.onStoreFailure = { [unowned self] problem in
            // What was written before it does not say that the store can be written now.
            hasWritten = false
            fail(problem)
        }
    }

    func run() {
        guard let service else { return }
        var work: [Inbox.Work] = []
        var hasCompany = false
        while true {
            // Without a sync to wait for, requests would come to a transaction one by one. A client alone waits for nobody.
            let linger = waitsForSync || !hasCompany ? 0 : Self.linger
            guard let taken = inbox.queue.takeAll(work, waitingAtMost: patience(service), lingering: linger) else { break }
            hasCompany = taken.count > 1
            var requests: [Request] = []
            var rows = 0
            for item in taken {
                switch item {
                case .positions(let batch, let policy, let told):
                    requests.append((batch, policy, told))
                    rows += batch.rows.count
                    if rows < Self.mostInGroup { continue }
                    take(requests, service)
                case .edit(let body):
                    if !requests.isEmpty { take(requests, service) }
                    if let problem = mend(service) {
                        body(.failure(problem))(nil)
                    } else {
                        let told = body(.success(service))
                        noteBehind(service)
                        afterSync(told)
                    }
                case .settle(let told):
                    if !requests.isEmpty { take(requests, service) }
                    write(service, all: true)
                    told()
                }
                inbox.judged(rows)
                rows = 0
                requests.removeAll()
            }
            if !requests.isEmpty {
                take(requests, service)
                inbox.judged(rows)
            }
            if service.isWritingDue { write(service, all: false) }
            do throws(Problem) {
                try checkpoint.run(service.store, since: &pages)
            } catch {
                observer.problem(error)
            }
            work = taken
        }
        write(service, all: true)
        noteStatesSaved(service)
        if !waitsForSync {
            do throws(Problem) {
                try service.store.endUnsyncedCommits()
            } catch {
                observer.problem(error)
            }
        }
        // Gives up the store and the right to write to it.
        self.service = nil
    }

    /// Seconds until there is something to do though nothing comes.
    private func patience(_ service: GeofenceService) -> Double {
        // What cannot be written now is tried again with what comes next.
        if !service.isBehind || cannotWriteDerived { return .infinity }
        return service.isWritingDue ? 0 : WriteBehind.patience.seconds
    }

    /// Writes what is derived. When that fails, it waits on: nothing is lost, and whoever writes next finds out.
    ///
    /// - Parameter isAll: Whether all of it is written; else a part, which takes some milliseconds.
    private func write(_ service: GeofenceService, all isAll: Bool) {
        do {
            try isAll ? service.writeAllDerived() : service.writeDerived()
            cannotWriteDerived = false
        } catch {
            cannotWriteDerived = true
            observer.problem(error)
        }
        noteBehind(service)
    }

    /// Notes that all states are written, so that whoever opens the store next need not look for others.
    private func noteStatesSaved(_ service: GeofenceService) {
        do {
            try service.transaction { () throws(Problem) in try service.noteStatesSaved() }
        } catch {
            observer.problem(error)
        }
    }

    /// Tells readers whether there is something that they cannot read yet. To be called before anybody is told of it.
    private func noteBehind(_ service: GeofenceService) { isBehind.value.store(service.isBehind, ordering: .releasing) }

    /// Judges and stores the positions of requests in one transaction.
    private func take(_ requests: [Request], _ service: GeofenceService) {
        if let problem = mend(service) {
            for request in requests { request.told(.failure(problem)) }
            return
        }
        let start = ContinuousClock.now
        do {
            var seen: [Int: [Fix]] = [:]
            var newest: Instant?
            var moved: [LivePosition] = []
            let followsDevices = observer.followsDevices()
            let results = try service.transaction(ofPositions: true) { () throws(Problem) in
                var group = try IntakeGroup(service)
                var results: [IntakeResult] = []
                results.reserveCapacity(requests.count)
                for request in requests {
                    var intake = PositionIntake(service: service, policy: request.policy)
                    results.append(try intake.judge(request.batch, in: &group))
                }
                if followsDevices { moved = group.newestPositions }
                try group.saveStates()
                seen = group.seen
                newest = group.newest
                return results
            }
            noteBehind(service)
            observer.group(.init(results: results, newest: newest, seconds: (ContinuousClock.now - start).seconds))
            afterSync { [observer, moved] problem in
                if problem == nil { observer.kept(moved) }
                for (request, result) in zip(requests, results) {
                    request.told(problem.map { .failure($0) } ?? .success(result))
                }
            }
            do {
                if let problem = try service.show(seen) { observer.problem(problem) }
            } catch {
                observer.problem(error)
            }
        } catch {
            noteBehind(service)
            // One request must not fail for what is wrong with another: each by itself, unless it is the store.
            if requests.count > 1, !error.isOfStore {
                for request in requests { take([request], service) }
            } else {
                for request in requests { request.told(.failure(error)) }
            }
        }
    }

    /// Counts and tells that the store could not be written.
    private func fail(_ problem: Problem) {
        failures.add(1, ordering: .relaxed)
        observer.storeFailed(problem)
    }

    /// After a sync of the log that failed, brings what is in the log into the file itself.
    ///
    /// - Returns: Why that cannot be done yet; nil when all is well.
    private func mend(_ service: GeofenceService) -> Problem? {
        guard waitsForSync, let problem = log.problem else { return nil }
        let newest: Int64
        do throws(Problem) {
            guard try service.store.emptyLog() else {
                fail(problem)
                return problem
            }
            newest = try service.store.newestSequence()
        } catch {
            fail(error)
            return error
        }
        log.mend()
        observer.recovered(newest)
        return nil
    }

    /// Tells of what was committed when it is kept, and then of its events.
    private func afterSync(_ told: @escaping @Sendable (Problem?) -> Void) {
        let (events, notices) = (committed, committedNotices)
        committed.removeAll()
        committedNotices.removeAll()
        let observer = observer
        let isWrite = hasWritten
        hasWritten = false
        // A failure since then is newer than this success.
        let failuresBefore = failures.load(ordering: .relaxed)
        let all: @Sendable (Problem?) -> Void = { [self] problem in
            if let problem {
                if isWrite { fail(problem) }
            } else if isWrite, failures.load(ordering: .relaxed) == failuresBefore {
                observer.storeWritten()
            }
            if !events.isEmpty, problem == nil { observer.events(events) }
            if !notices.isEmpty, problem == nil { observer.notices(notices) }
            told(problem)
        }
        if waitsForSync { return log.afterSync(all) }
        all(nil)
        // Nobody waits for it; but left alone, all of the log would go to the disk at once, and hold up whoever comes then.
        let now = ContinuousClock.now
        if now - syncedAt > .milliseconds(20) {
            syncedAt = now
            log.afterSync { _ in }
        }
    }
}

extension Writer: ServiceAccess {
    /// Does something with the store and waits until what it has changed is kept.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (GeofenceService) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            if !submit(body, { continuation.resume(returning: $0) }) { continuation.resume(returning: .failure(.cancelled)) }
        }
        return try result.get()
    }
}

extension Problem {
    /// Whether the store itself cannot, so that nothing else can be written either.
    package var isOfStore: Bool { storePath != nil }

    /// Whether it keeps the store from being written at all, and not one statement from being run.
    var isOfWholeStore: Bool {
        switch self {
        case .storeBusy, .storeCorrupt, .storeFull, .storeTooNew, .migrationFailed, .fileFailed: true
        default: false
        }
    }

    /// The file that cannot be read or written; nil for what has another reason.
    var storePath: String? {
        switch self {
        case .storeBusy(let path, _), .storeCorrupt(let path, _), .storeFull(let path), .storeTooNew(let path, _, _),
            .storeFailed(let path, _), .migrationFailed(let path, _, _), .fileFailed(let path, _):
            path
        default: nil
        }
    }
}
