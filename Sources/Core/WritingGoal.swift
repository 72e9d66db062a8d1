import Model
import Store

/// The devices, by their index in memory, whose states in memory are newer than the stored ones. A lost state is computed again from the
/// inputs that led to it (`Timeline.recover`), because these are stored before a request is answered.
extension WriteBehind<Int> {
    /// The minimum time for which states wait.
    package static var statePatience: Duration { .seconds(2) }

    /// The number of rows after which no further state is written at once, which takes a few milliseconds. A state is a row, and so is each
    /// geofence of it that has changed.
    static var rowsAtOnce: Int { 700 }

    init() { self.init(patience: Self.statePatience) }

    /// Removes the devices from an index on.
    mutating func drop(from number: Int) { removeAll { $0 >= number } }
}

/// What has to be written so that everything that is stored at a certain moment is in derived tables.
package struct WritingGoal {
    fileprivate var numbers: [DerivedTable: Int]

    /// What has to be written for several callers.
    package static func all(_ goals: some Sequence<WritingGoal>) -> WritingGoal {
        goals.reduce(into: WritingGoal(numbers: [:])) { $0.numbers.merge($1.numbers, uniquingKeysWith: max) }
    }
}

extension ServiceWriter {
    /// Writes states later than their inputs from now on.
    package func beginWritingBehind() { isWritingBehind = true }

    /// Saves a device's state from memory: later if it can be computed again from the input log until then, otherwise now.
    package func saveState(_ deviceIndex: Int, in transaction: borrowing Transaction) throws(Problem) {
        let isStored = keepsPositions(ofDeviceAt: deviceIndex)
        if isWritingBehind, isStored { return saveLater(deviceIndex) }
        if !isStored {
            // The state could not be computed again from inputs that are not stored. Otherwise an earlier change of the geofences, which
            // did not concern the device, might be applied to its later position.
            keepForUndo(deviceIndex)
            loadedDevices[deviceIndex].applied = max(loadedDevices[deviceIndex].applied, try store.newestInputOfStates())
        }
        try save(deviceIndex, in: transaction)
    }

    private func saveLater(_ deviceIndex: Int) {
        scheduleDeadline(deviceIndex)
        guard !loadedDevices[deviceIndex].isBehind else { return }
        loadedDevices[deviceIndex].isBehind = true
        writeBehind.add(deviceIndex)
    }

    /// Whether the stored states are older than the stored inputs.
    var hasStatesToWrite: Bool { !writeBehind.isEmpty || mustRecover }

    /// Whether states or indexes are not written yet. Readers search the few fixes that are not in order.
    package var isBehind: Bool { hasStatesToWrite || !store.eventsBehind.isEmpty }

    /// Whether a part of a derived table should be written now, because it is due or because a caller waits for it.
    package func isWritingDue(for goal: WritingGoal? = nil) -> Bool { nextTable(for: goal) != nil }

    /// The table of which a part is written next. The tables take turns, so that none waits until another one is complete, which may never
    /// be under load.
    private func nextTable(for goal: WritingGoal?) -> DerivedTable? {
        var table = lastWrittenTable ?? .fixOrder
        for _ in DerivedTable.allCases {
            table = table.next
            if table == .fixOrder, isSortingFixes { continue }
            if isDue(table) || goal.map({ needs(table, for: $0) }) ?? false { return table }
        }
        return nil
    }

    private func isDue(_ table: DerivedTable) -> Bool {
        switch table {
        case .states: writeBehind.isDue || mustRecover
        case .eventIndexes: store.eventsBehind.isDue
        case .fixOrder: fixOrderPass != nil || store.isOrderDue
        }
    }

    private func hasReached(_ number: Int, in table: DerivedTable) -> Bool {
        switch table {
        case .states: !mustRecover && writeBehind.hasReached(number)
        case .eventIndexes: store.eventsBehind.hasReached(number)
        case .fixOrder: fixesOrdered >= number
        }
    }

    /// All states and indexes that wait now.
    ///
    /// - Parameter isOnly: Whether no other caller waits for a goal. Otherwise the batch of states might grow as fast as it is written.
    package func writingGoal(isOnly: Bool) throws(Problem) -> WritingGoal {
        if isOnly, !writeBehind.isEmpty { writeBehind.fillBatch(upTo: try store.newestInputOfStates()) }
        return WritingGoal(numbers: [.states: writeBehind.goal, .eventIndexes: store.eventsBehind.goal])
    }

    /// The order of the fixes that are stored now, except for a few thousand.
    package func orderGoal() throws(Problem) -> WritingGoal {
        let isOrdered = try store.unorderedFixCount() <= Self.fixesSortedAtOnce
        return WritingGoal(numbers: isOrdered ? [:] : [.fixOrder: Int(try store.newestInput())])
    }

    package func hasReached(_ goal: WritingGoal) -> Bool {
        goal.numbers.allSatisfy { table, number in hasReached(number, in: table) }
    }

    /// Whether more of a table has to be written to reach a goal.
    package func needs(_ table: DerivedTable?, for goal: WritingGoal) -> Bool {
        guard let table, let number = goal.numbers[table] else { return false }
        return !hasReached(number, in: table)
    }

