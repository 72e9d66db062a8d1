import Foundation
import Geometry
import Model
import Monitor
import Reconciler
import Registry
import Settings
import SimulatedOS
import Store

/// Who writes to a data directory: owns the engine, the states of the devices and the input log.
///
/// It belongs to one thread at a time, and cannot be handed to another: it is not `Sendable`. `LocalService` and `Writer` let others ask
/// something of it.
public final class ServiceWriter: Queries {
    /// The right to write.
    private let lock: DirectoryLock
    /// How long positions are kept of devices that say nothing else: seconds, 0 for not at all, nil for ever.
    public var keepPositions: Double?

    /// Whom to call where an alarm is raised.
    var emergencyNumbers = EmergencyNumbers()

    /// Every device that was asked for.
    let slots = SlotTable()
    var slotNumbers: [String: Int] = [:]
    var slotsByKey: [DeviceKey: Int] = [:]
    /// The states that are not stored yet.
    var behind = WriteBehind()
    /// What the transaction that is open has changed in memory.
    var undo: TransactionUndo?
    /// Geofences that are to be read again: after a transaction that failed, or because they have changed without a revision.
    var fencesToRead: Set<FenceKey> = []
    /// Whether the rules of devices in memory are to be read again, and whether states are to be made again from the stored fixes.
    var mustReadRules = false
    var mustRecover = false
    /// Whether that is being done.
    var isFinishingUndo = false
    /// When devices have to be looked at without a fix; read from the store when first asked for.
    var deadlines: DeadlineQueue?

    /// What rules expect of devices; read from the store when first asked for.
    var knownRuleBook: RuleBook?

    /// What the open transaction has changed of the geofences.
    var uncommittedCatalogueChanges: [CatalogueChange] = []
    /// Without a service: simulated phones have been shown all positions up to this number; nil while nobody has looked.
    var phonesShown: Int64?
    /// The number that the store has of that.
    var keptPhonesShown: Int64?
    /// Devices whose phones are to be forgotten when the open transaction is committed.
    var phonesToRemove: [String] = []
    /// Is told when the owner of the phones has been asked to forget some.
    var onPhonesRemoved: (() -> Void)?
    /// Is told the events of each transaction when it has been committed, in order of sequence.
    var onCommit: (([Event]) -> Void)?
    /// The events of the transaction that is open.
    private var unpublished: [Event] = []
    /// Is told what else a transaction changed, when it has been committed.
    var onNotice: (([ServiceNotice]) -> Void)?
    /// Is told when positions have been committed, or as much as they are: a small change finds room on a full disk for long.
    var onWritten: (() -> Void)?
    /// Is told when a transaction has failed because the store could not be written.
    var onStoreFailure: ((Problem) -> Void)?
    /// The notices of the transaction that is open.
    private var unpublishedNotices: [ServiceNotice] = []
    /// Late fixes that wait for a replay; read from the store when first asked for.
    var replays: ReplayQueue?
    /// The replay of a device that is under way.
    var ongoingReplay: OngoingReplay?
    /// What auto-repair has still to hear of.
    var repairHints = RepairHints()

    /// Whether a service runs over it. Then what cannot be used becomes a problem, because nobody sees what an app is told; and what
    /// comes in is a sign of life now.
    var isServing = false
    /// The devices whose input has a standing problem; read from the store when first asked for.
    var intakeProblems: Set<String>?

    /// What was judged again when the store was opened to write.
    public private(set) var recovery = Recovery()

