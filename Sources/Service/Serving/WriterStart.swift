import Core
import Foundation
import Model
import Places
import Settings
import SimulatedOS
import Store

/// Opens the store of a running service for writing, on the writer's thread.
struct WriterStart {
    /// The settings of the writer; see `Writer.init`.
    struct Options: Sendable {
        var durability: Durability
        /// Nil for the standard ones.
        var settings: Settings?
        var storeProblem: StoreProblem?
        var clock: ServiceClock
        var sync: @Sendable (Int32) -> Int32
    }

    /// What is known and open after the store was opened, and what other threads use too.
    struct Opened: Sendable {
        let care: DirectoryCare
        let recovery: Recovery
        let erasureOutcome: Result<Bool, Problem>?
        let candidateCache: RegionCandidateCache
        let deviceGroups: DeviceGroups
        let inputTimeZones: InputTimeZones
        let health: HealthCache
        let phones: SimulatedPhones
        let files: OpenStoreFiles
        let log: WALSync
        let checkpoint: WALCheckpoint
    }

    private let directory: DataDirectory
    private let lock: DirectoryLock
    private let options: Options
    private let health: HealthCache
    private let phones: SimulatedPhones
    private let observer: Writer.Observer

    /// - Parameters:
    ///   - health: The last known health of devices.
    ///   - phones: The simulated phones, which have their own thread.
    init(
        _ directory: DataDirectory, lock: DirectoryLock, options: Options, health: HealthCache, phones: SimulatedPhones,
        observer: Writer.Observer
    ) {
        self.directory = directory
        self.lock = lock
        self.options = options
        self.health = health
        self.phones = phones
        self.observer = observer
    }

    /// Opens the store.
    ///
    /// - Throws: `Problem.storeFull` if less than one megabyte of the disk is free, and the problems of opening a store.
    func open() throws(Problem) -> (ServiceWriter, Opened) {
        if directory.lacksRoom { throw .storeFull(path: directory.storePath) }
        let (candidateCache, deviceGroups, inputTimeZones) = (RegionCandidateCache(), DeviceGroups(), InputTimeZones())
        let service = try ServiceWriter(directory, lock: lock, deviceGroups: deviceGroups, clock: options.clock)
        service.serviceClock = options.clock
        options.clock.begin(
            after: try service.store.newestAcceptedTime(tolerance: SystemClock.tolerance), try service.store.trustedClock())
        service.candidateCache = candidateCache
        service.sharedHealth = health
        service.inputTimeZones = inputTimeZones
        if options.durability == .normal { try service.store.beginUnsyncedCommits(boot: MachineRun.name) }
        if let settings = options.settings { try service.beginFeeding(settings) }
        service.storeProblem = options.storeProblem
        try service.beginServing(phones)
        let files = try OpenStoreFiles(directory.storePath)
        let opened = Opened(
            care: service.care ?? lock.care, recovery: service.recovery, erasureOutcome: service.erasureOutcome,
            candidateCache: candidateCache,
            deviceGroups: deviceGroups, inputTimeZones: inputTimeZones, health: health, phones: phones, files: files,
            log: WALSync(of: files, meter: observer.sync, sync: options.sync),
            checkpoint: WALCheckpoint(of: files) { [observer] in observer.problem($0) })
        return (service, opened)
    }
}