    /// Writes a part of a derived table, which takes a few milliseconds.
    ///
    /// - Parameter goal: What callers wait for. More is then written at once.
    package func writeDerived(for goal: WritingGoal?) throws(Problem) {
        let parts = goal == nil ? 1 : 3
        lastWrittenTable = nextTable(for: goal)
        switch lastWrittenTable {
        case .states: try writeStates(atMost: parts * WriteBehind.rowsAtOnce)
        case .eventIndexes:
            try transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.indexEvents(atMost: parts * PicketStore.indexRowsAtOnce, in: transaction)
            }
        case .fixOrder: try orderFixes()
        case nil: break
        }
    }

    /// Writes all states and indexes.
    package func writeAllDerived() throws(Problem) {
        guard isBehind else { return }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try writeStates(in: transaction)
            try store.indexEvents(in: transaction)
        }
    }

    // MARK: - Order of fixes

    private func orderFixes() throws(Problem) {
        // If the transaction fails, the pass is dropped.
        guard var pass = fixOrderPass.take() else {
            isSortingFixes = true
            sortedUpTo = Int(try store.newestInput())
            if let sortFixesInParallel { return sortFixesInParallel() }
            return try continueOrder(.success(store.fixOrderPass()))
        }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try store.order(&pass, atMost: Self.fixesSortedAtOnce, in: transaction)
        }
        if pass.isDone { fixesOrdered = Int(try store.completeUpTo(.fixOrder)) } else { fixOrderPass = pass }
    }

    /// Continues the order with sorted fixes; nil if all are in order.
    package func continueOrder(_ sorted: Result<FixOrderPass?, Problem>) throws(Problem) {
        isSortingFixes = false
        store.isOrderDue = false
        let pass = try sorted.get()
        fixOrderPass = pass
        if pass == nil { fixesOrdered = sortedUpTo }
    }

    /// Puts stored fixes in order by device and time.
    ///
    /// - Parameter most: Stops after approximately this number of fixes.
    package func sortFixes(atMost most: Int = .max) throws(Problem) {
        var left = most
        while left > 0, try store.unorderedFixCount() > 0 {
            let part = min(left, FixOrderPass.maximumFixes)
            try transaction { (transaction: borrowing Transaction) throws(Problem) in
                try store.orderFixes(atMost: part, in: transaction)
            }
            left -= part
        }
        fixesOrdered = Int(try store.completeUpTo(.fixOrder))
    }

    // MARK: - States

    /// Writes the waiting states, and computes those again that were discarded after a failed transaction.
    ///
    /// - Parameter limit: The number of rows after which no further state is written; see `WriteBehind.rowsAtOnce`. The others are written
    ///   by the next call.
    package func writeStates(atMost limit: Int = .max) throws(Problem) {
        try finishUndo()
        guard !writeBehind.isEmpty else { return }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try writeStates(atMost: limit, in: transaction)
        }
    }

    /// Writes all waiting states, but does not record that the states are complete, because others are missing.
    func saveWaiting(in transaction: borrowing Transaction) throws(Problem) {
        for deviceIndex in loadedDevices.indices where loadedDevices[deviceIndex].isBehind {
            try save(deviceIndex, in: transaction)
        }
    }

    /// Writes the waiting states like `writeStates(atMost:)`, within a transaction.
    package func writeStates(atMost limit: Int = .max, in transaction: borrowing Transaction) throws(Problem) {
        guard !writeBehind.isEmpty else { return }
        var left = limit
        while left > 0, !writeBehind.isEmpty {
            if writeBehind.batch.isEmpty { writeBehind.fillBatch(upTo: try store.newestInputOfStates()) }
            while left > 0, let deviceIndex = writeBehind.nextRow() {
                // A device that was released or written separately is skipped.
                left -= 1
                if deviceIndex < loadedDevices.count, loadedDevices[deviceIndex].isBehind {
                    left -= loadedDevices[deviceIndex].state.changeCount
                    try save(deviceIndex, in: transaction)
                }
            }
            guard writeBehind.isBatchTaken else { break }
            try store.setComplete(.states, upTo: writeBehind.batchEnd, in: transaction)
            writeBehind.endBatch()
        }
        try savePhonesShown(in: transaction)
    }

    /// Records that every input is in the stored states, if no state waits.
    package func recordStatesSaved(in transaction: borrowing Transaction) throws(Problem) {
        try savePhonesShown(in: transaction)
        guard !hasStatesToWrite, try store.mayHaveUnsavedStates() else { return }
        try store.setComplete(.states, upTo: store.newestInputOfStates(), in: transaction)
    }

    /// Writes the state of one device, or of all devices, before it is read from the store.
    package func writeState(of device: DeviceKey?) throws(Problem) {
        guard let device else { return try writeStates() }
        try finishUndo()
        guard let deviceIndex = indicesByKey[device], loadedDevices[deviceIndex].isBehind else { return }
        try transaction { (transaction: borrowing Transaction) throws(Problem) in try save(deviceIndex, in: transaction) }
    }

    /// Writes the state of one device, or of all devices, within a transaction.
    package func writeState(of device: DeviceKey?, in transaction: borrowing Transaction) throws(Problem) {
        guard let device else { return try writeStates(in: transaction) }
        guard let deviceIndex = indicesByKey[device], loadedDevices[deviceIndex].isBehind else { return }
        try save(deviceIndex, in: transaction)
    }
}
