import Model
import Reconciler
import Registry
import Store
import Synchronization

/// The catalogs of the geofences for each platform, shared by the writer and the readers of a service. A catalog is built when it is
/// first needed, and updated after each edit.
package final class FenceCatalogs: Sendable {
    /// A committed change of geofences.
    struct CatalogEdit: Sendable {
        /// The revision before the edit (`from`) and after it (`to`).
        var from: Int64
        var to: Int64
        var put: [Geofence]
        /// The ids of removed geofences.
        var removed: [String]
    }

    /// The catalog of one platform.
    private struct StoredCatalog {
        var catalog: FenceCatalog
        var revision: Int64
        /// Edits that were not applied to the catalog yet, in order.
        var edits: [CatalogEdit] = []
        /// The number of geofences that these edits change.
        var waiting = 0
    }

    private struct State {
        var known: [Device.Platform: StoredCatalog] = [:]
        /// Increased whenever all catalogs are discarded, so that a catalog built from older geofences is not stored.
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The catalog of a platform; nil if it has to be built.
    ///
    /// - Parameter revision: The newest revision of the geofences that the caller knows.
    /// - Complexity: O(n) for n geofences after an edit (a few milliseconds for 100,000), otherwise O(1).
    func catalog(for platform: Device.Platform, at revision: Int64) -> FenceCatalog? {
        state.withLock { state in
            // The entry is removed from the dictionary, so that the catalog is changed in place and not copied.
            guard var known = state.known.removeValue(forKey: platform) else { return nil }
            if !known.edits.isEmpty {
                var put: [String: Geofence] = [:]
                var removed: Set<String> = []
                for edit in known.edits {
                    for id in edit.removed {
                        put[id] = nil
                        removed.insert(id)
                    }
                    for geofence in edit.put {
                        put[geofence.id] = geofence
                        removed.remove(geofence.id)
                    }
                    known.revision = edit.to
                }
                (known.edits, known.waiting) = ([], 0)
                known.catalog.apply(put: put.values, removed: removed)
            }
            // The geofences were also changed in another way, so the catalog has to be built again.
            guard known.revision >= revision else { return nil }
            state.known[platform] = known
            return known.catalog
        }
    }

    /// Whether the catalog of a platform exists and no edit has to be applied to it, so that nobody has to wait for it.
    func isReady(for platform: Device.Platform) -> Bool { state.withLock { $0.known[platform]?.edits.isEmpty ?? false } }

    /// The value to pass to `store(_:for:at:generation:)`.
    var generation: Int { state.withLock { $0.generation } }

    /// Stores a catalog that was built from the geofences at a revision.
    ///
    /// - Parameter generation: The value of `generation` before the geofences were read.
    func store(_ catalog: FenceCatalog, for platform: Device.Platform, at revision: Int64, generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.known[platform].map({ $0.revision < revision }) ?? true else { return }
            state.known[platform] = StoredCatalog(catalog: catalog, revision: revision)
        }
    }

    /// Records a committed edit, which is applied when a catalog is next needed.
    func recordEdit(_ edit: CatalogEdit) {
        state.withLock { state in
            for (platform, var known) in state.known {
                state.known[platform] = nil
                let newest = known.edits.last?.to ?? known.revision
                known.waiting += edit.put.count + edit.removed.count
                // A catalog that is not at the edit's starting revision was stored while the edit was made. With many waiting changes, a
                // new catalog is as fast. In both cases the catalog is discarded.
                guard newest == edit.from, known.waiting <= max(1000, known.catalog.entries.count / 2) else { continue }
                known.edits.append(edit)
                state.known[platform] = known
            }
        }
    }

    /// Discards all catalogs, because geofences were changed in another way than by an edit.
    func discardAll() {
        state.withLock { state in
            state.known.removeAll()
            state.generation += 1
        }
    }
}

extension ServiceAccess {
    /// Performs `body` on the writer when the catalog for a device's platform is ready. If it is not, `readers` builds it or applies edits to
    /// it first, so that the writer does not wait meanwhile.
    ///
    /// - Parameter platform: The platform of a device that has none yet.
    package func perform<Result: Sendable>(
        withCatalogOf device: String, or platform: Device.Platform? = nil, madeBy readers: any QueryAccess,
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result = try await perform { service throws(Problem) -> Result? in
            let platform = try service.store.device(id: device)?.device.platform ?? platform
            guard platform.map(service.catalogs.isReady) ?? true else { return nil }
            return try body(service)
        }
        if let result { return result }
        try await readers.ask { service throws(Problem) in
            if let platform = try service.store.device(id: device)?.device.platform ?? platform {
                _ = try service.catalog(for: platform)
            }
        }
        return try await perform(body)
    }
}

extension Queries {
    /// The catalog of the geofences for a platform.
    ///
    /// - Complexity: O(n log n) for n geofences if the catalog has to be built, O(n) after an edit, otherwise O(1).
    package func catalog(for platform: Device.Platform) throws(Problem) -> FenceCatalog {
        let revision = try store.fenceRevision()
        if let known = catalogs.catalog(for: platform, at: revision) { return known }
        let generation = catalogs.generation
        var newest: Int64
        var geofences: [PicketStore.StoredGeofence]
        repeat {
            newest = try store.fenceRevision()
            geofences = try store.geofences()
        } while try store.fenceRevision() != newest
        let catalog = FenceCatalog(geofences.lazy.map(\.geofence), profile: PlatformProfile(platform))
        if keepsCatalogs { catalogs.store(catalog, for: platform, at: newest, generation: generation) }
        return catalog
    }

    /// Builds the catalogs for the platforms of all managed devices in advance.
    func prepareCatalogs() throws(Problem) {
        for platform in Device.Platform.allCases where try store.hasManagedDevice(of: platform) {
            _ = try catalog(for: platform)
        }
    }

    /// A change of the geofences in a transaction.
    enum CatalogChange {
        case edit(FenceCatalogs.CatalogEdit)
        /// A change that is not an edit: all catalogs have to be built again.
        case other
    }
}

extension ServiceWriter {
    /// Adds edits, at most one of each geofence, to the changes that the catalogs get when the open transaction is committed.
    func queueCatalogEdits(_ edits: [GeofenceEdit], from: Int64, to: Int64) {
        var put: [Geofence] = []
        var removed: [String] = []
        for edit in edits {
            switch edit {
            case .save(let geofence): put.append(geofence)
            case .remove(let id): removed.append(id)
            }
        }
        uncommittedCatalogChanges.append(.edit(.init(from: from, to: to, put: put, removed: removed)))
    }

    /// Passes the changes of a committed transaction to the catalogs.
    func updateCatalogs() {
        if !uncommittedCatalogChanges.isEmpty { sharedHealth?.recordChangeOfAll() }
        for change in uncommittedCatalogChanges {
            switch change {
            case .edit(let edit): catalogs.recordEdit(edit)
            case .other: catalogs.discardAll()
            }
        }
        uncommittedCatalogChanges.removeAll()
    }
}
