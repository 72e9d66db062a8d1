import Model
import Monitor
import Store

/// The changes in memory by a transaction, so that exactly these are undone if it fails.
struct TransactionUndo {
    /// The changed devices as they were before, by slot.
    private(set) var slots: [Int: ServiceWriter.LoadedDevice] = [:]
    /// The number of devices in memory when the transaction began.
    private(set) var slotCount = 0
    /// The keys of changed geofences.
    var fences: Set<FenceKey> = []
    /// Devices that were removed from the deadline queue.
    var deadlines: [DeviceKey] = []
    /// The slots of devices whose positions were evaluated. Their earlier states were not kept.
    var evaluatedSlots: [Int] = []

    init(slotCount: Int) { self.slotCount = slotCount }

    mutating func remember(_ slot: ServiceWriter.LoadedDevice, at number: Int) {
        guard number < slotCount, slots[number] == nil else { return }
        slots[number] = slot
    }
}

extension ServiceWriter {
    /// Keeps the current state of a device, to restore it if the transaction fails. Must be called before the state is changed.
    func keepForUndo(_ slot: Int) {
        // A state that positions are changing is computed again instead.
        if !slots[slot].isChanging { undo?.remember(slots[slot], at: slot) }
    }

    /// Removes a device from memory.
    func release(_ slot: Int) {
        // A device that was removed and created again has another slot.
        if slotsByKey[slots[slot].key] == slot {
            slotNumbers[slots[slot].state.device.id] = nil
            slotsByKey[slots[slot].key] = nil
        }
        slots[slot].isBehind = false
        slots[slot].isChanging = false
        slots[slot].hasRules = false
        slots[slot].ruleDue = .latest
    }

    /// Restores the memory to the state before a failed transaction.
    func undoTransaction() {
        guard let undo = self.undo.take() else { return }
        writeBehind.transactionFailed()
        var lost = Set(undo.evaluatedSlots)
        // Includes devices of which not all positions were evaluated.
        lost.formUnion(slots.indices.filter { slots[$0].isChanging })
        for slot in lost where undo.slots[slot] == nil {
            release(slot)
            mustRecover = true
        }
        while slots.count > undo.slotCount {
            release(slots.count - 1)
            slots.removeLast()
        }
        writeBehind.drop(from: undo.slotCount)
        for (slot, kept) in undo.slots {
            slots[slot] = kept
            slotNumbers[kept.state.device.id] = slot
            slotsByKey[kept.key] = slot
        }
        for key in undo.deadlines { deadlines?.schedule(.earliest, of: key) }
        fencesToRead.formUnion(undo.fences)
        knownRuleBook = nil
        mustReadRules = true
        replays = nil
        intakeProblems = nil
        clockLags.removeAll()
        sharedIDs.removeAll()
        ongoingReplay = nil
    }

    /// Reads again what was discarded after a failed transaction. Called before the next transaction and before any query. If reading
    /// fails, it is tried again the next time.
    func finishUndo() throws(Problem) {
        guard !isFinishingUndo, !fencesToRead.isEmpty || mustRecover || mustReadRules else { return }
        isFinishingUndo = true
        defer { isFinishingUndo = false }
        try readUndoneFences()
        if mustRecover {
            undo = TransactionUndo(slotCount: slots.count)
            do {
                try store.transaction { () throws(Problem) in
                    // The remaining states in memory are correct.
                    try saveWaiting()
                    try recoverStates(isWriting: true)
                }
            } catch {
                undoTransaction()
                throw error
            }
            publishHealthChanges()
            undo = nil
            mustRecover = false
        }
        // Reading the rules requires the states of devices.
        if mustReadRules {
            try readRules()
            mustReadRules = false
        }
    }

    /// Reads the geofences again that a failed transaction has changed in memory.
    func readUndoneFences() throws(Problem) {
        if fencesToRead.isEmpty { return }
        let revision = try store.fenceRevision()
        var put: [FenceSet.KeyedGeofence] = []
        for key in fencesToRead.sorted() {
            if let geofence = try store.geofence(key, at: revision) { put.append(.init(key: key, geofence: geofence)) }
        }
        updateEngine(saved: put, removed: fencesToRead.subtracting(put.map(\.key)), revision: revision)
        fencesToRead = []
    }
}
