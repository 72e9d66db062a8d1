import Core
import Model
import Store

// Geofences as JSON documents for network clients, with conditional edits.

extension Queries {
    /// A geofence that was saved.
    package struct SavedGeofence: Sendable {
        package var geofence: Geofence
        /// Whether no geofence had the id before.
        package var isNew: Bool
        /// A note about how the outline was read; nil if there is nothing to say.
        package var note: GeofenceNote?
    }

    /// How the JSON of a geofence is read.
    package struct GeofenceOptions: Sendable {
        /// Whether edges longer than 180° of longitude stay as they are written, even if the JSON does not ask for it.
        var asWritten = false
        /// Whether a geofence without an id gets a free id if another geofence has its name.
        var renames = false

        package init(asWritten: Bool = false, renames: Bool = false) {
            self.asWritten = asWritten
            self.renames = renames
        }
    }

    /// Reads a geofence from JSON, and its outline with `Geofence.readOutline`.
    package func geofence(
        of json: JSONValue, id: String, _ options: GeofenceOptions
    ) throws(Problem) -> (Geofence, GeofenceNote?) {
        var geofence = try Geofence(json: json, id: id)
        let note = geofence.readOutline(asWritten: options.asWritten || Geofence.isAsWritten(json), context: geometry)
        return (geofence, note)
    }
}

extension ServiceWriter {
    /// Creates a geofence from JSON. Without an id, it gets one made from its name; if an identical geofence already exists, nothing
    /// changes.
    ///
    /// - Throws: `Problem.conflict` if another geofence has the id or, without an id, the name; and `Problem.validationFailed`.
    package func createGeofence(_ json: JSONValue, _ options: GeofenceOptions) throws(Problem) -> SavedGeofence {
        _ = try JSONFields(json, of: .geofence)
        let properties = json["type"]?.string == "Feature" ? json["properties"] : nil
        if let id = json["id"]?.string ?? properties?["id"]?.string {
            if try knownGeofence(id: id) != nil { throw .conflict(kind: .geofence, id: id, reason: .alreadyExists) }
            return try saveGeofence(json, id: id, options)
        }
        guard let name = json["name"]?.string ?? properties?["name"]?.string else {
            throw .validationFailed(
                field: "name", value: "", reason: .neitherIDNorName, expected: Phrase("one or both of them"))
        }
        var (geofence, note) = try geofence(of: json, id: Identifier.derivedOrDefault(from: name), options)
        var naming = GeofenceNaming(
            known: { id throws(Problem) in try self.knownGeofence(id: id) },
            named: { name throws(Problem) in try self.geofences(named: name) })
        switch try naming.outcome(for: geofence) {
        case .new(let id):
            geofence.id = id
            note = note?.with(geofenceId: id)
        case .same(let same):
            note = note?.with(geofenceId: same.id)
            return SavedGeofence(geofence: same, isNew: false, note: note)
        case .taken(let other, let next):
            guard options.renames else {
                throw .conflict(
                    kind: .geofence, id: other.id,
                    reason: .advised(
                        GeofenceNaming.conflict(geofence, heldBy: other),
                        Phrase("Send an id, or ask for a free one with onConflict=rename")))
            }
            geofence.id = next
            note = note?.with(geofenceId: next)
        }
        try apply([.save(geofence)], following: FollowingEvents())
        return SavedGeofence(geofence: geofence, isNew: true, note: note)
    }

    /// Creates a geofence from JSON, or replaces the geofence with this id.
    package func saveGeofence(
        _ json: JSONValue, id: String, _ options: GeofenceOptions, on condition: EditCondition = .always
    ) throws(Problem) -> SavedGeofence {
        let old = try store.geofence(id: id)?.geofence
        try condition.check(kind: .geofence, id: id, tag: old?.json.tag)
        let (geofence, note) = try geofence(of: json, id: id, options)
        if old != geofence { try apply([.save(geofence)], following: FollowingEvents()) }
        return SavedGeofence(geofence: geofence, isNew: old == nil, note: note)
    }

    /// Updates a geofence with a merge patch (RFC 7396).
    package func patchGeofence(
        _ id: String, with patch: JSONValue, _ options: GeofenceOptions, on condition: EditCondition
    ) throws(Problem) -> SavedGeofence {
        let old = try geofence(id: id)
        try condition.check(kind: .geofence, id: id, tag: old.json.tag)
        var geofence = try old.patched(with: patch)
        var note: GeofenceNote?
        // An outline that the patch does not contain stays unchanged.
        if geofence.shape != old.shape {
            note = geofence.readOutline(asWritten: options.asWritten || Geofence.isAsWritten(patch), context: geometry)
        }
        if old != geofence { try apply([.save(geofence)], following: FollowingEvents()) }
        return SavedGeofence(geofence: geofence, isNew: false, note: note)
    }

    /// Removes a geofence. Devices that are inside of it leave it.
    package func removeGeofence(_ id: String, _ condition: EditCondition = .always) throws(Problem) {
        let old = try geofence(id: id)
        try condition.check(kind: .geofence, id: id, tag: old.json.tag)
        try apply([.remove(id: id)], following: FollowingEvents())
    }
}
