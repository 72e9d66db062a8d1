import Model
import Store
import Timeline

extension Queries {
    /// Computes the states and events that a running service has not written yet, into temporary tables that only this connection sees.
    package func computeUnwrittenStates() throws(Problem) {
        if try store.mayHaveUnsavedStates() {
            try store.createTemporaryStates { (transaction: borrowing Transaction) throws(Problem) in
                _ = try recoverStates(in: transaction)
            }
        } else {
            try store.dropTemporaryStates()
        }
        try store.createUnindexedEventViews()
    }

    /// Removes these temporary tables, so that the store's own tables are read again.
    func dropTemporaryTables() throws(Problem) {
        try store.dropTemporaryStates()
        try store.dropUnindexedEventViews()
    }

    /// Updates the states of devices with the stored inputs; see `Timeline.recover`.
    ///
    /// - Returns: The number of applied inputs.
    fileprivate func recoverStates(in transaction: borrowing Transaction) throws(Problem) -> Int {
        let recovered = try Timeline.recover(store, present: currentEngine, policy: policy, in: transaction)
        if currentEngine == nil { currentEngine = recovered.fences.engine }
        return recovered.inputs
    }
}

extension ServiceWriter {
    /// Stores the states of devices that an earlier process has not stored, or that a failed transaction has discarded.
    ///
    /// - Returns: The number of applied inputs.
    @discardableResult
    func storeMissingStates(in transaction: borrowing Transaction) throws(Problem) -> Int {
        guard try store.mayHaveUnsavedStates() else { return 0 }
        let inputs = try recoverStates(in: transaction)
        try store.setComplete(.states, upTo: store.newestInputOfStates(), in: transaction)
        return inputs
    }
}
