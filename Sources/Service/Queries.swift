import Geometry
import Model
import Monitor
import Registry
import Settings
import SimulatedOS
import Store

/// What can be asked of a data directory: by `ServiceReader` beside whoever writes, and by `ServiceWriter`, who is that.
///
/// It changes nothing in the store. The simulated phones have a file of their own, and without a service `operate(_:_:)` lets something
/// happen to one.
///
/// It belongs to one thread at a time, and cannot be handed to another: it is not `Sendable`.
public class Queries {
    public let directory: DataDirectory
    /// Whether there is a store; without one there is nothing to read.
    public let hasStore: Bool
    /// Where the store is kept as it was before it was brought up to date just now; nil when it was not.
    public let copyBeforeUpdate: String?
    /// What was put in order in the directory; nil when nobody had to write to it.
    public let care: DirectoryCare?
    let store: RegionStore
    let clock: any WallClock
    /// The store's policy: what holds where neither fence nor device says otherwise.
    let policy = DecisionPolicy.balanced
    let geometry = GEOSContext()

    /// Seconds after which an app's report says nothing any more of how its registrations are.
    public var appReportMaxAge = Settings.usualAppReportMaxAge

    /// Where people get help; nil: nowhere. Problems name it.
    public var supportContact: SupportContact?

    /// The problem of the store itself, while a service runs over it.
    var storeProblem: StoreProblem?

    /// The engine over the fences as they are now; made when first needed.
    var currentEngine: TransitionEngine?
    /// The geofences as each platform sees them. Other threads may share them.
    var catalogues = FenceCatalogues()
    /// Where the fences lie; made when first needed.
    var geofencePlaces: GeofencePlaces?
    /// The simulated phones. Other threads may share them.
    var phones: SimulatedPhones
    /// Why the simulated operating systems gave no answer, the last time that they did not.
    public internal(set) var registryProblem: Problem?
    /// Why no simulated phone can be asked; each question begins anew, and waits for them once.
    var unreadablePhones: Problem?

    init(
        _ directory: DataDirectory, _ store: RegionStore, hasStore: Bool, copyBeforeUpdate: String?, care: DirectoryCare?,
        clock: any WallClock
    ) {
        self.directory = directory
        self.store = store
        self.hasStore = hasStore
        self.copyBeforeUpdate = copyBeforeUpdate
        self.care = care
        self.clock = clock
        phones = SimulatedPhones(path: directory.registry)
    }

    func engine() throws(Problem) -> TransitionEngine {
        if let currentEngine { return currentEngine }
        let fences = try store.geofences()
        let engine = TransitionEngine(
            fences: FenceSet(
                revision: try store.fenceRevision(), fences.map { FenceSet.Entry(key: $0.key, geofence: $0.geofence) }))
        currentEngine = engine
        return engine
    }

    /// Forgets what is in memory of the fences.
    func forgetFences() { currentEngine = nil }

    /// Whether catalogues of the geofences may be kept for others.
    var keepsCatalogues: Bool { true }

    // MARK: - Simulated phones

    /// Whether a simulated phone may be waited for.
    var mayWaitForPhones: Bool { true }

    /// Shows phones what an end of the process has kept from them. While a service runs, the owner of the phones does that by itself.
    ///
    /// - Parameter device: The only device that it is about; nil for all.
    /// - Returns: Why one could not be shown its own.
    @discardableResult
    func showMissed(of device: DeviceKey? = nil) throws(Problem) -> Problem? {
        guard !phones.isServing, hasStore, let shown = try store.phonesShown() else { return nil }
        return try showMissing(after: shown, of: device).problem
    }

    /// Takes note of what a phone has told by itself. Whoever only reads leaves that to the one who writes next.
    func take(reports: [RegistryReport], ofPhone device: Device) throws(Problem) {}
}
