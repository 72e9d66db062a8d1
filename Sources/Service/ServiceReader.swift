import Model
import Store

/// Reads a data directory beside the process that writes to it.
package final class ServiceReader: Queries {
    /// The revision of the geofences (`knownRevision`) and the counter of others' changes (`knownChanges`) at the last call of `refresh`.
    private var knownRevision: Int64 = 0
    private var knownChanges: Int?
    /// Whether this reader computes the states that are not written yet, because it cannot ask the writer to write them.
    private let isSettled: Bool

    /// Opens a data directory for reading. If there is no store yet, all queries return empty results.
    ///
    /// - Parameters:
    ///   - isSettled: Whether the states of devices include all stored positions. States that a running service has not written yet are
    ///     computed for this reader only, now and at each refresh.
    ///   - isMigrating: Whether a store of an earlier version is migrated first. If false, such a store appears empty, and nothing in the
    ///     directory is changed.
    package convenience init(
        _ directory: DataDirectory, isSettled: Bool = true, isMigrating: Bool = true, clock: any WallClock = SystemClock()
    ) throws(Problem) {
        let found = try directory.hasStore() ? Self.open(directory, isMigrating: isMigrating) : nil
        let store = if let found { found.store } else { try RegionStore(writing: ":memory:") }
        self.init(
            directory, store, hasStore: found != nil, isSettled: isSettled, copyBeforeUpdate: found?.copyBeforeUpdate,
            care: found?.care, clock)
        if isSettled { try store.snapshot { () throws(Problem) in try computeUnwrittenStates() } }
    }

    private init(
        _ directory: DataDirectory, _ store: RegionStore, hasStore: Bool, isSettled: Bool, copyBeforeUpdate: String?,
        care: DirectoryCare?, _ clock: any WallClock
    ) {
        self.isSettled = isSettled
        super.init(
            directory, store, hasStore: hasStore, copyBeforeUpdate: copyBeforeUpdate, care: care, clock: clock)
    }

    /// Opens a store for reading.
    private static func open(
        _ directory: DataDirectory, isMigrating: Bool
    ) throws(Problem) -> (store: RegionStore, copyBeforeUpdate: String?, care: DirectoryCare?)? {
        let store = try RegionStore(reading: directory.storePath)
        switch try store.schemaVersion() {
        // Another process is creating the store, or has failed to. The store is empty.
        case 0: return nil
        case RegionStore.newestVersion: return (store, nil, nil)
        default:
            guard isMigrating else { return nil }
            let lock = try DirectoryLock(directory, purpose: "update of the store")
            defer { withExtendedLifetime(lock) {} }
            let copy = try RegionStore(writing: directory.storePath).copyBeforeUpdate
            return (try RegionStore(reading: directory.storePath), copy, lock.care)
        }
    }

    override func prepareNextPage() throws(Problem) { if isSettled { try refresh() } }

    /// Updates the reader before a request: discards the engine if the geofences have changed, and computes the states that are not written
    /// yet.
    ///
    /// - Parameter isWhole: Whether the writer has just written all states, so that none has to be computed.
    func refresh(isWhole: Bool = false) throws(Problem) {
        unreadablePhones = nil
        knownPastFences = nil
        let revision = try store.fenceRevision()
        if revision != knownRevision { discardEngine() }
        knownRevision = revision
        if isWhole {
            if knownChanges != nil { try dropTemporaryTables() }
            knownChanges = nil
            return
        }
        let changes = try store.externalChangeCounter()
        if changes != knownChanges { try store.snapshot { () throws(Problem) in try computeUnwrittenStates() } }
        knownChanges = changes
    }
}
