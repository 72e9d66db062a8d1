import Model
import Monitor
import Store

/// The devices whose states in memory are newer than those that are stored.
///
/// A state is derived: the inputs that led to it are stored before anybody is answered, so it can be made again from them. To write it with
/// each input would touch a page of the file for each device each time. So states are written in batches every few seconds, and what a crash
/// takes is made again (`Timeline.recover`).
struct WriteBehind {
    /// Whether states are written behind the inputs that lead to them; else with them.
    var isOn = false
    /// The slots that wait, each once.
    private(set) var waiting: [Int] = []
    /// Those that are being written, from the back.
    private(set) var batch: [Int] = []
    /// Every input up to this number is in the stored states once the batch is written.
    private(set) var goal: Int64 = 0
    /// Those that were written in the transaction that is open.
    private(set) var written: [Int] = []
    /// How many batches have been written.
    private(set) var rounds = 0
    /// How many batches the transaction that is open has come to the end of.
    private var uncommittedRounds = 0
    /// When the first of those that wait began to.
    private(set) var since: ContinuousClock.Instant?

    /// Seconds that states wait at least.
    static let patience = Duration.seconds(2)
    /// So many states are written at once at most, which takes some milliseconds.
    static let batchSize = 500

    var isEmpty: Bool { waiting.isEmpty && batch.isEmpty }

    /// Whether there is something to write now.
    var isDue: Bool { !batch.isEmpty || since.map { ContinuousClock.now - $0 >= Self.patience } ?? false }

    mutating func add(_ slot: Int) {
        waiting.append(slot)
        if since == nil { since = .now }
    }

    /// Makes a batch of those that wait, unless one is under way.
    ///
    /// - Parameter newest: The number of the newest input.
    mutating func beginBatch(newest: () throws(Problem) -> Int64) throws(Problem) {
        guard batch.isEmpty, !waiting.isEmpty else { return }
        goal = try newest()
        swap(&batch, &waiting)
        since = nil
    }

    /// Adds those that wait to the batch. To be called while nobody else waits for the batch: else it might grow as fast as it is written.
    ///
    /// - Parameter newest: The number of the newest input.
    mutating func growBatch(newest: () throws(Problem) -> Int64) throws(Problem) {
        guard !batch.isEmpty else { return try beginBatch(newest: newest) }
        goal = try newest()
        batch.insert(contentsOf: waiting, at: 0)
        waiting.removeAll(keepingCapacity: true)
        since = nil
    }

    /// Takes one of the batch out; nil when all are.
    mutating func next() -> Int? {
        guard let slot = batch.popLast() else { return nil }
        written.append(slot)
        if batch.isEmpty { uncommittedRounds += 1 }
        return slot
    }

    mutating func noteCommitted() {
        rounds += uncommittedRounds
        uncommittedRounds = 0
        written.removeAll(keepingCapacity: true)
    }

    /// `rounds` once everything that waits now is written.
    var roundsToGo: Int { rounds + (batch.isEmpty ? 0 : 1) + (waiting.isEmpty ? 0 : 1) }

    /// Has everything wait again that was, or was to be, written in a transaction that has failed. The number of the batch may have been
    /// one of a fix that is gone.
    mutating func noteUndone() {
        uncommittedRounds = 0
        waiting += batch + written
        batch.removeAll()
        written.removeAll()
        if !waiting.isEmpty, since == nil { since = .now }
    }

    /// Forgets the slots from a number on.
    mutating func drop(from number: Int) {
        waiting.removeAll { $0 >= number }
        batch.removeAll { $0 >= number }
        // Else it would seem due to write nothing, again and again.
        if waiting.isEmpty { since = nil }
    }
}

extension ServiceWriter {
    /// Sees to it that a device's state in memory is written: later, when it can be made again from the input log until then; else now.
    func keepState(_ slot: Int) throws(Problem) {
        // An input that is not kept could not be applied again.
        guard behind.isOn, keepsPositions(ofSlot: slot) else { return try save(slot) }
        saveLater(slot)
    }

    private func saveLater(_ slot: Int) {
        noteDeadline(slot)
        guard !slots[slot].isBehind else { return }
        slots[slot].isBehind = true
        behind.add(slot)
    }

