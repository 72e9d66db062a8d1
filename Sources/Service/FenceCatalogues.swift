import Model
import Reconciler
import Registry
import Store
import Synchronization

/// The geofences as each platform sees them, shared by the writer and the readers of a service: made once for each platform that is asked
/// about, and changed with each edit from then on.
public final class FenceCatalogues: Sendable {
    /// A committed change of geofences.
    struct Edit: Sendable {
        /// The revision before it and the one that it made.
        var from: Int64
        var to: Int64
        var put: [Geofence]
        /// Ids of geofences that are no more.
        var removed: [String]
    }

    private struct Known {
        var catalogue: FenceCatalogue
        var revision: Int64
        /// Edits that the catalogue does not have yet, in order.
        var edits: [Edit] = []
        /// How many geofences these change.
        var waiting = 0
    }

    private struct State {
        var known: [Device.Platform: Known] = [:]
        /// Counts up when everything is forgotten, so that what was read before is not kept.
        var generation = 0
    }

    private let state = Mutex(State())

    public init() {}

    /// The catalogue of a platform; nil when it has to be made.
    ///
    /// - Parameter revision: The newest revision of the geofences that the caller knows of.
    /// - Complexity: O(geofences) after an edit, some milliseconds for 100,000; else O(1).
    func catalogue(for platform: Device.Platform, at revision: Int64) -> FenceCatalogue? {
        state.withLock { state in
            // Taken out, so that it is changed where it lies, and not in a copy.
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
            // Somebody else has changed the geofences.
            guard known.revision >= revision else { return nil }
            state.known[platform] = known
            return known.catalogue
        }
    }

    /// Whether a platform has a catalogue, so that nobody has to wait until one is made.
    func isMade(for platform: Device.Platform) -> Bool { state.withLock { $0.known[platform] != nil } }

    /// What `keep` wants to be told.
    var generation: Int { state.withLock { $0.generation } }

    /// Keeps a catalogue that was made of the geofences at a revision.
    ///
    /// - Parameter generation: As it was before the geofences were read.
    func keep(_ catalogue: FenceCatalogue, for platform: Device.Platform, at revision: Int64, generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.known[platform].map({ $0.revision < revision }) ?? true else { return }
            state.known[platform] = Known(catalogue: catalogue, revision: revision)
        }
    }

    /// Takes note of an edit that was committed.
    func note(_ edit: Edit) {
        state.withLock { state in
            for (platform, var known) in state.known {
                state.known[platform] = nil
                let newest = known.edits.last?.to ?? known.revision
                known.waiting += edit.put.count + edit.removed.count
                // One that is older was kept while the edit was made. After so many changes it is made anew as fast.
                guard newest == edit.from, known.waiting <= max(1000, known.catalogue.entries.count / 2) else { continue }
                known.edits.append(edit)
                state.known[platform] = known
            }
        }
    }

    /// Forgets everything, because geofences have changed in another way than by an edit.
    func forget() {
        state.withLock { state in
            state.known.removeAll()
            state.generation += 1
        }
    }
}

extension ServiceAccess {
    /// Does `body` on the service when there is a catalogue for a device's platform. One that is missing is made by `readers` before:
    /// that takes a while, in which nobody else is to wait.
    public func perform<Result: Sendable>(
        withCatalogueOf device: String, madeBy readers: any QueryAccess,
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result = try await perform { service throws(Problem) -> Result? in
            let platform = try service.store.device(id: device)?.device.platform
            guard platform.map(service.catalogues.isMade) ?? true else { return nil }
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
    /// The geofences as a platform sees them.
    ///
    /// - Complexity: O(n log n) for n geofences when it is made, O(n) after an edit, else O(1).
    public func catalogue(for platform: Device.Platform) throws(Problem) -> FenceCatalogue {
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
        if keepsCatalogues { catalogues.keep(catalogue, for: platform, at: newest, generation: generation) }
        return catalogue
    }

    /// Makes the catalogues of the platforms of all managed devices, so that nobody waits for them.
    func prepareCatalogues() throws(Problem) {
        for platform in Device.Platform.allCases where try store.hasManagedDevice(of: platform) {
            _ = try catalogue(for: platform)
        }
    }

    /// What a transaction changes of the geofences.
    enum CatalogueChange {
        case edit(FenceCatalogues.Edit)
        /// Something that is no edit: catalogues are made anew.
        case other
    }
}

extension ServiceWriter {
    /// Has the catalogues follow edits of geofences once the open transaction is committed.
    func noteInCatalogues(_ edits: [GeofenceEdit], from: Int64, to: Int64) {
        var put: [String: Geofence] = [:]
        var removed: Set<String> = []
        for edit in edits {
            switch edit {
            case .put(let geofence):
                put[geofence.id] = geofence
                removed.remove(geofence.id)
            case .remove(let id):
                put[id] = nil
                removed.insert(id)
            }
        }
        uncommittedCatalogueChanges.append(.edit(.init(from: from, to: to, put: Array(put.values), removed: Array(removed))))
    }

    /// Has the catalogues take over what a transaction has changed. To be called when it is committed.
    func updateCatalogues() {
        for change in uncommittedCatalogueChanges {
            switch change {
            case .edit(let edit): catalogues.note(edit)
            case .other: catalogues.forget()
            }
        }
        uncommittedCatalogueChanges.removeAll()
    }
}
