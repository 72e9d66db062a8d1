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
    /// - Parameter isSettled: Whether the states of devices include all stored positions. States that a running service has not written yet
    ///   are computed for this reader only, now and at each refresh.
    package convenience init(
        _ directory: DataDirectory, isSettled: Bool = true, clock: any WallClock = SystemClock()
    ) throws(Problem) {
        let found = try directory.hasStore() ? Self.open(directory) : nil
        let store = if let found { found } else { try PicketStore(writing: ":memory:") }
        self.init(directory, store, hasStore: found != nil, isSettled: isSettled, clock)
        if isSettled { try store.snapshot { () throws(Problem) in try computeUnwrittenStates() } }
    }

    private init(
        _ directory: DataDirectory, _ store: PicketStore, hasStore: Bool, isSettled: Bool, _ clock: any WallClock
    ) {
        self.isSettled = isSettled
        super.init(directory, store, hasStore: hasStore, care: nil, clock: clock)
    }

    /// Opens a store for reading; nil if another process is creating it, or has failed to.
    private static func open(_ directory: DataDirectory) throws(Problem) -> PicketStore? {
        let store = try PicketStore(reading: directory.storePath)
        return try store.schemaVersion() == 0 ? nil : store
    }

    package override func prepareNextPage() throws(Problem) { if isSettled { try refresh() } }

    /// Updates the reader before a request: discards the engine if the geofences have changed, and computes the states that are not written
    /// yet.
    ///
    /// - Parameter isWhole: Whether the writer has just written all states, so that none has to be computed.
    package func refresh(isWhole: Bool = false) throws(Problem) {
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
