import Model
import Reconciler
import Registry
import Store
import Synchronization

/// The catalogues of the geofences for each platform, shared by the writer and the readers of a service. A catalogue is built when it is
/// first needed, and updated after each edit.
package final class FenceCatalogues: Sendable {
    /// A committed change of geofences.
    struct CatalogueEdit: Sendable {
        /// The revision before the edit (`from`) and after it (`to`).
        var from: Int64
        var to: Int64
        var put: [Geofence]
        /// The ids of removed geofences.
        var removed: [String]
    }

    /// The catalogue of one platform.
    private struct StoredCatalogue {
        var catalogue: FenceCatalogue
        var revision: Int64
        /// Edits that were not applied to the catalogue yet, in order.
        var edits: [CatalogueEdit] = []
        /// The number of geofences that these edits change.
        var waiting = 0
    }

    private struct State {
        var known: [Device.Platform: StoredCatalogue] = [:]
        /// Increased whenever all catalogues are discarded, so that a catalogue built from older geofences is not stored.
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The catalogue of a platform; nil if it has to be built.
    ///
    /// - Parameter revision: The newest revision of the geofences that the caller knows.
    /// - Complexity: O(n) for n geofences after an edit (a few milliseconds for 100,000), otherwise O(1).
    func catalogue(for platform: Device.Platform, at revision: Int64) -> FenceCatalogue? {
        state.withLock { state in
            // The entry is removed from the dictionary, so that the catalogue is changed in place and not copied.
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
                known.catalogue.apply(put: put.values, removed: removed)
            }
            // The geofences were also changed in another way, so the catalogue has to be built again.
            guard known.revision >= revision else { return nil }
            state.known[platform] = known
            return known.catalogue
        }
    }

    /// Whether the catalogue of a platform exists, so that nobody has to wait while it is built.
    func hasCatalogue(for platform: Device.Platform) -> Bool { state.withLock { $0.known[platform] != nil } }

    /// The value to pass to `store(_:for:at:generation:)`.
    var generation: Int { state.withLock { $0.generation } }

    /// Stores a catalogue that was built from the geofences at a revision.
    ///
    /// - Parameter generation: The value of `generation` before the geofences were read.
    func store(_ catalogue: FenceCatalogue, for platform: Device.Platform, at revision: Int64, generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.known[platform].map({ $0.revision < revision }) ?? true else { return }
            state.known[platform] = StoredCatalogue(catalogue: catalogue, revision: revision)
        }
    }

    /// Records a committed edit, which is applied when a catalogue is next needed.
    func recordEdit(_ edit: CatalogueEdit) {
        state.withLock { state in
            for (platform, var known) in state.known {
                state.known[platform] = nil
                let newest = known.edits.last?.to ?? known.revision
                known.waiting += edit.put.count + edit.removed.count
                // A catalogue that is not at the edit's starting revision was stored while the edit was made. With many waiting changes, a
                // new catalogue is as fast. In both cases the catalogue is discarded.
                guard newest == edit.from, known.waiting <= max(1000, known.catalogue.entries.count / 2) else { continue }
                known.edits.append(edit)
                state.known[platform] = known
            }
        }
    }

    /// Discards all catalogues, because geofences were changed in another way than by an edit.
    func discardAll() {
        state.withLock { state in
            state.known.removeAll()
            state.generation += 1
        }
    }
}

extension ServiceAccess {
    /// Performs `body` on the writer when the catalogue for a device's platform exists. If it does not exist, `readers` builds it first, so
    /// that the writer does not wait meanwhile.
    package func perform<Result: Sendable>(
        withCatalogueOf device: String, madeBy readers: any QueryAccess,
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result = try await perform { service throws(Problem) -> Result? in
            let platform = try service.store.device(id: device)?.device.platform
            guard platform.map(service.catalogues.hasCatalogue) ?? true else { return nil }
            return try body(service)
        }
        if let result { return result }
        try await readers.ask { service throws(Problem) in
            if let platform = try service.store.device(id: device)?.device.platform { _ = try service.catalogue(for: platform) }
        }
        return try await perform(body)
    }
}

extension Queries {
    /// The catalogue of the geofences for a platform.
    ///
    /// - Complexity: O(n log n) for n geofences if the catalogue has to be built, O(n) after an edit, otherwise O(1).
    package func catalogue(for platform: Device.Platform) throws(Problem) -> FenceCatalogue {
        let revision = try store.fenceRevision()
        if let known = catalogues.catalogue(for: platform, at: revision) { return known }
        let generation = catalogues.generation
        var newest: Int64
        var geofences: [RegionStore.StoredGeofence]
        repeat {
            newest = try store.fenceRevision()
            geofences = try store.geofences()
        } while try store.fenceRevision() != newest
        let catalogue = FenceCatalogue(geofences.lazy.map(\.geofence), profile: PlatformProfile(platform))
        if keepsCatalogues { catalogues.store(catalogue, for: platform, at: newest, generation: generation) }
        return catalogue
    }

    /// Builds the catalogues for the platforms of all managed devices in advance.
    func prepareCatalogues() throws(Problem) {
        for platform in Device.Platform.allCases where try store.hasManagedDevice(of: platform) {
            _ = try catalogue(for: platform)
        }
    }

    /// A change of the geofences in a transaction.
    enum CatalogueChange {
        case edit(FenceCatalogues.CatalogueEdit)
        /// A change that is not an edit: all catalogues have to be built again.
        case other
    }
}

extension ServiceWriter {
    /// Adds edits to the changes that the catalogues get when the open transaction is committed.
    func queueCatalogueEdits(_ edits: [GeofenceEdit], from: Int64, to: Int64) {
        var put: [String: Geofence] = [:]
        var removed: Set<String> = []
        for edit in edits {
            switch edit {
            case .save(let geofence):
                put[geofence.id] = geofence
                removed.remove(geofence.id)
            case .remove(let id):
                put[id] = nil
                removed.insert(id)
            }
        }
        uncommittedCatalogueChanges.append(.edit(.init(from: from, to: to, put: Array(put.values), removed: Array(removed))))
    }

    /// Passes the changes of a committed transaction to the catalogues.
    func updateCatalogues() {
        for change in uncommittedCatalogueChanges {
            switch change {
            case .edit(let edit): catalogues.recordEdit(edit)
            case .other: catalogues.discardAll()
            }
        }
        uncommittedCatalogueChanges.removeAll()
    }
}
