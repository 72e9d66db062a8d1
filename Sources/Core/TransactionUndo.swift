import Model
import Monitor
import Store

/// The changes in memory by a transaction, so that exactly these are undone if it fails.
package struct TransactionUndo {
    /// The changed devices as they were before, by index.
    private(set) var loadedDevices: [Int: ServiceWriter.LoadedDevice] = [:]
    /// The number of devices in memory when the transaction began.
    let deviceCount: Int
    /// The change of the geofences that was open when the transaction began.
    let openFenceChange: FenceChangeSteps?
    /// The keys of changed geofences.
    package var fences: Set<FenceKey> = []
    /// Devices that were removed from the deadline queue.
    var deadlines: [DeviceKey] = []
    /// The indices of devices whose positions were evaluated and whose states were saved. Their earlier states were not kept.
    package var evaluatedDevices: [Int] = []

    init(_ service: ServiceWriter) {
        deviceCount = service.loadedDevices.count
        openFenceChange = service.openFenceChange
    }

    mutating func remember(_ device: ServiceWriter.LoadedDevice, at number: Int) {
        guard number < deviceCount, loadedDevices[number] == nil else { return }
        loadedDevices[number] = device
    }
}

extension ServiceWriter {
    /// Keeps the current state of a device, to restore it if the transaction fails. Must be called before the state is changed.
    package func keepForUndo(_ deviceIndex: Int) {
        // A state that positions have changed is computed again instead.
        if !loadedDevices[deviceIndex].isEvaluated { undo?.remember(loadedDevices[deviceIndex], at: deviceIndex) }
    }

    /// Removes a device from memory.
    package func release(_ deviceIndex: Int) {
        // A device that was removed and created again has another index.
        if indicesByKey[loadedDevices[deviceIndex].key] == deviceIndex {
            indicesByID[loadedDevices[deviceIndex].state.device.id] = nil
            indicesByKey[loadedDevices[deviceIndex].key] = nil
        }
        loadedDevices[deviceIndex].isBehind = false
        loadedDevices[deviceIndex].isChanging = false
        loadedDevices[deviceIndex].isEvaluated = false
        loadedDevices[deviceIndex].hasRules = false
        loadedDevices[deviceIndex].ruleDue = .latest
    }

    /// Restores the memory to the state before a failed transaction.
    func undoTransaction() {
        guard let undo = self.undo.take() else { return }
        effects = TransactionEffects()
        openFenceChange = undo.openFenceChange
        writeBehind.transactionFailed()
        // Includes devices of which not all positions were evaluated.
        for deviceIndex in loadedDevices.indices
        where loadedDevices[deviceIndex].isEvaluated && undo.loadedDevices[deviceIndex] == nil {
            release(deviceIndex)
            mustRecover = true
        }
        while loadedDevices.count > undo.deviceCount {
            release(loadedDevices.count - 1)
            loadedDevices.removeLast()
        }
        writeBehind.drop(from: undo.deviceCount)
        for (deviceIndex, kept) in undo.loadedDevices {
            loadedDevices[deviceIndex] = kept
            indicesByID[kept.state.device.id] = deviceIndex
            indicesByKey[kept.key] = deviceIndex
        }
        for key in undo.deadlines { deadlines?.schedule(.earliest, of: key) }
        fencesToRead.formUnion(undo.fences)
        knownRuleBook = nil
        mustReadRules = true
        replays = nil
        storedPhonesShown = nil
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
            undo = TransactionUndo(self)
            do {
                try store.transaction { (transaction: borrowing Transaction) throws(Problem) in
                    // The remaining states in memory are correct.
                    try saveWaiting(in: transaction)
                    try storeMissingStates(in: transaction)
                }
            } catch {
                undoTransaction()
                throw error
            }
            undo = nil
            sharedHealth?.recordChange(of: effects.health)
            effects = TransactionEffects()
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
