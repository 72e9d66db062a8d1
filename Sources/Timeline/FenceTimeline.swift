import CStandardLibrary
import Geodesy
import Model
import Monitor
import Store

/// The geofences of a replay, which change with its inputs or stay the same all the time.
package final class FenceTimeline {
    /// The versions that a revision added, and the geofences that it removed.
    private typealias Edits = (put: [FenceSet.KeyedGeofence], ended: Set<FenceKey>)

    /// An engine with the geofences at the current point of the replay.
    package let engine: TransitionEngine
    /// The revision of the geofences at the current point of the replay.
    private(set) var revision: Int64
    /// The latest change.
    private(set) var change: FenceChange?
    /// The revisions that change something, ascending; nil when every revision may.
    let changingRevisions: [Int64]?
    private let policy: DecisionPolicy
    private let edits: (Int64) throws(Problem) -> Edits
    /// The geofences that apply instead of those on record.
    private let backdated: BackdatedFences
    /// The revisions of the backdated geofences that have applied so far.
    private var backdatedRevisions: [FenceKey: Int64] = [:]
    /// The same, and those of removed geofences, whose versions on record do not apply.
    private var shownRevisions: [FenceKey: Int64] = [:]

    /// Keeps the same geofences all the time.
    init(always engine: TransitionEngine, policy: DecisionPolicy) {
        self.engine = engine
        revision = engine.fences.revision
        self.policy = policy
        changingRevisions = []
        edits = { _ throws(Problem) in ([], []) }
        backdated = BackdatedFences()
    }

    /// Follows all geofences from a revision on.
    ///
    /// - Parameters:
    ///   - present: An engine with the current geofences. It is used, and never changed, if `revision` is the current one.
    ///   - backdatings: Geofences that apply instead of those on record.
    init(
        _ store: PicketStore, from revision: Int64, present: TransitionEngine? = nil, policy: DecisionPolicy,
        backdatings: [PicketStore.FenceBackdating] = []
    ) throws(Problem) {
        self.policy = policy
        self.revision = revision
        backdated = BackdatedFences(backdatings)
        changingRevisions = nil
        let history = try store.fenceHistory(after: revision)
        edits = { revision throws(Problem) in
            let changes = try history.changes(at: revision)
            return (changes.put.map { .init(key: $0.key, geofence: $0.geofence) }, changes.ended)
        }
        if backdatings.isEmpty, let present, present.fences.revision == revision, try store.fenceRevision() == revision {
            engine = present
        } else {
            let entries = revision == 0 ? [] : try store.geofences(at: revision)
            engine = TransitionEngine(
                fences: FenceSet(
                    revision: revision, entries.map { FenceSet.KeyedGeofence(key: $0.key, geofence: $0.geofence) }))
        }
        applyBackdatings(at: InputPosition(0))
    }

    /// Follows some versions of geofences.
    ///
    /// - Parameters:
    ///   - number: The number of the first entry of the input log that follows.
    ///   - present: An engine in which these geofences are as they are now, and which is changed; nil for an engine of these
    ///     geofences alone.
    private init(
        _ versions: [PicketStore.FenceVersion], from revision: Int64, before number: Int64, policy: DecisionPolicy,
        backdatings: [PicketStore.FenceBackdating], in present: TransitionEngine? = nil
    ) {
        self.policy = policy
        self.revision = revision
        backdated = BackdatedFences(backdatings)
        var byRevision: [Int64: Edits] = [:]
        for version in versions {
            if version.start > revision {
                byRevision[version.start, default: ([], [])].put.append(.init(key: version.key, geofence: version.geofence))
            }
            if let end = version.end, end > revision { byRevision[end, default: ([], [])].ended.insert(version.key) }
        }
        changingRevisions = byRevision.keys.sorted()
        edits = { [byRevision] revision throws(Problem) in byRevision[revision] ?? ([], []) }
        let entries = versions.filter { $0.isInEffect(at: revision) }.sorted { $0.key < $1.key }.map {
            FenceSet.KeyedGeofence(key: $0.key, geofence: $0.geofence)
        }
        if let present {
            engine = present
            for version in versions { present.fences.remove(version.key) }
            for entry in entries { present.fences.upsert(entry) }
        } else {
            engine = TransitionEngine(fences: FenceSet(revision: revision, entries))
        }
        applyBackdatings(at: InputPosition(number))
    }

    /// Follows some geofences from a revision on.
    ///
    /// - Parameters:
    ///   - number: The number of the first entry of the input log that follows.
    ///   - backdatings: Geofences that apply instead of those on record.
    convenience init(
        _ store: PicketStore, only keys: Set<FenceKey>, from revision: Int64, before number: Int64, policy: DecisionPolicy,
        backdatings: [PicketStore.FenceBackdating]
    ) throws(Problem) {
        self.init(
            try store.fenceVersions(keys), from: revision, before: number, policy: policy,
            backdatings: backdatings.filter { keys.contains($0.fence) })
    }

    /// Follows the geofences near the places where a device was, and some others, from a revision on. The geofences elsewhere
    /// stay as they are now.
    ///
    /// - Parameters:
    ///   - past: Has read the changes after `revision`.
    ///   - number: The number of the first entry of the input log that follows.
    ///   - backdatings: Geofences that apply instead of those on record.
    ///   - extent: Where the device was; nil for all geofences.
    ///   - margin: The widest exit margin among the device's policies, in meters.
    ///   - known: Geofences to follow wherever they lie.
    convenience init(
        _ past: PastFences, near extent: PicketStore.FixBounds?, margin: Double, known: Set<FenceKey>, from revision: Int64,
        before number: Int64, policy: DecisionPolicy, backdatings: [PicketStore.FenceBackdating]
    ) throws(Problem) {
        let box = extent.flatMap { Self.box($0, margin: margin) }
        let versions = try past.versions(after: revision, near: box, known: known)
        // A far version matters only where it takes the place of a near one.
        var nearFences = known.union(versions.map(\.key))
        for backdating in backdatings {
            let either = [backdating.version?.geofence, past.presentGeofence(backdating.fence)].compactMap { $0 }
            if either.contains(where: { fence in box.map { fence.shape.boundingBox.intersects($0) } ?? true }) {
                nearFences.insert(backdating.fence)
            }
        }
        let near = backdatings.filter { nearFences.contains($0.fence) }
        self.init(
            versions, from: revision, before: number, policy: policy, backdatings: near,
            in: past.engine(changing: Set(versions.map(\.key)).union(near.map(\.fence))))
    }

    /// The box that a geofence must intersect to concern a device; nil where no box can be given, near the antimeridian and the poles.
    private static func box(_ extent: PicketStore.FixBounds, margin: Double) -> BoundingBox? {
        // A device need not follow parallels between fixes; one kilometer covers more than that deviation. Twice the accuracy of a coarse
        // fix counts.
        let reach = (2 * extent.accuracy + margin + 1000) / WGS84.shortestDegreeOfLatitude
        let widest = max(abs(extent.north), abs(extent.south)) + reach
        guard extent.east - extent.west < 180, widest < 85 else { return nil }
        let wide = reach / cos(widest.radians)
        return BoundingBox(
            south: extent.south - reach, north: extent.north + reach, west: extent.west - wide, east: extent.east + wide)
    }

    // MARK: - Changes

    /// Changes the geofences to those of a revision.
    ///
    /// - Parameter number: The number of its entry in the input log.
    /// - Returns: The change; nil if it concerns no device.
    func advance(to revision: Int64, at number: Int64) throws(Problem) -> FenceChange? {
        var edits = try edits(revision)
        if !backdated.isEmpty {
            let place = InputPosition(number)
            edits.put.removeAll { backdated.entry(of: $0.key, at: place) != nil }
            edits.ended = edits.ended.filter { backdated.entry(of: $0, at: place) == nil }
        }
        return change(by: edits, revision: revision) {
            self.revision = revision
            engine.fences.revision = revision
        }
    }

    /// Changes the geofences to those that are backdated to a fix.
    ///
    /// - Parameter number: The number of the fix.
    /// - Returns: The change; nil if it concerns no device.
    func startBackdatings(after number: Int64) -> FenceChange? {
        let started = backdated.entries(at: PicketStore.FenceBackdating.place(afterFix: number)).filter {
            $0.start?.number == number
        }
        var edits: Edits = ([], [])
        for backdating in started {
            if let version = backdating.version {
                edits.put.append(.init(key: backdating.fence, geofence: version.geofence))
            } else {
                edits.ended.insert(backdating.fence)
            }
        }
        // A geofence that ends here was still there in the current revision, which does not change.
        return change(by: edits, revision: revision + 1) { recordRevisions(of: started) }
    }

    /// Uses the backdated geofences that apply at an entry of the log instead of those on record.
    private func applyBackdatings(at place: InputPosition) {
        let entries = backdated.entries(at: place)
        for entry in entries {
            if let version = entry.version {
                engine.fences.upsert(.init(key: entry.fence, geofence: version.geofence))
            } else {
                engine.fences.remove(entry.fence)
            }
        }
        recordRevisions(of: entries)
    }

    private func recordRevisions(of backdatings: [PicketStore.FenceBackdating]) {
        for backdating in backdatings {
            if backdating.version != nil { backdatedRevisions[backdating.fence] = backdating.revision }
            shownRevisions[backdating.fence] = backdating.revision
        }
    }

    private func change(by edits: Edits, revision: Int64, _ record: () -> Void) -> FenceChange? {
        guard !edits.put.isEmpty || !edits.ended.isEmpty else { return nil }
        var put: [FenceKey: (new: Geofence, old: Geofence?)] = [:]
        var removed: [FenceKey: Geofence?] = [:]
        // Inactive geofences are not in the set, and no device has a state in them.
        for entry in edits.put { put[entry.key] = (entry.geofence, engine.fences.geofence(entry.key)) }
        for key in edits.ended where put[key] == nil { removed[key] = .some(engine.fences.geofence(key)) }
        let change = FenceChange(revision: revision, saved: put, removed: removed, policy: policy)
        for entry in edits.put { engine.fences.upsert(entry) }
        for key in removed.keys { engine.fences.remove(key) }
        record()
        self.change = change
        return change.isEmpty ? nil : change
    }

    /// The version of a geofence with which a transition was decided, and its revision.
    func decidingVersion(of key: FenceKey) -> (geofence: Geofence, revision: Int64)? {
        let backdated = backdatedRevisions[key] ?? 0
        if let geofence = engine.fences.geofence(key) { return (geofence, max(revision, backdated)) }
        return change?.decidingVersion(of: key).map { ($0.geofence, max($0.revision, backdated)) }
    }

    /// The revision of the geofences in which the current versions of some geofences are found.
    func revision(of keys: Set<FenceKey>) -> Int64 {
        keys.compactMap { shownRevisions[$0] }.max().map { max($0, revision) } ?? revision
    }
}
