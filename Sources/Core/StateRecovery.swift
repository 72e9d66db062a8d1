import Model
import Store
import Timeline

extension Queries {
    /// Computes the states and events that a running service has not written yet, into temporary tables that only this connection sees.
    package func computeUnwrittenStates() throws(Problem) {
        try recoverStates(isWriting: false)
        try store.createUnindexedEventViews()
    }

    /// Removes these temporary tables, so that the store's own tables are read again.
    func dropTemporaryTables() throws(Problem) {
        try store.dropTemporaryStates()
        try store.dropUnindexedEventViews()
    }

    /// Updates the states of devices with the stored inputs; see `Timeline.recover`.
    ///
    /// - Parameter isWriting: Whether the states are stored. Otherwise they are put into temporary tables that only this connection sees.
    /// - Returns: The number of applied inputs.
    @discardableResult
    func recoverStates(isWriting: Bool) throws(Problem) -> Int {
        guard try store.mayHaveUnsavedStates() else {
            if !isWriting { try store.dropTemporaryStates() }
            return 0
        }
        if !isWriting { try store.createTemporaryStates() }
        let recovered = try Timeline.recover(store, present: currentEngine, policy: policy, isWriting: isWriting)
        if currentEngine == nil { currentEngine = recovered.fences.engine }
        return recovered.inputs
    }
}