    /// Whether the tables of states are older than the inputs that are stored.
    var hasStatesToWrite: Bool { !behind.isEmpty || mustRecover }

    /// Whether something that is derived from positions and events should be written now, and whether anything is not written.
    var isWritingDue: Bool { areStatesDue || store.isIndexingDue }

    var isBehind: Bool { hasStatesToWrite || store.isIndexingBehind }

    private var areStatesDue: Bool { behind.isDue || mustRecover }

    /// What is to be written before everything is that waits at some moment.
    struct WritingGoal {
        fileprivate let states: Int
        fileprivate let events: Int
    }

    /// Everything that waits now.
    ///
    /// - Parameter isOnly: Whether nobody waits for another goal.
    func writingGoal(isOnly: Bool) throws(Problem) -> WritingGoal {
        if isOnly { try behind.growBatch { () throws(Problem) in try store.newestInput() } }
        return WritingGoal(states: behind.roundsToGo, events: store.indexingGoal)
    }

    func hasReached(_ goal: WritingGoal) -> Bool { hasStates(of: goal) && store.hasIndexed(goal.events) }

    private func hasStates(of goal: WritingGoal) -> Bool { !hasStatesToWrite || behind.rounds >= goal.states }

    /// Writes a part of what is derived: some states, else some rows of indexes.
    ///
    /// - Parameter goal: What somebody waits for. Then it is written though it is not due, and more of it at once; first the states, but
    ///   none that have come since, or under load the indexes would wait for ever.
    func writeDerived(for goal: WritingGoal?) throws(Problem) {
        let isStates = goal.map { !hasStates(of: $0) } ?? areStatesDue
        let parts = goal == nil ? 1 : 3
        if isStates { return try writeStates(atMost: parts * WriteBehind.batchSize) }
        try transaction { () throws(Problem) in try store.indexEvents(atMost: parts * RegionStore.indexRowsAtOnce) }
    }

    /// Writes all that is derived.
    func writeAllDerived() throws(Problem) {
        guard isBehind else { return }
        try transaction { () throws(Problem) in
            try writeStates()
            try store.indexEvents()
        }
    }

    /// Writes the states that wait, and makes those again that a failed transaction has taken from memory.
    ///
    /// - Parameter limit: At most so many; those that are left come next time.
    func writeStates(atMost limit: Int = .max) throws(Problem) {
        if !store.isInTransaction { try finishUndo() }
        guard !behind.isEmpty else { return }
        if store.isInTransaction { return try writeWaiting(limit) }
        try transaction { () throws(Problem) in try writeWaiting(limit) }
    }

    /// Writes all states that wait, but not that they are: others are missing.
    func saveWaiting() throws(Problem) {
        for slot in slots.indices where slots[slot].isBehind { try save(slot) }
    }

    private func writeWaiting(_ limit: Int) throws(Problem) {
        var left = limit
        while left > 0, !behind.isEmpty {
            try behind.beginBatch { () throws(Problem) in try store.newestInput() }
            while left > 0, let slot = behind.next() {
                // One that was released, or written by itself, is passed over.
                if slot < slots.count, slots[slot].isBehind { try save(slot) }
                left -= 1
            }
            if behind.batch.isEmpty { try store.noteStatesSaved(upTo: behind.goal) }
        }
        try notePhonesShown()
    }

    /// Notes that every input is in the stored states, where no state waits.
    func noteStatesSaved() throws(Problem) {
        try notePhonesShown()
        guard !hasStatesToWrite, try store.mayMissStates() else { return }
        try store.noteStatesSaved(upTo: store.newestInput())
    }

    /// Writes the state of a device, or of all, where it is not written yet: before it is read from the store.
    func settleStates(_ device: DeviceKey?) throws(Problem) {
        guard let device else { return try writeStates() }
        if !store.isInTransaction { try finishUndo() }
        guard let slot = slotsByKey[device], slots[slot].isBehind else { return }
        if store.isInTransaction { return try save(slot) }
        try transaction { () throws(Problem) in try save(slot) }
    }
}
