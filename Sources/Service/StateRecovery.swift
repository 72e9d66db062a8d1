import Model
import Monitor
import Store
import Timeline

extension Queries {
    /// Reads what a service that runs beside has not written yet, as it is now, into tables that this connection alone sees.
    func settleAside() throws(Problem) {
        try recoverStates(isWriting: false)
        try store.copyUnindexedEventsAside()
    }

    /// Reads what is in the store again, and no longer what was made aside.
    func dropAside() throws(Problem) {
        try store.dropStatesAside()
        try store.dropEventsAside()
    }

    /// Brings the states of devices up to date with the inputs that are stored; see `Timeline.recover`.
    ///
    /// - Parameter isWriting: Whether the states are stored; else they are kept in tables that this connection alone sees.
    /// - Returns: How many inputs were applied.
    @discardableResult
    func recoverStates(isWriting: Bool) throws(Problem) -> Int {
        guard try store.mayMissStates() else {
            if !isWriting { try store.dropStatesAside() }
            return 0
        }
        if !isWriting { try store.copyStatesAside() }
        let recovered = try Timeline.recover(store, present: currentEngine, policy: policy, isWriting: isWriting)
        if currentEngine == nil { currentEngine = recovered.fences.engine }
        return recovered.inputs
    }
}
