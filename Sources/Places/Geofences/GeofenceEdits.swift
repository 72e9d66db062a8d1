import Core
import Model
import Monitor
import Store
import Timeline

extension Queries {
    /// A change of one geofence.
    package enum GeofenceEdit: Sendable {
        /// Creates the geofence, or replaces the one with the same id.
        case save(Geofence)
        case remove(id: String)
    }

    /// Why a geofence cannot be saved; see `Geofence.flaw(in:)`.
    package func flaw(of geofence: Geofence) -> Problem? { geofence.flaw(in: geometry) }

    /// The problem that a geofence does not exist, with similar ids.
    package func noGeofence(_ id: String) throws(Problem) -> Problem {
        var known = try store.geofenceIDs(like: id)
        if isRestricted {
            var visible: [String] = []
            for id in known where try knownGeofence(id: id) != nil { visible.append(id) }
            known = visible
        }
        return .notFound(kind: .geofence, id: id, similar: Suggestions.similar(to: id, among: known))
    }

    /// The geofence with this id. Throws `Problem.notFound` if there is none.
    package func geofence(id: String) throws(Problem) -> Geofence {
        guard let known = try knownGeofence(id: id) else { throw try noGeofence(id) }
        return known
    }

    /// The geofence with this id; nil if there is none.
    package func knownGeofence(id: String) throws(Problem) -> Geofence? { visible(try store.geofence(id: id)?.geofence) }

    /// The geofences with a name, sorted by id.
    ///
    /// - Parameter name: The whole name in normal form C, in the same case.
    func geofences(named name: String) throws(Problem) -> [Geofence] {
        try store.geofences(named: name).compactMap { visible($0) }
    }

    /// Calls `body` with each geofence, sorted by id.
    package func forEachGeofence(
        matching text: String? = nil, _ body: (Geofence) throws(Problem) -> Void
    ) throws(Problem) {
        try store.forEachGeofence(matching: text) { stored throws(Problem) in
            if let geofence = visible(stored.geofence) { try body(geofence) }
        }
    }
}

extension ServiceWriter {
    /// Applies any number of edits as one change of the geofences in one transaction. The change makes a new revision.
    ///
    /// Only the geofences before and after all edits count. A geofence that is removed and saved again stays the same geofence, so visits
    /// to it continue.
    ///
    /// - Parameters:
    ///   - areOutlinesChecked: Whether the outlines are known to be valid areas, so that GEOS need not check them on this thread.
    ///   - following: Gets the events. With it, a service applies the change to many devices in steps, and the caller of the writer gets the
    ///     result after the last step.
    /// - Returns: The events of devices that enter or leave a geofence because of the change; none if there are steps.
    /// - Throws: `Problem.notFound` if a geofence to remove does not exist; `Problem.validationFailed` if a geofence cannot be saved.
    @discardableResult
    package func apply(
        _ edits: [GeofenceEdit], areOutlinesChecked: Bool = false, following: FollowingEvents? = nil
    ) throws(Problem) -> [Event] {
        if edits.isEmpty { return [] }
        for case .save(let geofence) in edits {
            if let flaw = areOutlinesChecked ? geofence.flaw : flaw(of: geofence) { throw flaw }
        }
        try completeFenceChange()
        return try transaction { (transaction: borrowing Transaction) throws(Problem) in
            try applyChecked(edits, following: following, in: transaction)
        }
    }

    /// Applies edits whose geofences can be saved; see `apply`. No earlier change may be open.
    ///
    /// - Parameter isAnnounced: Whether clients get a notice.
    func applyChecked(
        _ edits: [GeofenceEdit], isAnnounced: Bool = true, following: FollowingEvents?, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        let changes = try netChanges(of: edits)
        if changes.isEmpty { return [] }
        let revision = try store.beginFenceRevision(in: transaction)
        let number = try store.newestInput()
        var put: [FenceKey: (new: Geofence, old: Geofence?)] = [:]
        var removed: [FenceKey: Geofence] = [:]
        for change in changes {
            if let geofence = change.new {
                put[try store.saveGeofence(geofence, revision: revision, in: transaction)] = (geofence, change.old?.geofence)
            } else if let old = change.old {
                try store.remove(old.key, revision: revision, in: transaction)
                removed[old.key] = old.geofence
            }
        }
        let change = FenceChange(revision: revision, saved: put, removed: removed, policy: policy)
        undo?.fences.formUnion(change.geofences.keys)
        updateEngine(
            saved: put.map { .init(key: $0.key, geofence: $0.value.new) }, removed: Set(removed.keys), revision: revision)
        let edits = changes.map { $0.new.map(GeofenceEdit.save) ?? .remove(id: $0.id) }
        queueCandidateEdits(edits, from: revision - 1, to: revision)
        if isAnnounced { publish(ServiceNotice(of: edits)) }
        try updateRules(of: changes, in: transaction)
        if change.isEmpty { return [] }
        return try applyToDevices(change, number: number, following, in: transaction)
    }

