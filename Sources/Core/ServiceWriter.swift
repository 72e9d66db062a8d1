import Foundation
import Model
import Monitor
import Registry
import SimulatedOS
import Store
import Timeline

/// Writes to a data directory. Owns the engine, the states of the devices, and the input log.
///
/// An instance must be used by one thread at a time, and cannot be passed to another: it is not `Sendable`. `Writer`
/// gives other threads access to it.
package final class ServiceWriter: Queries, PendingStateWriter {
    /// The lock of the data directory.
    private let lock: DirectoryLock
    /// The retention period for positions of devices without their own in seconds; 0 to keep none, nil for unlimited.
    package var keepPositions: Double?

    /// Determines the telephone number to call after an alarm.
    package var emergencyNumbers = EmergencyNumbers()

    /// The devices in memory: all that were requested so far.
    package let loadedDevices = LoadedDeviceTable()
    package var indicesByID: [String: Int] = [:]
    package var indicesByKey: [DeviceKey: Int] = [:]
    /// The states that are not stored yet.
    var writeBehind = WriteBehind()
    /// Whether states are written later than their inputs. Otherwise they are written in the same transaction.
    var isWritingBehind = false
    /// The derived table of which a part was written last; nil if none was due.
    package internal(set) var lastWrittenTable: DerivedTable?
    /// The sorted fixes that are put in order.
    var fixOrderPass: FixOrderPass?
    /// Starts to read and sort fixes on another thread, after which `continueOrder(_:)` must be called. If nil, the writer sorts them itself.
    package var sortFixesInParallel: (() -> Void)? { didSet { isSortingFixes = false } }
    /// Whether fixes are being read and sorted, and the newest input when that began.
    package internal(set) var isSortingFixes = false
    var sortedUpTo = 0
    /// All fixes up to this number are in order, or more.
    var fixesOrdered = 0
    /// The changes in memory by the open transaction; nil if none is open.
    package var undo: TransactionUndo?
    /// What the open transaction changes outside of the store when it is committed.
    package var effects = TransactionEffects()
    /// Geofences that have to be read again, because a transaction failed or because they changed without a new revision.
    package var fencesToRead: Set<FenceKey> = []
    /// Whether the rules of the devices in memory have to be read again (`mustReadRules`), and whether states have to be computed again
    /// from the stored fixes (`mustRecover`).
    var mustReadRules = false
    var mustRecover = false
    /// Whether `finishUndo` is running.
    var isFinishingUndo = false
    /// The deadlines of the devices. Read from the store on first use.
    package var deadlines: DeadlineQueue?

    /// The rules of the devices. Read from the store on first use.
    package var knownRuleBook: RuleBook?

    /// The groups of devices. Can be shared with other threads.
    let deviceGroups: DeviceGroups
    /// The zones of the devices' times. Are shared with other threads; the writer itself does not use them.
    package var inputTimeZones: InputTimeZones?
    /// Without a service: the simulated phones have processed all positions up to this number; nil if that was not checked yet.
    var phonesShown: Int64?
    /// The value of that number in the store.
    var storedPhonesShown: Int64?
    /// Is notified of what changes the health of devices. The writer itself does not use it.
    package var sharedHealth: HealthCache?
    /// The news of committed transactions that nobody has taken yet; nil if nobody takes any.
    var news: CommitNews?
    /// Returns whether anyone follows the positions of devices.
    package var followsDevices: () -> Bool = { false }
    /// The problems of transactions that have failed because the store could not be written, which nobody has taken yet.
    private var storeFailures: [Problem] = []
    /// The change of the geofences that is not applied to all devices yet.
    var openFenceChange: FenceChangeSteps?
    /// The maximum number of devices to which a step applies that change. A change that concerns no more devices has no steps.
    package var devicesInStep = 200
    /// When the edits of a turn have taken longer, further ones wait for the next turn, in which positions come first.
    package var editTimeInTurn = Duration.milliseconds(5)
    /// The late fixes that wait for a replay. Read from the store on first use.
    package var replays: ReplayQueue?
    /// The unfinished replay of a device; nil while no job evaluates a device again. Late fixes wait while a request has one, and a request
    /// discards one of late fixes.
    package var ongoingReplay: OngoingReplay?
    /// What has happened since automatic repair last took the hints.
    package var repairHints = RepairHints()

    /// Whether a service uses the writer. Then unusable input is recorded as a problem, because no person sees the response to an
    /// app, and incoming messages are signs of life at the current time.
    package var isServing = false
    /// When the service began to listen for positions; `earliest` without a service.
    var listeningSince = Instant.earliest
    /// The uptime of the machine at that moment in milliseconds, which stays right when the clock is set.
    var listeningUptime: Int64 = 0
    /// The clock of the service; nil without a service.
    package var serviceClock: ServiceClock?
    /// The doubt in the clock that was last recorded, and the uptime at that moment; nil before the first record.
    var recordedDoubt: (doubt: ClockTrust.Doubt?, uptime: Int64)?
    /// The last recorded moment at which the clock was relied on.
    var recordedTrust: TrustedClock?
    /// The open problems with what devices and tokens send. Read from the store on first use.
    package var intakeProblems: OpenIntakeProblems?
    /// What is known about the clocks of devices that send old positions.
    package var clockLags: [DeviceKey: ClockLag] = [:]
    /// The series of jumps of devices whose positions jump.
    package var sharedIDs: [DeviceKey: SharedIDDetector] = [:]

    /// The free disk space in bytes; nil if the system does not report it. Only tests replace it.
    package var freeBytes: () -> Int?

    /// The inputs that were applied again when the store was opened.
    package private(set) var recovery = Recovery()

    /// Whether interrupted erasures were finished when the store was opened; nil if there were none.
    package var erasureOutcome: Result<Bool, Problem>?

    /// Opens a directory that this process has locked for writing. Interrupted edits are not completed yet.
    ///
    /// - Parameter deviceGroups: Gets the groups of the devices.
    /// - Throws: The problems of opening a store.
    package init(
        opening directory: DataDirectory, lock: DirectoryLock, deviceGroups: DeviceGroups, clock: any WallClock
    ) throws(Problem) {
        self.lock = lock
        self.deviceGroups = deviceGroups
        freeBytes = { directory.freeBytes }
        try Self.checkStoreOfLog(in: directory)
        var care = lock.care
        let store = try PicketStore(writing: directory.storePath) { (store, version) throws(Problem) in
            care.update = try StoreUpdate(
                trying: store, version, in: directory, freeBytes: directory.freeBytes, at: clock.now())
        }
        try store.renumberAfterPowerCut(boot: MachineRun.name, at: clock.now())
        super.init(directory, store, hasStore: true, care: care, clock: clock)
        try store.readUnindexedEvents()
        let start = ContinuousClock.now
        recovery.inputs = try transaction { (transaction: borrowing Transaction) throws(Problem) in
            let inputs = try storeMissingStates(in: transaction)
            try initializePhonesShown(in: transaction)
            return inputs
        }
        recovery.seconds = (ContinuousClock.now - start).seconds
        try readOpenFenceChange()
        try completeFenceChange()
        store.pendingStateWriter = self
    }

    /// Checks that a directory does not have a log alone, without its store. SQLite would create a new store, and remove the log.
    private static func checkStoreOfLog(in directory: DataDirectory) throws(Problem) {
        let path = directory.storePath
        guard DataDirectory.size(path + "-wal") > 0 else { return }
        if try !directory.hasStore() {
            let remedy = "restore a backup, or delete \(path)-wal to start empty"
            throw .storeCorrupt(path: path, details: "the file is missing, but its log is there; \(remedy)")
        }
        if DataDirectory.size(path) == 0 { throw .storeCorrupt(path: path, details: "the file is empty") }
    }

    /// Prepares the writer for a service.
    ///
    /// - Parameter phones: The simulated phones, which have their own thread.
    package func beginServing(_ phones: SimulatedPhones) throws(Problem) {
        try store.configureForService()
        // A new store is in the log only, and damage in the log would lose the whole store.
        if DataDirectory.size(directory.storePath) < (try store.usedBytes()) { try store.checkpointPassively() }
        // Prepared here, so that neither the first position nor the first report of a phone has to wait.
        _ = try engine()
        try prepareCandidates()
        let devices = try devices()
        publish(
            groups: .init(uniqueKeysWithValues: devices.lazy.filter { !$0.groups.isEmpty }.map { ($0.id, $0.groups) }),
            timeZones: .init(uniqueKeysWithValues: devices.lazy.filter { $0.inputZone != nil }.map { ($0.id, $0.inputZone) }))
        if sharedHealth != nil { store.healthChanged = { [unowned self] in effects.health.insert($0) } }
        isServing = true
        listeningSince = clock.now()
        listeningUptime = serviceClock?.uptime ?? 0
        beginWritingBehind()
        // Others wait meanwhile.
        pastLimits.keysAtOnce = 4_000
        // The problem of an earlier run is over, because the store has just been written.
        try resolve(source: StoreProblem.source)
        self.phones = phones
    }

    // MARK: - Geofences

    package override func engine() throws(Problem) -> TransitionEngine {
        try readUndoneFences()
        return try super.engine()
    }

    /// Updates the engine after geofences were changed.
    ///
    /// - Complexity: O(k) for k edits, independent of the number of geofences.
    package func updateEngine(saved put: [FenceSet.KeyedGeofence], removed: Set<FenceKey>, revision: Int64) {
        let engine = currentEngine
        discardEngine()
        guard let engine else { return }
        for entry in put { engine.fences.upsert(entry) }
        for key in removed { engine.fences.remove(key) }
        engine.fences.revision = revision
        currentEngine = engine
    }

    package override func discardEngine() {
        super.discardEngine()
        ongoingReplay = nil
    }

    // Candidates that contain uncommitted changes must not be shared.
    override var keepsCandidates: Bool { effects.candidateChanges.isEmpty }

    // MARK: - Simulated phones

    // Other threads wait for the writer's thread, so it must not wait for a phone. Code that needs a phone's answer on this thread gets it
    // in advance.
    package override var mayWaitForPhones: Bool { !isServing || !phones.isServing }

    /// Passes positions to all simulated phones that they missed because the process ended. Done once.
    package override func passMissedPositions(of device: DeviceKey? = nil) throws(Problem) -> Problem? {
        guard !phones.isServing, phonesShown == nil, let shown = try store.phonesShown() else { return nil }
        let missed = try passPositions(after: shown, of: nil)
        phonesShown = missed.upTo
        return missed.problem
    }

    override func recordReports(_ reports: [RegistryReport], ofPhone device: Device) throws(Problem) {
        guard let stored = try store.device(id: device.id) else { return }
        try recordReports(reports, of: stored)
        try phones.onThisThread { file throws(Problem) in try file.removeReports(reports, of: device) }
    }

    // MARK: - Transactions

    /// Runs `body` in one transaction. If it throws, neither the store nor the memory is changed. The only exception is the file of a command's
    /// store that another one has replaced meanwhile: it has the change, but nobody reads it anymore.
    ///
    /// - Parameters:
    ///   - isOfJournal: Whether the transaction only records a problem. Its failure is then not reported as a failure of the store.
    ///   - isOfPositions: Whether the transaction stores positions, or as much data as positions need.
    package func transaction<Result>(
        ofJournal isOfJournal: Bool = false, ofPositions isOfPositions: Bool = false,
        _ body: (borrowing Transaction) throws(Problem) -> Result
    ) throws(Problem) -> Result {
        precondition(undo == nil, "a transaction within another one")
        let changes = store.changeCount
        do {
            try finishUndo()
            undo = TransactionUndo(self)
            let result = try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                let result = try body(transaction)
                if !isWritingBehind {
                    try store.indexEvents(in: transaction)
                    // Without this note, the next process to open the store would apply inputs again that are already in the states.
                    try recordStatesSaved(in: transaction)
                }
                return result
            }
            try checkFileOfCommand()
            for deviceIndex in undo?.evaluatedDevices ?? [] { loadedDevices[deviceIndex].isEvaluated = false }
            undo = nil
            writeBehind.transactionCommitted()
            publishEffects(hasWritten: isOfPositions && store.changeCount != changes)
            return result
        } catch {
            undoTransaction()
            if news != nil, error.preventsWriting, error.storePath == directory.storePath, !isOfJournal {
                storeFailures.append(error)
                // Data that was written before the failure does not prove that the store can be written now.
                news?.hasWritten = false
            }
            throw error
        }
    }

    /// Keeps the news of transactions from now on, until `takeNews()` returns them.
    package func keepNews() { news = CommitNews() }

    /// The news of the transactions that were committed since the last call.
    package func takeNews() -> CommitNews {
        defer { if news != nil { keepNews() } }
        return news ?? CommitNews()
    }

    /// The problems of the transactions that have failed since the last call because the store could not be written.
    package func takeStoreFailures() -> [Problem] {
        let taken = storeFailures
        storeFailures.removeAll()
        return taken
    }

    /// Without a service: checks that what was committed is in the file at the path of the store. A service checks that before it answers.
    private func checkFileOfCommand() throws(Problem) {
        if !isServing, store.hasMoved { throw .storeReplaced(path: directory.storePath) }
    }

    // MARK: - Devices in memory

    /// The index of a device; nil if the device does not exist.
    package func deviceIndex(of id: String) throws(Problem) -> Int? {
        if let number = indicesByID[id] { return number }
        guard let stored = try store.device(id: id) else { return nil }
        return try addLoadedDevice(stored)
    }

    /// Loads a device and its state into memory.
    ///
    /// - Parameter isNew: Whether the device was just created, so that it has no stored state.
    package func addLoadedDevice(_ stored: PicketStore.StoredDevice, isNew: Bool = false) throws(Problem) -> Int {
        let number = loadedDevices.count
        let state = isNew ? DeviceState(device: stored.device, policy: policy) : try store.state(of: stored, policy: policy)
        loadedDevices.append(
            LoadedDevice(key: stored.key, state: state, applied: isNew ? 0 : try store.appliedInput(of: stored.key)))
        indicesByID[stored.device.id] = number
        indicesByKey[stored.key] = number
        if let frontier = state.lateBefore {
            loadedDevices[number].eventsUpTo = max(frontier, state.lastHeard ?? frontier)
        } else if try store.replayNotes(of: stored.key).after == 0 {
            // A device that was removed and added again may have earlier events that are later than all that is stored about it now.
            loadedDevices[number].eventsUpTo = .earliest
        }
        if let end = try store.retractedUpTo(of: stored.key) {
            loadedDevices[number].eventsUpTo = max(loadedDevices[number].eventsUpTo, end)
        }
        try readRules(ofDeviceAt: number)
        return number
    }

    /// Appends transitions as events.
    ///
    /// - Parameter geofence: Returns the geofence as it was evaluated, and the revision.
    package func record(
        _ transitions: [Transition], of deviceIndex: Int, at now: Instant, sequence: inout Int64,
        in transaction: borrowing Transaction,
        geofence: (FenceKey) throws(Problem) -> (Geofence, revision: Int64)
    ) throws(Problem) -> [Event] {
        var events: [Event] = []
        events.reserveCapacity(transitions.count)
        let known = loadedDevices[deviceIndex].eventsUpTo
        var recorded: Set<EventIdentity> = []
        for transition in transitions {
            let fence: Geofence?
            let revision: Int64
            if let key = transition.fence {
                let deciding = try geofence(key)
                fence = deciding.0
                revision = deciding.revision
            } else {
                fence = nil
                revision = try engine().fences.revision
            }
            sequence += 1
            let isFirst = transitions.count == 1 || recorded.insert(EventIdentity(transition)).inserted
            events.append(
                try store.append(
                    transition, sequence: sequence, device: loadedDevices[deviceIndex].key,
                    deviceId: loadedDevices[deviceIndex].state.device.id,
                    geofence: fence, revision: revision, recordedAt: now, isFirst: isFirst && transition.occurredAt > known,
                    in: transaction))
            loadedDevices[deviceIndex].eventsUpTo = max(loadedDevices[deviceIndex].eventsUpTo, transition.occurredAt)
        }
        publish(events)
        return events
    }
}

extension [Event] {
    /// Appends events. An empty list shares their memory instead, because copying an event costs as much as storing it.
    package mutating func add(_ events: [Event]) {
        if isEmpty { self = events } else { self += events }
    }
}

/// What transitions have in common whose events have the same id, except for the number that distinguishes such events.
private struct EventIdentity: Hashable {
    let fence: FenceKey?
    let type: EventType
    let occurredAt: Instant
    let cause: Cause

    init(_ transition: Transition) {
        fence = transition.fence
        type = transition.type
        occurredAt = transition.occurredAt
        cause = transition.cause
    }
}
