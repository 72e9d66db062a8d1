import Geodesy
import Geometry
import Model
import Monitor
import Store

extension GeofenceService {
    /// A change of one geofence.
    public enum GeofenceEdit: Sendable {
        /// Makes it, or replaces the one of that id.
        case put(Geofence)
        case remove(id: String)
    }

    /// Makes one change of the fence set out of any number of edits, in one transaction: a new revision, and the events of
    /// the devices that the change puts inside or outside of something.
    ///
    /// - Returns: Those events.
    /// - Throws: `Problem.notFound` for the removal of what is not there; `Problem.validationFailed` for a polygon that is none.
    @discardableResult
    public func apply(_ edits: [GeofenceEdit]) throws(Problem) -> [Event] {
        if edits.isEmpty { return [] }
        for case .put(let geofence) in edits { if let flaw = flaw(of: geofence) { throw flaw } }
        return try transaction { () throws(Problem) in
            let before = try store.fenceRevision()
            let revision = try store.beginFenceRevision()
            var judged: [FenceKey: (Geofence, revision: Int64)] = [:]
            var changed: Set<FenceKey> = []
            var removed: Set<FenceKey> = []
            var rescheduled: Set<FenceKey> = []
            for edit in edits {
                switch edit {
                case .put(let geofence):
                    let old = try store.geofence(id: geofence.id)?.geofence
                    let key = try store.put(geofence, revision: revision)
                    judged[key] = (geofence, revision)
                    if old == nil || old?.coversAlike(geofence) == false { changed.insert(key) }
                    if let old, old.dwell != geofence.dwell || old.policy != geofence.policy { rescheduled.insert(key) }
                case .remove(let id):
                    guard let old = try store.geofence(id: id) else { throw try noGeofence(id) }
                    try store.remove(old.key, revision: revision)
                    judged[old.key] = (old.geofence, before)
                    removed.insert(old.key)
                }
            }
            undo?.fences.formUnion(judged.keys)
            fencesChanged(
                put: judged.filter { !removed.contains($0.key) }.map { .init(key: $0.key, geofence: $0.value.0) },
                removed: removed, revision: revision)
            publish(ServiceNotice(of: edits))
            guard !rescheduled.isEmpty || !changed.isEmpty || !removed.isEmpty else { return [] }
            try settleRules(ofGeofences: Set(edits.map(\.id)))
            return try settle(changed: changed, removed: removed, rescheduled: rescheduled, judged: judged)
        }
    }

    /// Lets every device that has to do with them, or that may be in one now, take note of changed fences, and records what follows.
    private func settle(
        changed: Set<FenceKey>, removed: Set<FenceKey>, rescheduled: Set<FenceKey>,
        judged: [FenceKey: (Geofence, revision: Int64)]
    ) throws(Problem) -> [Event] {
        var events: [Event] = []
        var sequence = try store.newestSequence()
        let now = clock.now()
        let boxes = changed.compactMap { judged[$0]?.0.shape.boundingBox }
        let margins = judged.values.map { $0.0.policy.applied(to: policy).exitMargin.most }
        let margin = max(margins.max() ?? 0, DecisionPolicy.Name.allCases.map { $0.policy.exitMargin.most }.max() ?? 0)
        let devices = try devices(
            concernedWith: changed.union(removed).union(rescheduled), on: ConcernedGround(boxes, margin: margin))
        guard !devices.isEmpty else { return [] }
        let engine = try engine()
        for stored in devices {
            let known = slotNumbers[stored.device.id]
            let slot = if let known { known } else { try addSlot(stored) }
            var transitions: [Transition] = []
            remember(slot)
            engine.adopt(changed: changed, removed: removed, &slots[slot].state, &transitions)
            events += try record(transitions, of: slot, at: now, sequence: &sequence) { key throws(Problem) in
                // Of another, what had fallen due already.
                let other = engine.fences.geofence(key).map { ($0, revision: engine.fences.revision) }
                guard let fence = judged[key] ?? other else {
                    throw .storeCorrupt(path: directory.store, details: "a transition names no geofence")
                }
                return fence
            }
            events += try judgeRules(ofSlot: slot, after: transitions, at: now, sequence: &sequence)
            try save(slot)
        }
        return events
    }