    /// A geofence before and after all edits of a change; nil where it does not exist.
    typealias GeofenceChange = (id: String, old: PicketStore.StoredGeofence?, new: Geofence?)

    /// The geofences that edits change, in the order of their first edits, before and after all edits.
    private func netChanges(of edits: [GeofenceEdit]) throws(Problem) -> [GeofenceChange] {
        var changes: [GeofenceChange] = []
        var indexes: [String: Int] = [:]
        for edit in edits {
            let index = indexes[edit.id] ?? changes.count
            if index == changes.count {
                let old = try store.geofence(id: edit.id)
                changes.append((edit.id, old, old?.geofence))
                indexes[edit.id] = index
            }
            switch edit {
            case .save(let geofence):
                if changes[index].old == nil, let flaw = geofence.flawAsNew { throw flaw }
                changes[index].new = geofence
            case .remove(let id):
                if changes[index].new == nil { throw try noGeofence(id) }
                changes[index].new = nil
            }
        }
        return changes.filter { $0.old != nil || $0.new != nil }
    }

    /// Applies a change of geofences to every device that it concerns or that may be inside one of the geofences now, and records the
    /// events that follow. A service begins to do that in steps if there are many devices.
    ///
    /// - Parameters:
    ///   - number: The number of the change in the input log.
    ///   - following: See `apply`.
    private func applyToDevices(
        _ change: FenceChange, number: Int64, _ following: FollowingEvents?, in transaction: borrowing Transaction
    ) throws(Problem) -> [Event] {
        let concerned = change.fences
        let loaded = loadedDevices.indices.filter { indicesByKey[loadedDevices[$0].key] == $0 }
        var others: [PicketStore.StoredDevice] = []
        // The store is searched only for devices that are not in memory.
        if try loaded.count < store.deviceCount() {
            others = try store.devices(
                affectedBy: concerned, in: change.ground, except: Set(loaded.map { loadedDevices[$0].key }))
        }
        var found = loaded.filter { change.mayConcern(loadedDevices[$0].state, concerned) }
        if isServing, let following, found.count + others.count > devicesInStep {
            try beginFenceChange(
                change, number: number, devices: found.map { loadedDevices[$0].key } + others.map(\.key), following,
                in: transaction)
            return []
        }
        for stored in others { found.append(try addLoadedDevice(stored)) }
        let ids = found.map { loadedDevices[$0].state.device.id }
        var events: [Event] = []
        var sequence = try store.newestSequence()
        let now = clock.now()
        for index in found.indices.sorted(by: { ids[$0] < ids[$1] }) {
            events += try apply(change, number: number, toDeviceAt: found[index], at: now, sequence: &sequence, in: transaction)
        }
        effects.following = (events, following)
        return events
    }
}

extension Queries.GeofenceEdit {
    /// The id of the geofence that the edit changes.
    package var id: String {
        switch self {
        case .save(let geofence): geofence.id
        case .remove(let id): id
        }
    }
}

extension ServiceNotice {
    /// The maximum number of geofence ids in a notice.
    static let mostGeofences = 100

    /// A notice that geofences have changed, with at most `mostGeofences` ids and the number of all edits.
    ///
    /// - Parameter count: The number of all edits, if `edits` are only the first of them.
    init(of edits: [Queries.GeofenceEdit], count: Int? = nil) {
        var saved: [JSONValue] = []
        var removed: [JSONValue] = []
        for edit in edits.prefix(Self.mostGeofences) {
            switch edit {
            case .save(let geofence): saved.append(.string(geofence.id))
            case .remove(let id): removed.append(.string(id))
            }
        }
        self.init(
            .geofences, deviceId: nil,
            ["saved": .array(saved), "removed": .array(removed), "count": JSONValue(count ?? edits.count)])
    }
}

extension ServiceWriter {
    /// Adds edits, at most one of each geofence, to the changes that the candidates get when the open transaction is committed.
    private func queueCandidateEdits(_ edits: [GeofenceEdit], from: Int64, to: Int64) {
        var put: [Geofence] = []
        var removed: [String] = []
        for edit in edits {
            switch edit {
            case .save(let geofence): put.append(geofence)
            case .remove(let id): removed.append(id)
            }
        }
        effects.candidateChanges.append(.edit(.init(from: from, to: to, put: put, removed: removed)))
    }
}

extension Queries {
    /// Checks that a client may see a geofence. It is unknown for which devices a removed geofence was, so a client with a restricted token may
    /// not see it.
    ///
    /// - Throws: `Problem.notFound`, as if there were no such geofence.
    package func checkVisible(geofence id: String) throws(Problem) {
        if isRestricted { _ = try geofence(id: id) }
    }
}