    /// Opens a data directory to change it; makes it when it is not there.
    ///
    /// - Parameters:
    ///   - purpose: The command that runs, for others that find the directory in use.
    ///   - patience: Milliseconds to wait for another process that writes.
    /// - Throws: `Problem.storeBusy` while another process writes to it, and the problems of opening a store.
    public init(
        _ directory: DataDirectory, purpose: String, patience: Int = DirectoryLock.patience, clock: any WallClock = SystemClock()
    ) throws(Problem) {
        lock = try DirectoryLock(directory, purpose: purpose, patience: patience)
        let store = try RegionStore(writing: directory.store)
        try store.renumberAfterPowerCut(boot: MachineRun.name, at: clock.now())
        super.init(
            directory, store, hasStore: true, copyBeforeUpdate: store.copyBeforeUpdate, care: lock.care, clock: clock)
        try store.readUnindexedEvents()
        let start = ContinuousClock.now
        recovery.inputs = try transaction { () throws(Problem) in
            let inputs = try recoverStates(isWriting: true)
            try beginNotingPhonesShown()
            return inputs
        }
        recovery.seconds = (ContinuousClock.now - start).seconds
        store.settleStates = { [unowned self] device throws(Problem) in try settleStates(device) }
    }

    /// Begins to work for a service.
    ///
    /// - Parameter phones: The simulated phones, which have a thread of their own.
    func beginServing(_ phones: SimulatedPhones) throws(Problem) {
        try store.prepareToServe()
        // Else the first position would wait for the engine, and others for the first report of a phone.
        _ = try engine()
        try prepareCatalogues()
        isServing = true
        behind.isOn = true
        // What an earlier run may have left of it: the store has just been written.
        try resolve(source: StoreProblem.source)
        self.phones = phones
    }

    // MARK: - Fences

    override func engine() throws(Problem) -> TransitionEngine {
        try readUndoneFences()
        return try super.engine()
    }

    /// Takes note that fences are others now: what is in memory of them is brought up to date.
    ///
    /// - Complexity: O(edits), however many fences there are.
    func fencesChanged(put: [FenceSet.Entry], removed: Set<FenceKey>, revision: Int64) {
        let engine = currentEngine
        forgetFences()
        guard let engine else { return }
        for entry in put { engine.fences.put(entry) }
        for key in removed { engine.fences.remove(key) }
        engine.fences.revision = revision
        currentEngine = engine
    }

    override func forgetFences() {
        super.forgetFences()
        ongoingReplay = nil
    }

    // What the open transaction has changed may be undone.
    override var keepsCatalogues: Bool { uncommittedCatalogueChanges.isEmpty }

    // MARK: - Simulated phones

    // Others wait for the thread that writes, and it waits for no phone: who asks on it has the answer before.
    override var mayWaitForPhones: Bool { !isServing || !phones.isServing }

    /// Shows all phones what an end of the process has kept from them, once.
    override func showMissed(of device: DeviceKey? = nil) throws(Problem) -> Problem? {
        guard !phones.isServing, phonesShown == nil, let shown = try store.phonesShown() else { return nil }
        let missed = try showMissing(after: shown, of: nil)
        phonesShown = missed.upTo
        return missed.problem
    }

    override func take(reports: [RegistryReport], ofPhone device: Device) throws(Problem) {
        guard let stored = try store.device(id: device.id) else { return }
        try note(reports, of: stored)
        try phones.removeReportsNow(reports, of: device)
    }

    // MARK: - Transactions

