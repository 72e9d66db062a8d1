import Core
import Model
import Store

extension ServiceWriter {
    /// Discards everything in memory that can be read from the store, as if the store had been opened again.
    package func forget() throws(Problem) {
        try writeStates()
        for deviceIndex in loadedDevices.indices { release(deviceIndex) }
        discardEngine()
        deadlines = nil
        knownRuleBook = nil
        replays = nil
        intakeProblems = nil
        clockLags.removeAll()
        sharedIDs.removeAll()
    }
}

extension ServiceWriter {
    /// Records a sign of life of a device in a transaction of its own.
    @discardableResult
    package func recordSignOfLife(deviceId: String, at moment: Instant) throws(Problem) -> [Event] {
        try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try recordSignOfLife(deviceId: deviceId, at: moment, in: transaction)
        }
    }
}
