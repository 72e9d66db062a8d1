import Core
import Model

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
