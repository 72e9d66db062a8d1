import Foundation
import Model
import Settings
import SimulatedOS
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
    public var care: DirectoryCare? { beginning.care }
    /// The geofences as each platform sees them, as the writer has them.
    public var catalogues: FenceCatalogues { beginning.catalogues }
    /// The simulated phones, which live on a thread of their own.
    public var phones: SimulatedPhones { beginning.phones }
    /// What was judged again when the store was opened.
    public var recovery: Recovery { beginning.recovery }
    private let beginning: Beginning
    private let directory: DataDirectory
    private let inbox = WriterInbox()
    private let ordering: FixOrdering
    private let threads: WorkThreads
    /// Whether there is something that readers cannot read yet.
    private let isBehind = Flag()

    /// Opens the data directory to write, and starts.
    ///
    /// - Parameters:
    ///   - keepPositions: Seconds that positions are kept, for devices that say nothing else; nil for ever.
    ///   - appReportMaxAge: See `ServiceWriter.appReportMaxAge`.
    ///   - emergencyNumbers: Whom to call where an alarm is raised.
    ///   - storeProblem: Shown with the problems that it keeps.
    ///   - supportContact: See `ServiceWriter.supportContact`.
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
        self.directory = directory
        let beginning = Mutex<Result<Beginning, Problem>>(.failure(.cancelled))
        let hasBegun = DispatchSemaphore(value: 0)
        let (inbox, isBehind) = (inbox, isBehind)
        let ordering = FixOrdering(inbox, path: directory.store, problem: observer.problem)
        self.ordering = ordering
        threads = WorkThreads("picket writer") {
            let service: ServiceWriter
            let begun: Beginning
            do throws(Problem) {
                service = try ServiceWriter(directory, purpose: purpose, clock: clock)
                if durability == .normal { try service.store.beginUnsyncedCommits(boot: MachineRun.name) }
                service.keepPositions = keepPositions
                service.appReportMaxAge = appReportMaxAge
                service.emergencyNumbers = emergencyNumbers
                service.storeProblem = storeProblem
                service.supportContact = supportContact
                try service.beginServing(Self.phones(of: directory, inbox, observer))
                begun = Beginning(
                    service, LogSync(log: directory.store + "-wal", meter: observer.sync, sync: sync),
                    LogCheckpoint(store: directory.store) { observer.problem($0) })
            } catch {
                beginning.withLock { $0 = .failure(error) }
                hasBegun.signal()
                return
            }
            beginning.withLock { $0 = .success(begun) }
            hasBegun.signal()
            WriterLoop(
                service: service, inbox: inbox, ordering: ordering, log: begun.log, checkpoint: begun.checkpoint,
                isBehind: isBehind, waitsForSync: durability == .full, observer: observer
            ).run()
        }
        hasBegun.wait()
        let result = beginning.withLock { $0 }
        // Else the right to write would be given back some time later.
        if case .failure = result { threads.join() }
        self.beginning = try result.get()
    }

    /// What the writer's thread lets others have when it has opened the store.
    private struct Beginning: Sendable {
        let care: DirectoryCare?
        let catalogues: FenceCatalogues
        let phones: SimulatedPhones
        let recovery: Recovery
        let log: LogSync
        let checkpoint: LogCheckpoint

        init(_ service: ServiceWriter, _ log: LogSync, _ checkpoint: LogCheckpoint) {
            care = service.care
            catalogues = service.catalogues
            phones = service.phones
            recovery = service.recovery
            self.log = log
            self.checkpoint = checkpoint
        }
    }

    /// The simulated phones of a directory. What they tell by themselves comes back as work for the writer.
    private static func phones(of directory: DataDirectory, _ inbox: WriterInbox, _ observer: Observer) -> SimulatedPhones {
        SimulatedPhones(
            serving: directory.registry,
            PhoneObserver(
                told: { device, reports in
                    _ = inbox.edit({ service throws(Problem) in try service.note(reports, ofPhone: device) }) { result in
                        switch result {
                        case .success(let phones): phones.removeReports(reports, of: device)
                        case .failure(let problem): observer.problem(problem)
                        }
                    }
                },
                failed: { observer.problem($0) },
                missing: { number throws(Problem) in try RegionStore.missingPositions(after: number, in: directory.store) }))
    }

    /// Takes the positions of a request, and puts them in order of time on the caller's thread. What became of them is told once they
    /// are kept, on a thread of the writer's that must not be held up.
    ///
    /// - Returns: False when too much waits already, or the writer has been stopped; then nothing is told.
    public func submit(
        _ batch: consuming FixBatch, policy: DecisionPolicy.Name? = nil, _ told: @escaping Told
    ) -> Bool {
        inbox.add(TimeOrderedBatch(batch), policy, told)
    }

    /// Does something with the store, between the positions; `told` is called once what it has changed is kept.
    ///
    /// - Returns: False when the writer has been stopped; then nothing is done.
    public func submit<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result,
        _ told: @escaping @Sendable (Swift.Result<Result, Problem>) -> Void
    ) -> Bool {
        inbox.edit(body, told)
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

    /// Does what a removal of a device needs, and would hold others up: writes what is derived, and puts fixes in order.
    public func prepareRemoval() async {
        await withCheckedContinuation { continuation in settle { continuation.resume() } }
        await orderFixes()
    }

    /// The same for a device's erasure, which also empties the log: most of that is in the file before.
    public func prepareErasure() async throws(Problem) {
        await prepareRemoval()
        let path = directory.store
        let result: Result<Void, Problem> = await withCheckedContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(returning: Result { () throws(Problem) in try RegionStore.takeUpLog(of: path) })
            }
        }
        try result.get()
    }

    /// Puts the fixes that are stored by now in order by device and time, while other work goes on.
    public func orderFixes() async {
        await withCheckedContinuation { continuation in orderFixes { continuation.resume() } }
    }

    /// The same; `told` is called on any thread.
    public func orderFixes(_ told: @escaping @Sendable () -> Void) { ordering.order(told) }

    /// Requests and edits that wait.
    public var depth: Int { inbox.queue.count }

    /// Takes nothing more, finishes what was taken, and gives the directory back.
    public func stop() {
        inbox.queue.close()
        threads.join()
        beginning.checkpoint.stop()
        beginning.log.stop()
    }
}

extension Writer: ServiceAccess {
    /// Does something with the store and waits until what it has changed is kept.
    public func perform<Result: Sendable>(
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result: Swift.Result<Result, Problem> = await withCheckedContinuation { continuation in
            if !submit(body, { continuation.resume(returning: $0) }) { continuation.resume(returning: .failure(.cancelled)) }
        }
        return try result.get()
    }
}
