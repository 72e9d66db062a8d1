import Model
import Monitor
import Store

/// The devices whose states in memory are newer than the stored ones.
///
/// A state is derived data: the inputs that led to it are stored before a request is answered, so the state can be computed from them
/// again. Writing the state with each input would change a page of the file for each device each time. Therefore states are written in
/// batches every few seconds, and states lost in a crash are computed again (`Timeline.recover`).
package struct WriteBehind {
    /// Whether states are written later than their inputs. Otherwise they are written in the same transaction.
    var isOn = false
    /// The indices of devices whose states wait to be written, each once.
    private(set) var waiting: [Int] = []
    /// The devices of the batch that is being written, from the back.
    private(set) var batch: [Int] = []
    /// When the batch is written, every input up to this number is in the stored states.
    private(set) var goal: Int64 = 0
    /// The devices that were written in the open transaction.
    private(set) var written: [Int] = []
    /// The number of batches that were written.
    private(set) var rounds = 0
    /// The number of batches that the open transaction has completed.
    private var uncommittedRounds = 0
    /// When the first of the waiting devices was added.
    private(set) var since: ContinuousClock.Instant?

    /// The minimum time for which states wait.
    package static let patience = Duration.seconds(2)
    /// The number of rows after which no further state is written at once, which takes a few milliseconds. A state is a row, and so is each
    /// geofence of it that has changed.
    static let rowsAtOnce = 700

    var isEmpty: Bool { waiting.isEmpty && batch.isEmpty }

    /// Whether states should be written now.
    var isDue: Bool { !batch.isEmpty || since.map { ContinuousClock.now - $0 >= Self.patience } ?? false }

    mutating func add(_ deviceIndex: Int) {
        waiting.append(deviceIndex)
        if since == nil { since = .now }
    }

    /// Creates a batch of the waiting devices, unless a batch is being written.
    ///
    /// - Parameter newest: Returns the number of the newest input.
    mutating func beginBatch(newest: () throws(Problem) -> Int64) throws(Problem) {
        guard batch.isEmpty, !waiting.isEmpty else { return }
        goal = try newest()
        swap(&batch, &waiting)
        since = nil
    }

    /// Adds the waiting devices to the batch. Must not be called while another caller waits for the batch, because the batch might then
    /// grow as fast as it is written.
    ///
    /// - Parameter newest: Returns the number of the newest input.
    mutating func growBatch(newest: () throws(Problem) -> Int64) throws(Problem) {
        guard !batch.isEmpty else { return try beginBatch(newest: newest) }
        goal = try newest()
        batch.insert(contentsOf: waiting, at: 0)
        waiting.removeAll(keepingCapacity: true)
        since = nil
    }

    /// Removes and returns the index of the next device of the batch; nil if the batch is empty.
    mutating func nextDevice() -> Int? {
        guard let deviceIndex = batch.popLast() else { return nil }
        written.append(deviceIndex)
        if batch.isEmpty { uncommittedRounds += 1 }
        return deviceIndex
    }

    mutating func transactionCommitted() {
        rounds += uncommittedRounds
        uncommittedRounds = 0
        written.removeAll(keepingCapacity: true)
    }

    /// The value of `rounds` when everything that waits now is written.
    var roundsToGo: Int { rounds + (batch.isEmpty ? 0 : 1) + (waiting.isEmpty ? 0 : 1) }

    /// Puts the devices whose states a failed transaction has written, or was to write, back among the waiting ones. The batch is
    /// discarded, because its `goal` may be the number of a fix that was rolled back.
    mutating func transactionFailed() {
        uncommittedRounds = 0
        waiting += batch + written
        batch.removeAll()
        written.removeAll()
        if !waiting.isEmpty, since == nil { since = .now }
    }

    /// Removes the devices from an index on.
    mutating func drop(from number: Int) {
        waiting.removeAll { $0 >= number }
        batch.removeAll { $0 >= number }
        // Otherwise writing would stay due although nothing waits.
        if waiting.isEmpty { since = nil }
    }
}

extension ServiceWriter {
    /// Writes states later than their inputs from now on.
    package func beginWritingBehind() { writeBehind.isOn = true }

    /// Saves a device's state from memory: later if it can be computed again from the input log until then, otherwise now.
    package func saveState(_ deviceIndex: Int) throws(Problem) {
        // If inputs are not stored, the state could not be computed again.
        guard writeBehind.isOn, keepsPositions(ofDeviceAt: deviceIndex) else { return try save(deviceIndex) }
        saveLater(deviceIndex)
    }

    private func saveLater(_ deviceIndex: Int) {
        scheduleDeadline(deviceIndex)
        guard !loadedDevices[deviceIndex].isBehind else { return }
        loadedDevices[deviceIndex].isBehind = true
        writeBehind.add(deviceIndex)
    }

