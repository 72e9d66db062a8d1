import Foundation
import Model
import Settings
import SimulatedOS
import Store

/// Opens the store of a running service for writing, on the writer's thread.
struct WriterStart {
    /// The settings of the writer; see `Writer.init`.
    struct Options: Sendable {
        var durability: Durability
        var keepPositions: Double?
        var deviceDefaults: DeviceDefaults
        var appReportMaxAge: Double
        var emergencyNumbers: EmergencyNumbers
        var storeProblem: StoreProblem?
        var supportContact: SupportContact?
        var clock: ServiceClock
        var sync: @Sendable (Int32) -> Int32
    }

    /// What other threads use too, also while the store is not open for writing.
    struct Shared: Sendable {
        let catalogs = FenceCatalogs()
        let deviceGroups = DeviceGroups()
        let inputTimeZones = InputTimeZones()
        let health: HealthCache
        let phones: SimulatedPhones
        let readOnly: ReadOnlyStart
    }

    /// What is known and open after the store was opened.
    struct Opened: Sendable {
        let recovery: Recovery
        let erasureOutcome: Result<Bool, Problem>?
        let files: StoreFileCheck
        let acknowledged: AcknowledgmentRecord
        let log: LogSync
        let checkpoint: LogCheckpoint
    }

    private let directory: DataDirectory
    private let lock: DirectoryLock
    private let options: Options
    private let shared: Shared
    private let observer: Writer.Observer
    /// The free disk space in bytes at the last attempt that failed.
    private var freeAtFailure: Int?
    private var failedAt = ContinuousClock.now

    /// Seconds between two attempts when the free space is the same.
    private static let retryInterval = 10.0
    /// Seconds between two looks at the free space.
    static let pollInterval = 2.0
    /// Seconds for which an attempt waits for readers.
    private static let readersPatience = 1.0

    init(
        _ directory: DataDirectory, lock: DirectoryLock, options: Options, shared: Shared, observer: Writer.Observer
    ) {
        self.directory = directory
        self.lock = lock
        self.options = options
        self.shared = shared
        self.observer = observer
    }

    /// The maintenance that was done in the directory.
    var care: DirectoryCare { lock.care }

    /// Opens the store. Without room for that, the service begins to read only.
    ///
    /// - Returns: Nil if the store can only be read.
    /// - Throws: The problems of opening a store that cannot be read either.
    mutating func begin() throws(Problem) -> (ServiceWriter, Opened)? {
        // Only the holder of the lock may do this: another process would take the reserve of a running service.
        DiskReserve(in: directory).releaseIfFull()
        do throws(Problem) {
            return try open()
        } catch {
            guard let problem = lackOfRoom(error) else { throw error }
            // Proves that there is a store which can be read.
            _ = try ServiceReader(unchanging: directory, clock: options.clock)
            recordFailure()
            shared.readOnly.begin(problem)
            observer.storeFailed(problem)
            return nil
        }
    }

    /// The problem that the disk has no room, if that is the reason of another problem; nil otherwise.
    private func lackOfRoom(_ problem: Problem) -> Problem? {
        if case .storeFull = problem { return problem }
        // SQLite does not report each failure to make a file as a full disk.
        guard problem.preventsWriting, let free = directory.freeBytes, free < ServiceWriter.leastRoom else { return nil }
        return .storeFull(path: directory.storePath)
    }

    /// Opens the store if there may be room now.
    ///
    /// - Returns: Nil if there is no room yet.
    mutating func retry() -> (ServiceWriter, Opened)? {
        guard mayHaveRoom else { return nil }
        var opened: (ServiceWriter, Opened)?
        _ = shared.readOnly.end(waitingAtMost: Self.readersPatience) {
            do throws(Problem) {
                opened = try open()
            } catch {
                recordFailure()
                observer.storeFailed(error)
            }
            return opened != nil
        }
        return opened
    }

    /// A full disk is not tried again before its free space has changed, because each attempt may evaluate many positions in vain.
    private var mayHaveRoom: Bool {
        guard let free = directory.freeBytes else { return true }
        guard free >= ServiceWriter.leastRoom else { return false }
        return freeAtFailure.map { free > $0 } ?? true || (ContinuousClock.now - failedAt).seconds >= Self.retryInterval
    }

    private mutating func recordFailure() {
        freeAtFailure = directory.freeBytes
        failedAt = .now
    }

    private func open() throws(Problem) -> (ServiceWriter, Opened) {
        let service = try ServiceWriter(directory, lock: lock, deviceGroups: shared.deviceGroups, clock: options.clock)
        service.serviceClock = options.clock
        options.clock.begin(
            after: try service.store.newestAcceptedTime(tolerance: SystemClock.tolerance), try service.store.trustedClock())
        service.catalogs = shared.catalogs
        service.sharedHealth = shared.health
        service.inputTimeZones = shared.inputTimeZones
        if options.durability == .normal { try service.store.beginUnsyncedCommits(boot: MachineRun.name) }
        service.keepPositions = options.keepPositions
        do throws(Problem) {
            try service.saveGeneralDefaults(options.deviceDefaults)
        } catch .storeFull(let path) {
            // The settings may be what makes room. The devices keep the earlier values until the next start.
            observer.problem(.storeFull(path: path))
        }
        service.appReportMaxAge = options.appReportMaxAge
        service.emergencyNumbers = options.emergencyNumbers
        service.storeProblem = options.storeProblem
        service.supportContact = options.supportContact
        try service.beginServing(shared.phones)
        let files = try StoreFileCheck(store: directory.storePath, contentBytes: try service.store.contentBytes())
        let acknowledged = try AcknowledgmentRecord(in: directory, after: .init(service.store))
        service.watchFiles(files)
        let opened = Opened(
            recovery: service.recovery, erasureOutcome: service.erasureOutcome, files: files, acknowledged: acknowledged,
            log: LogSync(of: files, meter: observer.sync, sync: options.sync),
            checkpoint: LogCheckpoint(of: files) { [observer] in observer.problem($0) })
        DiskReserve(in: directory).make()
        return (service, opened)
    }
}
