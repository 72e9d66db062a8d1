import Model
import Reconciler
import Registry
import Store
import Synchronization

/// The candidates for each platform, shared by the writer and the readers of a service. They are built when they are
/// first needed, and updated after each edit.
package final class RegionCandidateCache: Sendable {
    /// A committed change of geofences.
    package struct CandidateEdit: Sendable {
        /// The revision before the edit (`from`) and after it (`to`).
        var from: Int64
        var to: Int64
        var put: [Geofence]
        /// The ids of removed geofences.
        var removed: [String]

        package init(from: Int64, to: Int64, put: [Geofence], removed: [String]) {
            self.from = from
            self.to = to
            self.put = put
            self.removed = removed
        }
    }

    /// The candidates of one platform.
    private struct StoredCandidates {
        var candidates: RegionCandidates
        var revision: Int64
        /// Edits that were not applied to the candidates yet, in order.
        var edits: [CandidateEdit] = []
        /// The number of geofences that these edits change.
        var waiting = 0
    }

    private struct State {
        var known: [Device.Platform: StoredCandidates] = [:]
        /// Increased whenever all candidates are discarded, so that candidates built from older geofences are not stored.
        var generation = 0
    }

    private let state = Mutex(State())

    package init() {}

    /// The candidates of a platform; nil if they have to be built.
    ///
    /// - Parameter revision: The newest revision of the geofences that the caller knows.
    /// - Complexity: O(n) for n geofences after an edit (a few milliseconds for 100,000), otherwise O(1).
    func candidates(for platform: Device.Platform, at revision: Int64) -> RegionCandidates? {
        state.withLock { state in
            // The entry is removed from the dictionary, so that the candidates are changed in place and not copied.
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
                known.candidates.apply(put: put.values, removed: removed)
            }
            // The geofences were also changed in another way, so the candidates have to be built again.
            guard known.revision >= revision else { return nil }
            state.known[platform] = known
            return known.candidates
        }
    }

    /// Whether the candidates of a platform exist and no edit has to be applied to them, so that no caller has to wait for them.
    func isReady(for platform: Device.Platform) -> Bool { state.withLock { $0.known[platform]?.edits.isEmpty ?? false } }

    /// The value to pass to `store(_:for:at:generation:)`.
    var generation: Int { state.withLock { $0.generation } }

    /// Stores candidates that were built from the geofences at a revision.
    ///
    /// - Parameter generation: The value of `generation` before the geofences were read.
    func store(_ candidates: RegionCandidates, for platform: Device.Platform, at revision: Int64, generation: Int) {
        state.withLock { state in
            guard state.generation == generation, state.known[platform].map({ $0.revision < revision }) ?? true else { return }
            state.known[platform] = StoredCandidates(candidates: candidates, revision: revision)
        }
    }

    /// Records a committed edit, which is applied when candidates are needed next.
    func recordEdit(_ edit: CandidateEdit) {
        state.withLock { state in
            for (platform, var known) in state.known {
                state.known[platform] = nil
                let newest = known.edits.last?.to ?? known.revision
                known.waiting += edit.put.count + edit.removed.count
                // Candidates that are not at the edit's starting revision were stored while the edit was made. With many waiting changes, a
                // new build is as fast. In both cases the candidates are discarded.
                guard newest == edit.from, known.waiting <= max(1000, known.candidates.entries.count / 2) else { continue }
                known.edits.append(edit)
                state.known[platform] = known
            }
        }
    }

    /// Discards all candidates, because geofences were changed in another way than by an edit.
    func discardAll() {
        state.withLock { state in
            state.known.removeAll()
            state.generation += 1
        }
    }
}

extension ServiceAccess {
    /// Performs `body` on the writer when the candidates for a device's platform are ready. If they are not, `readers` builds them or
    /// applies edits to it first, so that the writer does not wait meanwhile.
    ///
    /// - Parameter platform: The platform of a device that has none yet.
    package func perform<Result: Sendable>(
        withCandidatesOf device: String, or platform: Device.Platform? = nil, madeBy readers: any QueryAccess,
        _ body: @escaping @Sendable (ServiceWriter) throws(Problem) -> Result
    ) async throws(Problem) -> Result {
        let result = try await perform { service throws(Problem) -> Result? in
            let platform = try service.store.device(id: device)?.device.platform ?? platform
            guard platform.map(service.candidateCache.isReady) ?? true else { return nil }
            return try body(service)
        }
        if let result { return result }
        try await readers.ask { service throws(Problem) in
            if let platform = try service.store.device(id: device)?.device.platform ?? platform {
                _ = try service.candidates(for: platform)
            }
        }
        return try await perform(body)
    }
}

extension Queries {
    /// The candidates for a platform.
    ///
    /// - Complexity: O(n log n) for n geofences if the candidates have to be built, O(n) after an edit, otherwise O(1).
    package func candidates(for platform: Device.Platform) throws(Problem) -> RegionCandidates {
        if let held = heldCandidates?[platform] { return held }
        let candidates = try currentCandidates(for: platform)
        heldCandidates?[platform] = candidates
        return candidates
    }

    /// Performs `body` with the same candidates for all devices, even if geofences are edited meanwhile. Without that, each
    /// assessment after an edit would get its own candidates, which takes a while, and keep a copy of all geofences in memory.
    package func holdingCandidates<Result>(_ body: () throws(Problem) -> Result) throws(Problem) -> Result {
        if heldCandidates != nil { return try body() }
        heldCandidates = [:]
        defer { heldCandidates = nil }
        return try body()
    }

    private func currentCandidates(for platform: Device.Platform) throws(Problem) -> RegionCandidates {
        let revision = try store.fenceRevision()
        if let known = candidateCache.candidates(for: platform, at: revision) { return known }
        let generation = candidateCache.generation
        let profile = PlatformProfile(platform)
        var entries: [RegionCandidates.RegionCandidate] = []
        // Each geofence is converted when it is read, because all geofences need several times the memory of all candidates.
        let newest = try store.inReadTransaction { () throws(Problem) in
            try store.forEachGeofence { entries.append(RegionCandidates.RegionCandidate($0.geofence, for: profile)) }
            return try store.fenceRevision()
        }
        let candidates = RegionCandidates(entries, profile: profile)
        if keepsCandidates { candidateCache.store(candidates, for: platform, at: newest, generation: generation) }
        return candidates
    }

    /// Builds the candidates for the platforms of all managed devices in advance.
    func prepareCandidates() throws(Problem) {
        for platform in Device.Platform.allCases where try store.hasManagedDevice(of: platform) {
            _ = try candidates(for: platform)
        }
    }

    /// A change of the geofences in a transaction.
    package enum CandidateChange {
        case edit(RegionCandidateCache.CandidateEdit)
        /// A change that is not an edit: all candidates have to be built again.
        case other
    }
}

extension RegionCandidateCache {
    /// Records the changes of a committed transaction.
    func record(_ changes: [Queries.CandidateChange]) {
        for change in changes {
            switch change {
            case .edit(let edit): recordEdit(edit)
            case .other: discardAll()
            }
        }
    }
}