    /// Runs `body` in one transaction. When it throws, nothing has changed, neither in the store nor in memory.
    ///
    /// - Parameter isOfJournal: Whether it only keeps a problem. That it cannot be kept is no failure of its own.
    func transaction<Result>(
        ofJournal isOfJournal: Bool = false, ofPositions isOfPositions: Bool = false, _ body: () throws(Problem) -> Result
    ) throws(Problem) -> Result {
        let changes = store.changeCount
        do {
            try finishUndo()
            undo = TransactionUndo(slotCount: slots.count)
            let result = try store.transaction { () throws(Problem) in
                let result = try body()
                if !behind.isOn {
                    try store.indexEvents()
                    // Else whoever opens the store next would judge again what is in the states already.
                    try noteStatesSaved()
                }
                return result
            }
            undo = nil
            behind.noteCommitted()
            updateCatalogues()
            if !phonesToRemove.isEmpty {
                for device in phonesToRemove { phones.remove(device) }
                phonesToRemove.removeAll()
                onPhonesRemoved?()
            }
            if isOfPositions, store.changeCount != changes { onWritten?() }
            let (events, notices) = (unpublished, unpublishedNotices)
            unpublished.removeAll()
            unpublishedNotices.removeAll()
            if !events.isEmpty { onCommit?(events) }
            if !notices.isEmpty { onNotice?(notices) }
            return result
        } catch {
            unpublished.removeAll()
            unpublishedNotices.removeAll()
            uncommittedCatalogueChanges.removeAll()
            phonesToRemove.removeAll()
            undoTransaction()
            if error.isOfWholeStore, error.storePath == directory.store, !isOfJournal { onStoreFailure?(error) }
            throw error
        }
    }

    // MARK: - Devices in memory

    /// The slot of a device; nil when there is no such device.
    func slot(of id: String) throws(Problem) -> Int? {
        if let number = slotNumbers[id] { return number }
        guard let stored = try store.device(id: id) else { return nil }
        return try addSlot(stored)
    }

    /// Takes a device into memory, with its state.
    ///
    /// - Parameter isNew: Whether it has just been made, so that nothing is stored of its state.
    func addSlot(_ stored: RegionStore.StoredDevice, isNew: Bool = false) throws(Problem) -> Int {
        let number = slots.count
        let state = isNew ? DeviceState(device: stored.device, policy: policy) : try store.state(of: stored, policy: policy)
        slots.append(Slot(key: stored.key, state: state, applied: isNew ? 0 : try store.appliedInput(of: stored.key)))
        slotNumbers[stored.device.id] = number
        slotsByKey[stored.key] = number
        if let frontier = state.frontier {
            slots[number].eventsUpTo = max(frontier, state.heardAt ?? frontier)
        } else if try !store.hasEarlierLife(stored.key) {
            slots[number].eventsUpTo = .earliest
        }
        try readRules(ofSlot: number)
        return number
    }

    /// Writes transitions as the next events.
    ///
    /// - Parameter geofence: The fence as it was judged, and the revision that it was judged at.
    func record(
        _ transitions: [Transition], of slot: Int, at now: Instant, sequence: inout Int64,
        geofence: (FenceKey) throws(Problem) -> (Geofence, revision: Int64)
    ) throws(Problem) -> [Event] {
        var events: [Event] = []
        let known = slots[slot].eventsUpTo
        for (index, transition) in transitions.enumerated() {
            let fence: Geofence?
            let revision: Int64
            if let key = transition.fence {
                let judged = try geofence(key)
                fence = judged.0
                revision = judged.revision
            } else {
                fence = nil
                revision = try engine().fences.revision
            }
            sequence += 1
            events.append(
                try store.append(
                    transition, sequence: sequence, device: slots[slot].key, deviceId: slots[slot].state.device.id,
                    geofence: fence, revision: revision, recordedAt: now,
                    isFirst: transition.occurredAt > known
                        && !transitions[..<index].contains { $0.isTold(as: transition) }))
            slots[slot].eventsUpTo = max(slots[slot].eventsUpTo, transition.occurredAt)
        }
        publish(events)
        return events
    }

    /// Has a notice told when the transaction that it belongs to is committed.
    func publish(_ notice: @autoclosure () -> ServiceNotice) {
        if onNotice != nil { unpublishedNotices.append(notice()) }
    }

    /// Has events told when the transaction that they belong to is committed.
    func publish(_ events: [Event]) {
        if onCommit != nil { unpublished += events }
    }
}

extension Transition {
    /// Whether an event of another has the same id but for a number that tells such events apart.
    fileprivate func isTold(as other: Transition) -> Bool {
        fence == other.fence && type == other.type && occurredAt == other.occurredAt && cause == other.cause
    }
}
