import Model
import Store

// The storage of incoming positions, and the detection of duplicates.

extension ServiceWriter {
    /// Whether the positions of a device are stored. If not, only its state and its events are.
    func keepsPositions(ofSlot slot: Int) -> Bool { slots[slot].keepsPositions(usual: keepPositions) }

    /// Stores a fix, unless its device's positions are not stored.
    ///
    /// - Returns: The number of the fix; nil if it is not stored.
    func storeFix(
        _ fix: Fix, ofSlot slot: Int, revision: Int64, isLate: Bool, attributes: String?, at now: Instant
    ) throws(Problem) -> Int64? {
        let key = slots[slot].key
        if keepsPositions(ofSlot: slot) {
            let isNewest = !isLate || slots[slot].isNewest(fix)
            return try store.append(
                fix, of: key, revision: revision,
                evaluation: !isLate ? .onReceipt : isNewest ? .byReplayAfterDeadline : .byReplay,
                attributes: attributes, lag: now - fix.time)
        }
        try recordSeen(fix.time, ofSlot: slot, isLate: isLate)
        if slots[slot].isGapRecorded { return nil }
        slots[slot].isGapRecorded = true
        try store.addReplayGaps(.positionsRemoved, to: key)
        interruptReplay(ofDevice: key)
        // A replay from a checkpoint would miss the fixes that are not stored from now on.
        try store.removeCheckpoints(of: key, after: .earliest)
        return nil
    }

    /// Records when a device was seen although its position is not stored. A late fix is saved immediately, and others with the device's
    /// state: those of one transaction together.
    private func recordSeen(_ moment: Instant, ofSlot slot: Int, isLate: Bool) throws(Problem) {
        if isLate { return try recordSeen([moment], ofSlot: slot) }
        slots[slot].unsavedSightings.append(moment)
    }

    /// Saves when a device was seen by positions that are not stored.
    func saveSeen(_ slot: Int) throws(Problem) {
        let times = slots[slot].unsavedSightings
        if times.isEmpty { return }
        slots[slot].unsavedSightings = []
        try recordSeen(times, ofSlot: slot)
    }

    private func recordSeen(_ times: [Instant], ofSlot slot: Int) throws(Problem) {
        let state = slots[slot].state
        // The times to which exits may still be dated back: those of the positions that have shown them first.
        let pendingExits =
            state.fenceStates.compactMap { $0.phase == .exiting ? $0.pending?.fix.time : nil }
            + [state.outlierCandidate?.time].compactMap(\.self)
        try store.recordSeenSpans(times.map(SeenSpan.init(at:)), of: slots[slot].key, pendingExits: pendingExits)
    }

    /// Stores a fix that its device marks as invalid, unless its positions are not stored. Neither a decision nor a replay uses it.
    func storeInvalidFix(_ fix: Fix, ofSlot slot: Int, revision: Int64, attributes: String?) throws(Problem) {
        guard keepsPositions(ofSlot: slot) else { return }
        try store.append(fix, of: slots[slot].key, revision: revision, evaluation: .never, attributes: attributes)
        if let newest = slots[slot].newestInvalid { slots[slot].newestInvalid = max(newest, fix.time) }
    }

    /// Whether a fix that its device marks as invalid is already stored. A fix newer than all stored ones cannot be, so the track need not
    /// be sorted and searched for it.
    func isStoredInvalidFix(_ fix: Fix, ofSlot slot: Int) throws(Problem) -> Bool {
        guard keepsPositions(ofSlot: slot) else { return false }
        let key = slots[slot].key
        if slots[slot].state.lateBefore.map({ fix.time > $0 }) ?? true {
            if slots[slot].newestInvalid == nil, try store.unorderedFixCount() <= FixOrdering.batchSize {
                slots[slot].newestInvalid = try store.newestFixTime(of: key) ?? .earliest
            }
            if let newest = slots[slot].newestInvalid, fix.time > newest { return false }
        }
        return try store.contains(fix, of: key, isValid: false)
    }

    /// Whether a fix of the same time and place is stored, and none that is as accurate.
    func isStoredLessAccurately(_ fix: Fix, ofSlot slot: Int) throws(Problem) -> Bool {
        guard fix.accuracyOrZero > 0, keepsPositions(ofSlot: slot) else { return false }
        return try store.containsOnlyLessAccurate(fix, of: slots[slot].key)
    }

    /// Whether a valid fix that is not newer than its device's newest one is already stored. If positions are not stored, always false.
    func isStored(_ fix: Fix, ofSlot slot: Int) throws(Problem) -> Bool {
        guard keepsPositions(ofSlot: slot) else { return false }
        return try store.contains(fix, of: slots[slot].key)
    }
}
