import Geometry
import Model
import Monitor
import Reconciler
import Registry
import Settings
import SimulatedOS
import Store
import Timeline

/// The queries on a data directory. `ServiceReader` offers them beside the writing process, and `ServiceWriter` as the writing process.
///
/// Queries change nothing in the store. The simulated phones have their own file, which `operate(_:_:)` changes if no service runs.
///
/// An instance must be used by one thread at a time, and cannot be passed to another: it is not `Sendable`.
package class Queries {
    package let directory: DataDirectory
    /// Whether a store exists. If not, all queries return empty results.
    package let hasStore: Bool
    /// The maintenance that was done in the directory; nil if the directory was not locked for writing.
    package let care: DirectoryCare?
    package let store: PicketStore
    package let clock: any WallClock
    /// The store's decision policy, which applies where neither the geofence nor the device has its own values.
    package let policy = DecisionPolicy.balanced
    package let geometry = GEOSContext()

    /// Seconds after which an app's report is too old to describe the health of its registrations.
    package var appReportMaxAge = Settings.usualAppReportMaxAge

    /// Where people get help, as included in problems; nil if there is none.
    package var supportContact: SupportContact?

    /// The problem of the store itself; set while a service runs.
    package var storeProblem: StoreProblem?

    /// The engine with the current geofences. Created on first use.
    var currentEngine: TransitionEngine?
    /// What replays know about past geofences, until geofences are changed.
    package var knownPastFences: PastFences?
    package var pastLimits = PastFences.Limits()
    /// The candidates for each platform. Can be shared with other threads.
    package var candidateCache = RegionCandidateCache()
    /// The candidates that `holdingCandidates` has used so far; nil outside of it.
    var heldCandidates: [Device.Platform: RegionCandidates]?
    /// The last known health of devices; nil without a service, or while the store does not include what was committed.
    package var healthCache: HealthCache?
    /// The spatial index of the geofences. Created on first use.
    package var geofencePlaces: GeofenceSpatialIndex?
    /// The simulated phones. Can be shared with other threads.
    package var phones: SimulatedPhones
    /// Why the registry file could not be used in the last health query; nil if it could be used.
    package var registryProblem: Problem?
    /// Why no simulated phone can be queried. Reset for each request, so that each request waits for the phones once at most.
    package var unreadablePhones: Problem?

    init(
        _ directory: DataDirectory, _ store: PicketStore, hasStore: Bool, care: DirectoryCare?, clock: any WallClock
    ) {
        self.directory = directory
        self.store = store
        self.hasStore = hasStore
        self.care = care
        self.clock = clock
        phones = SimulatedPhones(path: directory.registryFilePath)
    }

    package func engine() throws(Problem) -> TransitionEngine {
        if let currentEngine { return currentEngine }
        let fences = try store.geofences()
        let engine = TransitionEngine(
            fences: FenceSet(
                revision: try store.fenceRevision(),
                fences.lazy.map { FenceSet.KeyedGeofence(key: $0.key, geofence: $0.geofence) }))
        currentEngine = engine
        return engine
    }

    /// Discards the engine, so that the geofences are read again.
    func discardEngine() {
        currentEngine = nil
        knownPastFences = nil
    }

    /// Whether candidates built by this instance may be shared with others.
    var keepsCandidates: Bool { true }

    // MARK: - Simulated phones

    /// Whether the calling thread may wait for a simulated phone.
    package var mayWaitForPhones: Bool { true }

    /// Passes positions to the simulated phones that they missed because the process ended. While a service runs, the owner of the phones
    /// does this instead.
    ///
    /// - Parameter device: The only device to handle; nil for all devices.
    /// - Returns: Why a phone could not process its positions; nil on success.
    @discardableResult
    package func passMissedPositions(of device: DeviceKey? = nil) throws(Problem) -> Problem? {
        guard !phones.isServing, hasStore, let shown = try store.phonesShown() else { return nil }
        return try passPositions(after: shown, of: device).problem
    }

    /// Prepares for the next page of a list that is read in several transactions.
    package func prepareNextPage() throws(Problem) {}

    /// Records reports of a phone. A reader does nothing, and leaves them to the next writer.
    func recordReports(_ reports: [RegistryReport], ofPhone device: Device) throws(Problem) {}
}
