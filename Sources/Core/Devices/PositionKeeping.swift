import Model
import Monitor
import Store

// The storage of incoming positions, and the detection of duplicates.

extension ServiceWriter {
    /// Whether the positions of a device are stored. If not, only its state and its events are.
    package func keepsPositions(ofDeviceAt deviceIndex: Int) -> Bool {
        loadedDevices[deviceIndex].keepsPositions(usual: keepPositions)
    }

    /// Stores a fix, unless its device's positions are not stored.
    ///
    /// - Returns: The number of the fix; nil if it is not stored.
    package func storeFix(
        _ fix: Fix, ofDeviceAt deviceIndex: Int, revision: Int64, isLate: Bool, attributes: String?, at now: Instant,
        in transaction: borrowing Transaction
    ) throws(Problem) -> Int64? {
        let key = loadedDevices[deviceIndex].key
        if keepsPositions(ofDeviceAt: deviceIndex) {
            let isNewest = !isLate || loadedDevices[deviceIndex].isNewest(fix)
            return try store.append(
                fix, of: key, revision: revision,
                evaluation: !isLate ? .onReceipt : isNewest ? .byReplayAfterDeadline : .byReplay,
                attributes: attributes, lag: now - fix.time, in: transaction)
        }
        try recordSeen(fix.time, ofDeviceAt: deviceIndex, isLate: isLate, in: transaction)
        if loadedDevices[deviceIndex].isGapRecorded { return nil }
        loadedDevices[deviceIndex].isGapRecorded = true
        try store.addReplayGaps(.positionsRemoved, to: key, in: transaction)
        interruptReplay(ofDevice: key)
        // A replay from a checkpoint would miss the fixes that are not stored from now on.
        try store.removeCheckpoints(of: key, after: .earliest, in: transaction)
        return nil
    }

    /// Records when a device was seen although its position is not stored. A late fix is saved immediately, and others with the device's
    /// state: those of one transaction together.
    private func recordSeen(
        _ moment: Instant, ofDeviceAt deviceIndex: Int, isLate: Bool, in transaction: borrowing Transaction
    ) throws(Problem) {
        if isLate { return try recordSeen([moment], ofDeviceAt: deviceIndex, in: transaction) }
        loadedDevices[deviceIndex].unsavedSightings.append(moment)
    }

    /// Saves when a device was seen by positions that are not stored.
    func saveSeen(_ deviceIndex: Int, in transaction: borrowing Transaction) throws(Problem) {
        let times = loadedDevices[deviceIndex].unsavedSightings
        if times.isEmpty { return }
        loadedDevices[deviceIndex].unsavedSightings = []
        try recordSeen(times, ofDeviceAt: deviceIndex, in: transaction)
    }

    private func recordSeen(
        _ times: [Instant], ofDeviceAt deviceIndex: Int, in transaction: borrowing Transaction
    ) throws(Problem) {
        let state = loadedDevices[deviceIndex].state
        // The times to which exits may still be dated back: those of the positions that have shown them first.
        let pendingExits =
            state.fenceStates.compactMap { $0.phase == .exiting ? $0.pending?.fix.time : nil }
            + [state.outlierCandidate?.time].compactMap(\.self)
        try store.recordSeenSpans(
            times.map(SeenSpan.init(at:)), of: loadedDevices[deviceIndex].key, pendingExits: pendingExits, in: transaction)
    }

    /// Stores a fix that its device marks as invalid, unless its positions are not stored. Neither a decision nor a replay uses it.
    package func storeInvalidFix(
        _ fix: Fix, ofDeviceAt deviceIndex: Int, revision: Int64, attributes: String?, in transaction: borrowing Transaction
    ) throws(Problem) {
        guard keepsPositions(ofDeviceAt: deviceIndex) else { return }
        try store.append(
            fix, of: loadedDevices[deviceIndex].key, revision: revision, evaluation: .never, attributes: attributes,
            in: transaction)
        if let newest = loadedDevices[deviceIndex].newestInvalid {
            loadedDevices[deviceIndex].newestInvalid = max(newest, fix.time)
        }
    }

    /// Whether a fix that its device marks as invalid is already stored. A fix newer than all stored ones cannot be, so the track need not
    /// be sorted and searched for it.
    package func isStoredInvalidFix(_ fix: Fix, ofDeviceAt deviceIndex: Int) throws(Problem) -> Bool {
        guard keepsPositions(ofDeviceAt: deviceIndex) else { return false }
        let key = loadedDevices[deviceIndex].key
        if loadedDevices[deviceIndex].state.lateBefore.map({ fix.time > $0 }) ?? true {
            if loadedDevices[deviceIndex].newestInvalid == nil, try store.unorderedFixCount() <= Self.fixesSortedAtOnce {
                loadedDevices[deviceIndex].newestInvalid = try store.newestFixTime(of: key) ?? .earliest
            }
            if let newest = loadedDevices[deviceIndex].newestInvalid, fix.time > newest { return false }
        }
        return try store.contains(fix, of: key, isValid: false)
    }

    /// Whether a fix of the same time and place is stored, and none that is as accurate.
    package func isStoredLessAccurately(_ fix: Fix, ofDeviceAt deviceIndex: Int) throws(Problem) -> Bool {
        guard fix.accuracyOrZero > 0, keepsPositions(ofDeviceAt: deviceIndex) else { return false }
        return try store.containsOnlyLessAccurate(fix, of: loadedDevices[deviceIndex].key)
    }

    /// Whether a valid fix that is not newer than its device's newest one is already stored. If positions are not stored, always false.
    package func isStored(_ fix: Fix, ofDeviceAt deviceIndex: Int) throws(Problem) -> Bool {
        guard keepsPositions(ofDeviceAt: deviceIndex) else { return false }
        return try store.contains(fix, of: loadedDevices[deviceIndex].key)
    }
}
