import Model
import Monitor
import Store

extension GeofenceService {
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

    /// Brings the states of devices up to date with the fixes that are stored: judges those again whose effect was not written before a
    /// crash. Their events are on record already.
    ///
    /// A state was written with everything but fixes that had happened to its device, so fixes are all that can be missing. Each is judged
    /// by the fences of its own revision.
    ///
    /// - Parameter isWriting: Whether the states are stored; else they are kept in tables that this connection alone sees.
    /// - Returns: How many fixes were judged.
    /// - Complexity: O(fixes since the states were last written), some microseconds each, and the making of an engine.
    @discardableResult
    func recoverStates(isWriting: Bool) throws(Problem) -> Int {
        guard try store.mayMissStates() else {
            if !isWriting { try store.dropStatesAside() }
            return 0
        }
        if !isWriting { try store.copyStatesAside() }
        var states: [DeviceKey: (state: DeviceState, applied: Int64)] = [:]
        var engine: TransitionEngine?
        var transitions: [Transition] = []
        var count = 0
        try store.forEachUnsavedFix { unsaved throws(Problem) in
            let current = try self.engine(engine, at: unsaved.revision)
            engine = current
            if states[unsaved.device] == nil {
                guard let stored = try store.device(key: unsaved.device) else { return }
                states[unsaved.device] = (try store.state(of: stored, policy: policy), 0)
            }
            current.observe(unsaved.fix, &states[unsaved.device]!.state, &transitions)
            states[unsaved.device]?.state.lag = unsaved.lag
            states[unsaved.device]?.applied = unsaved.number
            transitions.removeAll(keepingCapacity: true)
            count += 1
        }
        for key in states.keys.sorted() { try store.save(&states[key]!.state, of: key, applied: states[key]!.applied) }
        if isWriting { try store.noteStatesSaved(upTo: store.newestFixNumber()) }
        return count
    }

    /// The engine over the fences of a revision.
    ///
    /// - Parameter known: One over those of an earlier revision, or nil.
    private func engine(_ known: TransitionEngine?, at revision: Int64) throws(Problem) -> TransitionEngine {
        guard let known else {
            // The engine of a reader that was not refreshed may be older than the store.
            if try store.fenceRevision() == revision, try engine().fences.revision == revision { return try engine() }
            let entries = try store.geofences(at: revision).map { FenceSet.Entry(key: $0.key, geofence: $0.geofence) }
            return TransitionEngine(fences: FenceSet(revision: revision, entries))
        }
        guard known.fences.revision < revision else { return known }
        let changes = try store.fenceChanges(after: known.fences.revision, upTo: revision)
        for stored in changes.put { known.fences.put(.init(key: stored.key, geofence: stored.geofence)) }
        for key in changes.removed { known.fences.remove(key) }
        known.fences.revision = revision
        return known
    }
}
