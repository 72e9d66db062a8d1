import Model
import Store

/// Reads a data directory beside whoever writes to it.
public final class ServiceReader: Queries {
    /// The revision of the fences, and what others had written, when `refresh` was last called.
    private var knownRevision: Int64 = 0
    private var knownChanges: Int?

    /// Opens a data directory to read it. Where there is no store yet, it reads as empty.
    ///
    /// - Parameter isSettled: Whether the states of devices are read as the stored positions make them. Those that a running service has
    ///   not written yet are made for it now, and whenever it is refreshed.
    public init(_ directory: DataDirectory, isSettled: Bool = true, clock: any WallClock = SystemClock()) throws(Problem) {
        let found = try directory.hasStore() ? Self.open(directory) : nil
        let store = if let found { found.store } else { try RegionStore(writing: ":memory:") }
        super.init(
            directory, store, hasStore: found != nil,
            copyBeforeUpdate: found?.copyBeforeUpdate, care: found?.care, clock: clock)
        if isSettled { try store.snapshot { () throws(Problem) in try settleAside() } }
    }

    /// Opens a store to read; one of an earlier version is brought up to date first.
    private static func open(
        _ directory: DataDirectory
    ) throws(Problem) -> (store: RegionStore, copyBeforeUpdate: String?, care: DirectoryCare?)? {
        let store = try RegionStore(reading: directory.store)
        switch try store.version() {
        // Somebody is making it this very moment, or could not: nothing is in it yet.
        case 0: return nil
        case RegionStore.newestVersion: return (store, nil, nil)
        default:
            let lock = try DirectoryLock(directory, purpose: "update of the store")
            defer { withExtendedLifetime(lock) {} }
            let copy = try RegionStore(writing: directory.store).copyBeforeUpdate
            return (try RegionStore(reading: directory.store), copy, lock.care)
        }
    }

    /// Forgets what was read of the fences when they have changed since, and makes what is not written yet. For a reader, before each
    /// question.
    ///
    /// - Parameter isWhole: Whether the writer has just written everything, so that nothing is to be made.
    func refresh(isWhole: Bool = false) throws(Problem) {
        unreadablePhones = nil
        let revision = try store.fenceRevision()
        if revision != knownRevision { forgetFences() }
        knownRevision = revision
        if isWhole {
            if knownChanges != nil { try dropAside() }
            knownChanges = nil
            return
        }
        let changes = try store.changeCounter()
        if changes != knownChanges { try store.snapshot { () throws(Problem) in try settleAside() } }
        knownChanges = changes
    }
}
