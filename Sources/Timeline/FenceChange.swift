import Geodesy
import Model
import Monitor
import Store

/// What one revision of the geofences changed.
public struct FenceChange {
    public let revision: Int64
    /// Geofences that are new or cover other ground.
    public private(set) var changed: Set<FenceKey> = []
    public private(set) var removed: Set<FenceKey> = []
    /// Geofences that cover the same ground, and have another dwell or another policy.
    public private(set) var rescheduled: Set<FenceKey> = []
    /// Geofences as they are now; those that were removed, as they were.
    public private(set) var geofences: [FenceKey: Geofence] = [:]
    /// Where the newest fix of a device may lie for the change to concern it.
    public let ground: ConcernedGround

    /// - Parameters:
    ///   - put: Geofences as they are now, and as they were; nil when they are new.
    ///   - removed: Geofences as they were; nil for one of which nothing was judged.
    ///   - policy: The store's.
    public init(
        revision: Int64, put: [FenceKey: (new: Geofence, old: Geofence?)], removed: [FenceKey: Geofence?], policy: DecisionPolicy
    ) {
        self.revision = revision
        for (key, (new, old)) in put {
            geofences[key] = new
            if old?.coversAlike(new) != true { changed.insert(key) }
            if let old, old.dwell != new.dwell || old.policy != new.policy { rescheduled.insert(key) }
        }
        for (key, old) in removed { geofences[key] = old ?? geofences[key] }
        self.removed = Set(removed.keys)
        let margins =
            geofences.values.map { $0.policy.applied(to: policy).exitMargin.most }
            + DecisionPolicy.Name.allCases.map { $0.policy.exitMargin.most }
        ground = ConcernedGround(
            changed.compactMap { [geofences] in geofences[$0]?.shape.boundingBox }, margin: margins.max() ?? 0)
    }

    /// All geofences that devices may have to take note of.
    public var fences: Set<FenceKey> { changed.union(removed).union(rescheduled) }

    /// Whether no device has to take note of it.
    public var isEmpty: Bool { changed.isEmpty && removed.isEmpty && rescheduled.isEmpty }

    /// What devices are told.
    public var input: Input { .fences(changed: changed, removed: removed) }

    /// The geofence as a transition of this change judged it, and the revision of that; nil for one that the change is not about.
    public func judged(_ key: FenceKey) -> (geofence: Geofence, revision: Int64)? {
        geofences[key].map { ($0, removed.contains(key) ? revision - 1 : revision) }
    }

    /// Whether a device may have to take note of it.
    ///
    /// - Parameter fences: As `fences` gives them.
    public func mayConcern(_ state: DeviceState, _ fences: Set<FenceKey>) -> Bool {
        fences.count > RegionStore.manyFences || state.device.policy.exitMargin != nil || ground.mayHold(state)
            || fences.contains { state.presence($0) != nil }
    }
}

extension Geofence {
    /// Whether another fence covers the same ground, for the same devices. (A policy or dwell counts from the next fix on.)
    fileprivate func coversAlike(_ other: Geofence) -> Bool {
        shape == other.shape && isActive == other.isActive && devices == other.devices && groups == other.groups
    }
}
