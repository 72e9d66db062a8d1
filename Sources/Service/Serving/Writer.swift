import Core
import Foundation
import Model
import Presence
import Settings
import SimulatedOS
import Store
import Synchronization
import Workers

/// The only thread that writes to a store while a service runs.
///
/// Requests pass their positions and edits to it, and get the result when these are saved. Everything that waits when a transaction begins
/// becomes part of it (group commit), so that many requests share the cost of a commit. All methods can be called from any thread.
package final class Writer: Sendable {
    /// Called with the result for the positions of a request after they are saved.
    package typealias IntakeCompletion = @Sendable (Result<IntakeResult, Problem>) -> Void

    /// Decides whether a request may still be processed when its turn comes: its token may have been revoked since the request began. Called
    /// on the writer's thread, for each part of a large request.
    package typealias Admission = @Sendable () throws(Problem) -> Void

    /// The callbacks of the writer. What is saved is reported on the thread that syncs, if commits wait for a sync, otherwise like all else on
    /// the writer's thread.
    package struct Observer: Sendable {
        /// Saved events, sorted by number.
        package var events: @Sendable ([Event]) -> Void = { _ in }
        /// Returns whether any client follows the positions of devices. If not, none are reported.
        package var followsDevices: @Sendable () -> Bool = { false }
        /// Positions were saved. Has the newest position of each device that has moved.
        package var positionsSaved: @Sendable ([LivePosition]) -> Void = { _ in }
        /// A transaction of positions was committed.
        package var group: @Sendable (PositionTransaction) -> Void = { _ in }
        /// A sync of the write-ahead log was made, with its duration in seconds.
        package var sync: @Sendable (_ seconds: Double) -> Void = { _ in }
        /// Data of devices was removed. Called at the commit, before the caller gets a result.
        package var removed: @Sendable ([RemovedData]) -> Void = { _ in }
        /// Other changes were saved.
        package var notices: @Sendable ([ServiceNotice]) -> Void = { _ in }
        /// The store could not be written. Called on any thread.
        package var storeFailed: @Sendable (Problem) -> Void = { _ in }
        /// Data was written and saved. Called on any thread.
        package var storeWritten: @Sendable () -> Void = {}
        /// Data that could not be synced is on the disk after all: all events up to this number.
        package var recovered: @Sendable (_ newest: Int64) -> Void = { _ in }
        /// A problem that belongs to no request.
        package var problem: @Sendable (Problem) -> Void = { _ in }

        package init() {}
    }

    /// A transaction of positions.
    package struct PositionTransaction: Sendable {
        /// The results for each request.
        package var results: [IntakeResult]
        /// The time of the newest fix; nil if none was accepted.
        package var newest: Instant?
        /// The duration from the start to the commit in seconds.
        package var seconds: Double
    }

    /// What is open while a service runs; nil for a command.
    private let opened: WriterStart.Opened?
    private let inbox = WriterInbox()
    private let observer: Observer
    private let threads: WorkThreads
    package let clock: ServiceClock
    /// Whether there is committed data that readers cannot read yet.
    private let isBehind = Flag()
    /// The writer's candidates for each platform.
    let candidateCache: RegionCandidateCache
    /// The groups of devices, as of the newest commit. A command does not need them.
    package let deviceGroups: DeviceGroups
    /// The zones of the devices' times, as of the newest commit. A command does not need them.
    let inputTimeZones: InputTimeZones
    /// The last known health of devices.
    package let health: HealthCache
    /// The simulated phones. They have their own thread while a service runs.
    package let phones: SimulatedPhones
    /// The maintenance that was done in the directory when the service started.
    package var care: DirectoryCare { opened?.care ?? DirectoryCare() }
    /// The inputs that were applied again when the service started.
    package var recovery: Recovery { opened?.recovery ?? Recovery() }
    /// The size in bytes of a large write-ahead log that cannot shrink because a transaction is open; nil if there is none.
    package var heldLogBytes: Int? { opened?.checkpoint.heldBytes }
    /// See `ServiceWriter.erasureOutcome`.
    package var erasureOutcome: Result<Bool, Problem>? { opened?.erasureOutcome }

    /// Opens the data directory for writing, and starts the thread.
    ///
    /// - Parameters:
    ///   - settings: The settings of the service; nil for the standard ones.
    ///   - storeProblem: The problem of the store, which is shown with those of the journal.
    ///   - sync: Syncs the file of a descriptor to the disk. Only tests use another function than the system's.
    /// - Throws: `Problem.storeBusy` if another process writes to the directory, `Problem.storeFull` if the disk has no room, and the
    ///   problems of opening a store.
    init(
        _ directory: DataDirectory, purpose: String, durability: Durability = .full, settings: Settings? = nil,
        storeProblem: StoreProblem? = nil,
        clock: any WallClock = SystemClock(),
        observer: Observer = Observer(),
        sync: @escaping @Sendable (Int32) -> Int32 = { fdatasync($0) }
    ) throws(Problem) {
        let clock = ServiceClock.of(clock)
        self.clock = clock
        self.observer = observer
        let beginning = Mutex<Result<WriterStart.Opened, Problem>>(.failure(.cancelled))
        let hasBegun = DispatchSemaphore(value: 0)
        let (inbox, isBehind) = (inbox, isBehind)
        let options = WriterStart.Options(
            durability: durability, settings: settings, storeProblem: storeProblem, clock: clock, sync: sync)
        threads = WorkThreads("picket writer") {
            // Opened when the store has been opened or cannot be. Before that, it may have no tables yet.
            let storeGate = DispatchSemaphore(value: 0)
            var phones: SimulatedPhones?
            let service: ServiceWriter
            let opened: WriterStart.Opened
            do throws(Problem) {
                let lock = try DirectoryLock(directory, purpose: purpose)
                let health = HealthCache()
                let started = Self.phones(of: directory, inbox, observer, health, after: storeGate)
                phones = started
                (service, opened) = try WriterStart(
                    directory, lock: lock, options: options, health: health, phones: started, observer: observer
                ).open()
                storeGate.signal()
            } catch {
                storeGate.signal()
                phones?.stop()
                beginning.withLock { $0 = .failure(error) }
                hasBegun.signal()
                return
            }
            beginning.withLock { $0 = .success(opened) }
            hasBegun.signal()
            WriterLoop(
                service: service, inbox: inbox, files: opened.files, log: opened.log, checkpoint: opened.checkpoint,
                isBehind: isBehind, waitsForSync: durability == .full, observer: observer
            ).run()
        }
        hasBegun.wait()
        let result = beginning.withLock { $0 }
        // Wait for the thread, so that the lock of the directory is released before this throws.
        if case .failure = result { threads.join() }
        let opened = try result.get()
        self.opened = opened
        (candidateCache, health, phones) = (opened.candidateCache, opened.health, opened.phones)
        (deviceGroups, inputTimeZones) = (opened.deviceGroups, opened.inputTimeZones)
    }

    /// The writer of a single command, without a service. It opens the data directory for its first work, and holds the directory's lock
    /// until `release()` or `stop()`.
    ///
    /// - Parameters:
    ///   - command: The command, shown to other processes that find the directory locked.
    ///   - patience: Milliseconds to wait for another process that writes to the directory. After that, work fails with
    ///     `Problem.storeBusy`.
    ///   - prepare: Called with the opened writer, on the writer's thread.
    package init(
        ofCommand command: String, _ directory: DataDirectory, patience: Int = DirectoryLock.patience,
        clock: any WallClock = SystemClock(), prepare: @escaping @Sendable (ServiceWriter) -> Void = { _ in }
    ) {
        self.clock = ServiceClock.of(clock)
        observer = Observer()
        opened = nil
        let candidateCache = RegionCandidateCache()
        (self.candidateCache, health) = (candidateCache, HealthCache())
        (deviceGroups, inputTimeZones) = (DeviceGroups(), InputTimeZones())
        let phones = SimulatedPhones(path: directory.registryFilePath)
        self.phones = phones
        let inbox = inbox
        threads = WorkThreads("picket writer") {
            CommandWriter(inbox) { () throws(Problem) in
                let service = try ServiceWriter(directory, purpose: command, patience: patience, clock: clock)
                service.candidateCache = candidateCache
                service.phones = phones
                prepare(service)
                return service
            }.run()
        }
    }

    /// The simulated phones of a directory. Their reports are recorded by the writer.
    private static func phones(
        of directory: DataDirectory, _ inbox: WriterInbox, _ observer: Observer, _ health: HealthCache,
        after storeGate: DispatchSemaphore
    ) -> SimulatedPhones {
        var phones = PhoneObserver(
            reportsReceived: { device, reports in
                _ = inbox.edit({ service throws(Problem) in try service.recordReports(reports, ofPhone: device) }) { result in
                    switch result {
                    case .success(let phones): phones.removeReports(reports, of: device)
                    case .failure(let problem): observer.problem(problem)
                    }
                }
            },
            failed: { observer.problem($0) },
            missing: { number throws(Problem) in
                storeGate.wait()
                storeGate.signal()
                return try PicketStore.missingPositions(after: number, in: directory.storePath)
            })
        phones.willChange = { health.recordChange(ofPhone: $0) }
        phones.othersChanged = { health.recordChangeOfAll() }
        return SimulatedPhones(serving: directory.registryFilePath, phones)
    }

    /// Submits the positions of a request, which are sorted by time on the calling thread. `completion` is called with the result after
    /// they are saved, on a thread of the writer that must not be blocked.
    ///
    /// - Returns: False if too much work is waiting, or the writer was stopped; then `completion` is not called.
    package func submit(
        _ batch: consuming FixBatch, policy: PolicyOverride? = nil, admission: Admission? = nil,
        _ completion: @escaping IntakeCompletion
    ) -> Bool {
        submit(TimeOrderedBatch(batch), policy: policy, admission: admission, completion)
    }

    /// The same with positions that are sorted already.
    package func submit(
        _ batch: TimeOrderedBatch, policy: PolicyOverride? = nil, admission: Admission? = nil,
        _ completion: @escaping IntakeCompletion
    ) -> Bool {
        inbox.add(batch, policy: policy, admission: admission, completion: completion)
    }

    /// Performs a change of the store between the transactions of positions. `completion` is called after the change is saved.
    ///
    /// - Returns: False if the writer was stopped; then nothing is done.
    package func submit<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result,
        _ completion: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        inbox.edit(body, completion)
    }

    /// Performs a check that changes nothing. Unlike `submit(_:_:)`, it does not wait for edits that wait for a later turn or that are made in
    /// steps.
    ///
    /// - Returns: False if the writer was stopped; then nothing is done.
    package func submit<Result: Sendable>(
        check body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result,
        _ completion: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        inbox.edit(isCheck: true, body, completion)
    }

    /// Writes everything that is committed now to the tables that readers use, then calls `completion`, even if that failed.
    ///
    /// - Complexity: Calls `completion` at once if no positions have arrived since the states were last written.
    func writeDerivedData(_ completion: @escaping @Sendable () -> Void) {
        guard isBehind.value.load(ordering: .acquiring), inbox.queue.add(.settle(ofOrder: false) { _ in completion() }) else {
            return completion()
        }
    }

    /// Writes everything that is committed now to the tables that readers use, and waits for that. Must not be called on a thread of the
    /// writer.
    package func writeDerivedData() {
        let settled = DispatchSemaphore(value: 0)
        writeDerivedData { settled.signal() }
        settled.wait()
    }

    /// Does the work that a removal of a device needs and that would block others: writes derived data, and sorts fixes.
    package func prepareRemoval() async {
        await withCheckedContinuation { continuation in fulfill([.derivedData, .order]) { continuation.resume() } }
    }

    /// Prepares the erasure of a device: does the work of `prepareRemoval()`, and checkpoints most of the write-ahead log, which the
    /// erasure has to empty.
    ///
    /// - Throws: `Problem.storeReplaced` if a file of the store was deleted, moved or replaced.
    package func prepareErasure() async throws(Problem) {
        if let problem = opened?.files.problem() { throw problem }
        await prepareRemoval()
        try await checkpointLog()
    }

    /// Checkpoints most of the write-ahead log, while other work continues. Then the writer can empty the log within milliseconds.
    ///
    /// - Throws: `Problem.storeReplaced` if a file of the store was deleted, moved or replaced.
    package func checkpointLog() async throws(Problem) {
        guard let files = opened?.files else { return }
        let result: Result<Void, Problem> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(Problem) in _ = try files.checkpointByPath() })
            }
        }
        try result.get()
    }

    /// Sorts the fixes that are stored now by device and time, while other work continues.
    package func sortFixes() async {
        await withCheckedContinuation { continuation in sortFixes { _ in continuation.resume() } }
    }

    /// Sorts the fixes that are stored now by device and time, except for a few thousand, while other work continues. `completion` is called
    /// on any thread, with the problem that prevented sorting them.
    package func sortFixes(_ completion: @escaping @Sendable (Problem?) -> Void) {
        if !inbox.queue.add(.settle(ofOrder: true, completion)) { completion(.cancelled) }
    }

    /// Accepts positions beside other messages, by `body`, which makes its own transactions. It searches for the positions among the stored
    /// ones first. If that would take long, fixes are sorted while other work continues, and `body` is repeated. So it must not have changed
    /// anything before the search.
    ///
    /// - Parameter mostSorts: The maximum number of times that fixes are sorted.
    package func submit(
        intake body: @escaping @Sendable (ServiceWriter) throws(Problem) -> IntakeResult, mostSorts: Int = 3,
        _ completion: @escaping IntakeCompletion
    ) -> Bool {
        submit({ service throws(Problem) -> PositionTransaction? in
            let start = ContinuousClock.now
            if let problem = service.freeSpaceProblem { throw problem }
            do throws(Problem) {
                let result = try body(service)
                return .init(results: [result], newest: nil, seconds: (ContinuousClock.now - start).seconds)
            } catch {
                if service.store.takeOrderRequest(), mostSorts > 0 { return nil }
                throw error
            }
        }) { [self] result in
            switch result {
            case .failure(let problem): completion(.failure(problem))
            case .success(let group?):
                observer.group(group)
                completion(.success(group.results.first ?? IntakeResult()))
            case .success(nil):
                sortFixes { [self] problem in
                    if let problem { return completion(.failure(problem)) }
                    if !submit(intake: body, mostSorts: mostSorts - 1, completion) { completion(.failure(.cancelled)) }
                }
            }
        }
    }

    /// Without a service: closes the store and releases the directory until the next change. Waits for that.
    package func release() {
        let released = DispatchSemaphore(value: 0)
        if inbox.queue.add(.release { released.signal() }) { released.wait() }
    }

    /// The number of waiting requests and edits.
    package var queueLength: Int { inbox.queue.count }

    /// Accepts no further work, finishes the waiting work, and releases the directory.
    package func stop() {
        inbox.queue.close()
        threads.join()
        opened?.checkpoint.stop()
        opened?.log.stop()
    }
}

extension Writer {
    /// The number of devices that are edited at once, which takes a few milliseconds; see `Array.parts(of:)`. Without a service, nobody waits,
    /// and all are edited in one transaction.
    package var devicesAtOnce: Int { opened == nil ? 1 << 40 : 10 }
}

extension Array {
    /// The elements in parts, between which a writer does other work.
    package func parts(of size: Int) -> [[Element]] {
        stride(from: 0, to: count, by: size).map { Array(self[$0..<Swift.min($0 + size, count)]) }
    }
}

extension Writer: ServiceAccess {
    /// Performs a change of the store, and waits until it is saved.
    package func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            if !submit(body, { continuation.resume(returning: $0) }) { continuation.resume(returning: .failure(.cancelled)) }
        }
        return try result.get()
    }
}
