import Model
import Monitor
import Store

/// What a transaction has changed in memory, so that its failure undoes that and nothing else.
struct TransactionUndo {
    /// Devices that were changed, as they were, by slot.
    private(set) var slots: [Int: ServiceWriter.Slot] = [:]
    /// How many devices were in memory when it began.
    private(set) var slotCount = 0
    /// Geofences that were changed.
    var fences: Set<FenceKey> = []
    /// Devices that were taken out of the queue of deadlines.
    var deadlines: [DeviceKey] = []
    /// Devices whose positions it has judged, without keeping their states as they were before.
    var judged: [Int] = []

    init(slotCount: Int) { self.slotCount = slotCount }

    mutating func keep(_ slot: ServiceWriter.Slot, at number: Int) {
        guard number < slotCount, slots[number] == nil else { return }
        slots[number] = slot
    }
}

extension ServiceWriter {
    /// Has a device be as it is now when the transaction fails. To be called before its state is changed.
    func remember(_ slot: Int) {
        // What positions have changed is judged again.
        if !slots[slot].isTouched { undo?.keep(slots[slot], at: slot) }
    }

    /// Takes a device out of memory.
    func release(_ slot: Int) {
        // A device that was removed and made again has another slot.
        if slotsByKey[slots[slot].key] == slot {
            slotNumbers[slots[slot].state.device.id] = nil
            slotsByKey[slots[slot].key] = nil
        }
        slots[slot].isBehind = false
        slots[slot].isTouched = false
        slots[slot].hasRules = false
        slots[slot].ruleDue = .latest
    }

    /// Brings memory to where it was before a transaction that has failed.
    func undoTransaction() {
        guard let undo = self.undo.take() else { return }
        behind.noteUndone()
        var lost = Set(undo.judged)
        // Those of positions that were not all judged.
        lost.formUnion(slots.indices.filter { slots[$0].isTouched })
        for slot in lost where undo.slots[slot] == nil {
            release(slot)
            mustRecover = true
        }
        while slots.count > undo.slotCount {
            release(slots.count - 1)
            slots.removeLast()
        }
        behind.drop(from: undo.slotCount)
        for (slot, kept) in undo.slots {
            slots[slot] = kept
            slotNumbers[kept.state.device.id] = slot
            slotsByKey[kept.key] = slot
        }
        for key in undo.deadlines { deadlines?.note(.earliest, of: key) }
        fencesToRead.formUnion(undo.fences)
        knownRuleBook = nil
        mustReadRules = true
        replays = nil
        intakeProblems = nil
        ongoingReplay = nil
    }

    /// Reads what a transaction that has failed leaves to be read, before the next one, and before anything is asked of the store. What
    /// cannot be read is tried again.
    func finishUndo() throws(Problem) {
        guard !isFinishingUndo, !fencesToRead.isEmpty || mustRecover || mustReadRules else { return }
        isFinishingUndo = true
        defer { isFinishingUndo = false }
        try readUndoneFences()
        if mustRecover {
            undo = TransactionUndo(slotCount: slots.count)
            do {
                try store.transaction { () throws(Problem) in
                    // Those in memory are as they should be.
                    try saveWaiting()
                    try recoverStates(isWriting: true)
                }
            } catch {
                undoTransaction()
                throw error
            }
            undo = nil
            mustRecover = false
        }
        // It asks for the states of devices.
        if mustReadRules {
            try readRules()
            mustReadRules = false
        }
    }

    /// Reads the geofences again that a failed transaction has changed in memory.
    func readUndoneFences() throws(Problem) {
        if fencesToRead.isEmpty { return }
        let revision = try store.fenceRevision()
        var put: [FenceSet.Entry] = []
        for key in fencesToRead.sorted() {
            if let geofence = try store.geofence(key, at: revision) { put.append(.init(key: key, geofence: geofence)) }
        }
        fencesChanged(put: put, removed: fencesToRead.subtracting(put.map(\.key)), revision: revision)
        fencesToRead = []
    }
}
