import Geodesy
import Model
import Monitor
import Store

/// The geofences of the past for replays of many devices, one after the other.
///
/// Most geofences have not changed. Therefore the changes since a revision are read once for all replays, and each replay gets
/// the same copy of the current geofences, in which the changes near its device are undone.
package final class PastFences {
    /// A version that began or ended after `since`.
    private struct Change {
        var box: BoundingBox
        var version: PicketStore.FenceVersion

        init(_ version: PicketStore.FenceVersion) {
            self.version = version
            box = version.geofence.shape.boundingBox
        }
    }

    private let store: PicketStore
    /// An engine with the current geofences.
    private let present: TransitionEngine
    /// The engine that replays get. All its geofences except `altered` are the current ones.
    private var copy: TransitionEngine?
    private var altered: Set<FenceKey> = []
    /// Changes after this revision are in `changes`; nil before the first is needed.
    private var since: Int64?
    /// Ordered by key and revision.
    private var changes: [Change] = []
    /// The first key whose versions are not read yet; nil when all are read.
    private var nextKey: Int32?
    /// Whether there are more than `Limits.changes`. Then each replay reads those near its device.
    private var areTooMany = false
    private let limits: Limits
    /// The number of times that all changes after a revision were read, and that all geofences were copied.
    private(set) var readings = 0
    private(set) var copies = 0
    /// Whether a replay has used this since the value was last set to false.
    package var isUsed = true

    package struct Limits: Sendable {
        /// How many keys of geofences `read(after:)` searches for changes at most. A thousand take a millisecond.
        package var keysAtOnce = Int32.max
        /// How many changes are kept in memory at most, which take several hundred bytes each. If there are more, each replay
        /// reads its own.
        var changes = 200_000

        package init() {}
    }

    /// - Parameter present: An engine with the current geofences. While it is in use here, its geofences must not change.
    package init(_ store: PicketStore, present: TransitionEngine, _ limits: Limits = .init()) {
        self.store = store
        self.present = present
        self.limits = limits
    }

    /// Whether changes have been read only in part.
    package var isReading: Bool { nextKey != nil }

    /// An engine with the geofences at a revision, if they are the current ones.
    func engine(at revision: Int64) -> TransitionEngine? { present.fences.revision == revision ? present : nil }

    /// The current version of a geofence; nil if it is not active.
    func presentGeofence(_ key: FenceKey) -> Geofence? { present.fences.geofence(key) }

    /// Reads the changes after a revision, unless they are known.
    ///
    /// - Returns: Whether they are known now; otherwise the method has to be called again.
    /// - Complexity: O(keys), once for many revisions.
    func read(after revision: Int64) throws(Problem) -> Bool {
        isUsed = true
        if areTooMany { return true }
        if since.map({ revision < $0 }) ?? true {
            // Each further reading goes back twice as far, so that replays that begin earlier and earlier cause only a few.
            since = since == nil ? revision : max(0, revision - (present.fences.revision - revision))
            changes.removeAll()
            nextKey = 0
            readings += 1
        }
        guard let first = nextKey, let since else { return true }
        let newest = try store.newestGeofenceKey().value
        let last = newest - first <= limits.keysAtOnce ? newest : first + limits.keysAtOnce
        changes += try store.fenceVersions(changedAfter: since, keys: first...max(first, last)).map { Change($0) }
        nextKey = last < newest ? last + 1 : nil
        if changes.count > limits.changes {
            areTooMany = true
            nextKey = nil
            changes.removeAll()
        }
        return nextKey == nil
    }

    /// All versions since a revision of the geofences that have changed after it, if one of the versions intersects a box or the geofence is
    /// among `known`. `read(after:)` must have returned true.
    ///
    /// - Parameter box: Nil for everywhere.
    func versions(
        after revision: Int64, near box: BoundingBox?, known: Set<FenceKey>
    ) throws(Problem) -> [PicketStore.FenceVersion] {
        func isNear(_ change: Change) -> Bool {
            box.map { change.box.intersects($0) || known.contains(change.version.key) } ?? true
        }
        func isRelevant(_ version: PicketStore.FenceVersion) -> Bool {
            version.start > revision || version.end.map { $0 > revision } ?? false
        }
        if areTooMany {
            var near: Set<FenceKey> = []
            try store.forEachVersion(since: revision, latitudes: box.map { $0.south...$0.north }, known: known) { version in
                if isRelevant(version), isNear(Change(version)) { near.insert(version.key) }
            }
            return near.isEmpty ? [] : try store.fenceVersions(near).filter(isRelevant)
        }
        let near = Set(changes.lazy.filter { isRelevant($0.version) && isNear($0) }.map(\.version.key))
        return near.isEmpty ? [] : changes.lazy.map(\.version).filter { near.contains($0.key) && isRelevant($0) }
    }

    /// An engine with the current geofences, and the caller may change some of them.
    ///
    /// - Complexity: O(1) in the number of geofences, except the first time and while an earlier replay is in use.
    func engine(changing keys: Set<FenceKey>) -> TransitionEngine {
        if keys.isEmpty { return present }
        if isKnownUniquelyReferenced(&copy), let copy {
            for key in altered {
                if let geofence = present.fences.geofence(key) {
                    copy.fences.upsert(.init(key: key, geofence: geofence))
                } else {
                    copy.fences.remove(key)
                }
            }
            altered = keys
            return copy
        }
        let new = TransitionEngine(fences: present.fences.copy())
        copies += 1
        copy = new
        altered = keys
        return new
    }
}
