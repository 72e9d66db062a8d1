import Model

@testable import Service

extension ServiceWriter {
    /// Forgets all that is in memory and can be read from the store, as if it had been opened anew.
    func forget() throws(Problem) {
        try writeStates()
        for slot in slots.indices { release(slot) }
        forgetFences()
        deadlines = nil
        knownRuleBook = nil
        replays = nil
        intakeProblems = nil
    }
}
