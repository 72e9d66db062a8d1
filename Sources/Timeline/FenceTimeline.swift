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
    /// The latest change.
    private(set) var change: FenceChange?
    /// The revisions that change something, ascending; nil when every revision may.
    let changingRevisions: [Int64]?
    private let policy: DecisionPolicy
    private let edits: (Int64) throws(Problem) -> Edits

    /// Keeps the same geofences all the time.
    init(always engine: TransitionEngine, policy: DecisionPolicy) {
        self.engine = engine
        self.policy = policy
        changingRevisions = []
        edits = { _ throws(Problem) in ([], []) }
    }

    /// Follows all geofences from a revision on.
    ///
    /// - Parameter present: An engine with the current geofences. It is used, and never changed, if `revision` is the current one.
    package init(
        _ store: RegionStore, from revision: Int64, present: TransitionEngine? = nil, policy: DecisionPolicy
    ) throws(Problem) {
        self.policy = policy
        changingRevisions = nil
        let history = try store.fenceHistory(after: revision)
        edits = { revision throws(Problem) in
            let changes = try history.changes(at: revision)
            return (changes.put.map { .init(key: $0.key, geofence: $0.geofence) }, changes.ended)
        }
        if let present, present.fences.revision == revision, try store.fenceRevision() == revision {
            engine = present
        } else {
            let entries = revision == 0 ? [] : try store.geofences(at: revision)
            engine = TransitionEngine(
                fences: FenceSet(
                    revision: revision, entries.map { FenceSet.KeyedGeofence(key: $0.key, geofence: $0.geofence) }))
        }
    }

    /// Follows some versions of geofences.
    private init(_ versions: [RegionStore.FenceVersion], from revision: Int64, policy: DecisionPolicy) {
        self.policy = policy
        var byRevision: [Int64: Edits] = [:]
        for version in versions {
            if version.start > revision {
                byRevision[version.start, default: ([], [])].put.append(.init(key: version.key, geofence: version.geofence))
            }
            if let end = version.end, end > revision { byRevision[end, default: ([], [])].ended.insert(version.key) }
        }
        changingRevisions = byRevision.keys.sorted()
        edits = { [byRevision] revision throws(Problem) in byRevision[revision] ?? ([], []) }
        let entries = versions.filter { $0.isInEffect(at: revision) }.sorted { $0.key < $1.key }
        engine = TransitionEngine(
            fences: FenceSet(revision: revision, entries.map { FenceSet.KeyedGeofence(key: $0.key, geofence: $0.geofence) }))
    }

    /// Follows some geofences from a revision on.
    convenience init(
        _ store: RegionStore, only keys: Set<FenceKey>, from revision: Int64, policy: DecisionPolicy
    ) throws(Problem) {
        self.init(try store.fenceVersions(keys), from: revision, policy: policy)
    }

    /// Follows the geofences near the places where a device was, and some others, from a revision on.
    ///
    /// - Parameters:
    ///   - extent: Where the device was; nil for all geofences.
    ///   - margin: The widest exit margin among the device's policies, in meters.
    ///   - known: Geofences to follow wherever they lie.
    convenience init(
        _ store: RegionStore, near extent: RegionStore.FixBounds?, margin: Double, known: Set<FenceKey>, from revision: Int64,
        policy: DecisionPolicy
    ) throws(Problem) {
        let box = extent.flatMap { Self.box($0, margin: margin) }
        var versions: [RegionStore.FenceVersion] = []
        try store.forEachVersion(since: revision, latitudes: box.map { $0.south...$0.north }, known: known) { version in
            if let box, !known.contains(version.key), !version.geofence.shape.boundingBox.intersects(box) { return }
            versions.append(version)
        }
        self.init(versions, from: revision, policy: policy)
    }

    /// The box that a geofence must intersect to concern a device; nil where no box can be given, near the antimeridian and the poles.
    private static func box(_ extent: RegionStore.FixBounds, margin: Double) -> BoundingBox? {
        // A device need not follow parallels between fixes; one kilometer covers more than that deviation. Twice the accuracy of a coarse
        // fix counts.
        let reach = (2 * extent.accuracy + margin + 1000) / WGS84.shortestDegreeOfLatitude
        let widest = max(abs(extent.north), abs(extent.south)) + reach
        guard extent.east - extent.west < 180, widest < 85 else { return nil }
        let wide = reach / cos(widest.radians)
        return BoundingBox(
            south: extent.south - reach, north: extent.north + reach, west: extent.west - wide, east: extent.east + wide)
    }

    /// Changes the geofences to those of a revision.
    ///
    /// - Returns: The change; nil if it concerns no device.
    func advance(to revision: Int64) throws(Problem) -> FenceChange? {
        let edits = try edits(revision)
        guard !edits.put.isEmpty || !edits.ended.isEmpty else { return nil }
        var put: [FenceKey: (new: Geofence, old: Geofence?)] = [:]
        var removed: [FenceKey: Geofence?] = [:]
        // Inactive geofences are not in the set, and no device has a state in them.
        for entry in edits.put { put[entry.key] = (entry.geofence, engine.fences.geofence(entry.key)) }
        for key in edits.ended where put[key] == nil { removed[key] = .some(engine.fences.geofence(key)) }
        let change = FenceChange(revision: revision, saved: put, removed: removed, policy: policy)
        for entry in edits.put { engine.fences.upsert(entry) }
        for key in removed.keys { engine.fences.remove(key) }
        engine.fences.revision = revision
        self.change = change
        return change.isEmpty ? nil : change
    }

    /// The version of a geofence with which a transition was decided, and its revision.
    func decidingVersion(of key: FenceKey) -> (geofence: Geofence, revision: Int64)? {
        engine.fences.geofence(key).map { ($0, engine.fences.revision) } ?? change?.decidingVersion(of: key)
    }
}