    /// The devices that have to do with some fences, or whose newest fix may lie on some ground; by id. What is stored of a device is asked
    /// unless it is older than what is in memory.
    private func devices(
        concernedWith fences: Set<FenceKey>, on ground: ConcernedGround
    ) throws(Problem) -> [RegionStore.StoredDevice] {
        let newer = slots.indices.filter { slots[$0].isBehind }
        var found = try store.devices(concernedWith: fences, on: ground, except: Set(newer.map { slots[$0].key }))
        for slot in newer {
            let state = slots[slot].state
            let isConcerned =
                fences.count > RegionStore.manyFences || state.device.policy.exitMargin != nil || ground.mayHold(state)
                || fences.contains { state.presence($0) != nil }
            if isConcerned { found.append(.init(key: slots[slot].key, device: state.device)) }
        }
        return found.sorted { $0.device.id < $1.device.id }
    }

    /// What keeps a fence from being saved: its own values, or a polygon that is no area.
    public func flaw(of geofence: Geofence) -> Problem? {
        if let flaw = geofence.flaw { return flaw }
        guard case .polygons(let polygons) = geofence.shape, let flaw = PolygonArea.flaw(polygons, context: geometry) else {
            return nil
        }
        let place = flaw.place.map { " near latitude \($0.latitude), longitude \($0.longitude)" } ?? ""
        let reason =
            switch flaw.reason {
            case "Self-intersection", "Ring Self-intersection": "its outline crosses or touches itself\(place)"
            case "Hole lies outside shell": "a hole lies outside of the outline\(place)"
            case "Nested shells", "Nested holes", "Overlapping shells": "its parts overlap\(place)"
            default: "it is no area (\(flaw.reason.lowercased()))\(place)"
            }
        return .validationFailed(
            field: "geometry", value: geofence.id, reason: reason, expected: "an outline that never meets itself, holes inside it"
        )
    }

    /// Makes an area of a polygon that crosses itself. Tells whether there was anything to mend.
    func mend(_ geofence: inout Geofence) -> Bool {
        guard geofence.flaw == nil, flaw(of: geofence) != nil, case .polygons(let polygons) = geofence.shape,
            let mended = PolygonArea.mended(polygons, context: geometry)
        else { return false }
        geofence.shape = .polygons(mended)
        return true
    }

    /// The problem that there is no such fence, with ids that may have been meant.
    public func noGeofence(_ id: String) throws(Problem) -> Problem {
        .notFound(kind: "geofence", id: id, similar: Spelling.similar(to: id, among: try store.geofenceIDs(like: id)))
    }

    /// The geofence of that id.
    public func geofence(id: String) throws(Problem) -> Geofence {
        guard let stored = try store.geofence(id: id) else { throw try noGeofence(id) }
        return stored.geofence
    }

    /// The geofence of that id; nil if there is none.
    public func knownGeofence(id: String) throws(Problem) -> Geofence? { try store.geofence(id: id)?.geofence }

    /// Calls `body` with each geofence, by id.
    public func forEachGeofence(
        matching text: String? = nil, _ body: (Geofence) throws(Problem) -> Void
    ) throws(Problem) {
        try store.forEachGeofence(matching: text) { stored throws(Problem) in try body(stored.geofence) }
    }
}

extension Geofence {
    /// Whether another fence covers the same ground, for the same devices. (A policy or dwell counts from the next fix on.)
    func coversAlike(_ other: Geofence) -> Bool {
        shape == other.shape && isActive == other.isActive && devices == other.devices && groups == other.groups
    }
}
