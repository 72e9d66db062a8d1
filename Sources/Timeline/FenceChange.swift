import Geodesy
import Model
import Monitor
import Store

/// The difference between a revision of the geofences and the one before it.
package struct FenceChange {
    package let revision: Int64
    /// Geofences that are new, or whose shape, devices or groups have changed.
    package private(set) var changed: Set<FenceKey> = []
    package private(set) var removed: Set<FenceKey> = []
    /// Geofences whose dwell or policy has changed.
    private(set) var policyChanged: Set<FenceKey> = []
    /// The changed geofences in their new version, and the removed ones in their last version.
    package private(set) var geofences: [FenceKey: Geofence] = [:]
    /// The area in which a device's newest fix must lie for the change to concern the device.
    package let ground: AffectedArea

    /// - Parameters:
    ///   - put: New versions of geofences, with the previous versions; nil when a geofence is new.
    ///   - removed: Removed geofences, with their last versions; nil for one that was not active.
    ///   - policy: The store's policy.
    package init(
        revision: Int64, saved put: [FenceKey: (new: Geofence, old: Geofence?)], removed: [FenceKey: Geofence?],
        policy: DecisionPolicy
    ) {
        self.revision = revision
        for (key, (new, old)) in put {
            geofences[key] = new
            if old?.hasSameCoverage(as: new) != true { changed.insert(key) }
            if let old, old.dwell != new.dwell || old.policy != new.policy { policyChanged.insert(key) }
        }
        for (key, old) in removed { geofences[key] = old ?? geofences[key] }
        self.removed = Set(removed.keys)
        let margins =
            geofences.values.map { $0.policy.applied(to: policy).exitMargin.maximum }
            + DecisionPolicy.Name.allCases.map { $0.policy.exitMargin.maximum }
        ground = AffectedArea(
            changed.compactMap { [geofences] in geofences[$0]?.shape.boundingBox }, margin: margins.max() ?? 0)
    }

    /// The change that a store has made with a revision.
    package init(_ store: PicketStore, at revision: Int64, policy: DecisionPolicy) throws(Problem) {
        let (new, ended) = try store.fenceHistory(after: revision - 1).changes(at: revision)
        var put: [FenceKey: (new: Geofence, old: Geofence?)] = [:]
        var removed: [FenceKey: Geofence?] = [:]
        for entry in new { put[entry.key] = (entry.geofence, try store.geofence(entry.key, at: revision - 1)) }
        for key in ended where put[key] == nil { removed[key] = .some(try store.geofence(key, at: revision - 1)) }
        self.init(revision: revision, saved: put, removed: removed, policy: policy)
    }

    /// All geofences that can make the change concern devices.
    package var fences: Set<FenceKey> { changed.union(removed).union(policyChanged) }

    /// Whether the change concerns no device.
    package var isEmpty: Bool { changed.isEmpty && removed.isEmpty && policyChanged.isEmpty }

    /// The engine input that announces the change to a device.
    package var input: Input { .fences(changed: changed, removed: removed) }

    /// The version of a geofence with which a transition of this change was decided, and its revision; nil for a geofence that did not
    /// change.
    package func decidingVersion(of key: FenceKey) -> (geofence: Geofence, revision: Int64)? {
        geofences[key].map { ($0, removed.contains(key) ? revision - 1 : revision) }
    }

    /// Whether the change may concern a device.
    ///
    /// - Parameter fences: The value of `fences`, computed once for many devices.
    package func mayConcern(_ state: DeviceState, _ fences: Set<FenceKey>) -> Bool {
        fences.count > PicketStore.allDevicesThreshold || state.device.policy.exitMargin != nil || ground.mayContainDevice(state)
            || state.hasState(ofAny: fences)
    }
}

extension Geofence {
    /// Whether the other version has the same shape and applies to the same devices. Changes of policy and dwell take effect with the next
    /// fix.
    fileprivate func hasSameCoverage(as other: Geofence) -> Bool {
        shape == other.shape && isActive == other.isActive && devices == other.devices && groups == other.groups
    }
}