    /// Whether the stored states are older than the stored inputs.
    var hasStatesToWrite: Bool { !writeBehind.isEmpty || mustRecover }

    /// `isWritingDue`: whether data derived from positions and events should be written now. `isBehind`: whether any such data is not
    /// written yet.
    package var isWritingDue: Bool { areStatesDue || store.isIndexingDue }

    package var isBehind: Bool { hasStatesToWrite || store.isIndexingBehind }

    private var areStatesDue: Bool { writeBehind.isDue || mustRecover }

    /// What has to be written so that everything that waits at a certain moment is stored.
    package struct WritingGoal {
        fileprivate let states: Int
        fileprivate let events: Int
    }

    /// Everything that waits now.
    ///
    /// - Parameter isOnly: Whether no other caller waits for a goal.
    package func writingGoal(isOnly: Bool) throws(Problem) -> WritingGoal {
        if isOnly { try writeBehind.growBatch { () throws(Problem) in try store.newestInputOfStates() } }
        return WritingGoal(states: writeBehind.roundsToGo, events: store.indexingGoal)
    }

    package func hasReached(_ goal: WritingGoal) -> Bool { hasStates(of: goal) && store.hasIndexed(goal.events) }

    private func hasStates(of goal: WritingGoal) -> Bool { !hasStatesToWrite || writeBehind.rounds >= goal.states }

    /// Writes a part of the derived data: states, or otherwise rows of indexes.
    ///
    /// - Parameter goal: The goal that a caller waits for. Data is then written even if it is not due, and more of it at once. States up to
    ///   the goal come first, but no newer ones, because under load the indexes would otherwise never be written.
    package func writeDerived(for goal: WritingGoal?) throws(Problem) {
        let isStates = goal.map { !hasStates(of: $0) } ?? areStatesDue
        let parts = goal == nil ? 1 : 3
        if isStates { return try writeStates(atMost: parts * WriteBehind.rowsAtOnce) }
        try transaction { () throws(Problem) in
            try store.indexEvents(atMost: parts * PicketStore.indexRowsAtOnce)
        }
    }

    /// Writes all derived data.
    package func writeAllDerived() throws(Problem) {
        guard isBehind else { return }
        try transaction { () throws(Problem) in
            try writeStates()
            try store.indexEvents()
        }
    }

    /// Writes the waiting states, and computes those again that were discarded after a failed transaction.
    ///
    /// - Parameter limit: The number of rows after which no further state is written; see `WriteBehind.rowsAtOnce`. The others are written
    ///   by the next call.
    package func writeStates(atMost limit: Int = .max) throws(Problem) {
        if !store.isInTransaction { try finishUndo() }
        guard !writeBehind.isEmpty else { return }
        if store.isInTransaction { return try writeWaiting(limit) }
        try transaction { () throws(Problem) in try writeWaiting(limit) }
    }

    /// Writes all waiting states, but does not record that the states are complete, because others are missing.
    func saveWaiting() throws(Problem) {
        for deviceIndex in loadedDevices.indices where loadedDevices[deviceIndex].isBehind { try save(deviceIndex) }
    }

    private func writeWaiting(_ limit: Int) throws(Problem) {
        var left = limit
        while left > 0, !writeBehind.isEmpty {
            try writeBehind.beginBatch { () throws(Problem) in try store.newestInputOfStates() }
            while left > 0, let deviceIndex = writeBehind.nextDevice() {
                // A device that was released or written separately is skipped.
                left -= 1
                if deviceIndex < loadedDevices.count, loadedDevices[deviceIndex].isBehind {
                    left -= loadedDevices[deviceIndex].state.changeCount
                    try save(deviceIndex)
                }
            }
            if writeBehind.batch.isEmpty { try store.setStatesSaved(upTo: writeBehind.goal) }
        }
        try savePhonesShown()
    }

    /// Records that every input is in the stored states, if no state waits.
    package func recordStatesSaved() throws(Problem) {
        try savePhonesShown()
        guard !hasStatesToWrite, try store.mayHaveUnsavedStates() else { return }
        try store.setStatesSaved(upTo: store.newestInputOfStates())
    }

    /// Writes the state of one device, or of all devices, before it is read from the store.
    package func writeState(of device: DeviceKey?) throws(Problem) {
        guard let device else { return try writeStates() }
        if !store.isInTransaction { try finishUndo() }
        guard let deviceIndex = indicesByKey[device], loadedDevices[deviceIndex].isBehind else { return }
        if store.isInTransaction { return try save(deviceIndex) }
        try transaction { () throws(Problem) in try save(deviceIndex) }
    }
}
