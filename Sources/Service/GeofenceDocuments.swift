import Model

// Geofences as whoever asks over the network writes them: made, replaced, changed and removed on a condition.

extension GeofenceService {
    /// Makes a geofence of its JSON. Without an id it gets one made of its name.
    ///
    /// - Throws: `Problem.conflict` when there is one of that id.
    public func create(geofence json: JSONValue) throws(Problem) -> Geofence {
        _ = try JSONFields(json, of: "a geofence")
        let properties = json["type"]?.string == "Feature" ? json["properties"] : nil
        let id: String
        if let given = json["id"]?.string ?? properties?["id"]?.string {
            if try knownGeofence(id: given) != nil {
                throw .conflict(kind: "geofence", id: given, reason: "is there already")
            }
            id = given
        } else {
            guard let name = json["name"]?.string ?? properties?["name"]?.string else {
                throw .validationFailed(
                    field: "name", value: "", reason: "there is neither an id nor a name", expected: "one of them, or both")
            }
            id = try freeID(for: name)
        }
        return try put(geofence: json, id: id).geofence
    }

    /// Makes a geofence of its JSON, or puts it in the place of the one of that id.
    public func put(
        geofence json: JSONValue, id: String, _ condition: EditCondition = .always
    ) throws(Problem) -> (geofence: Geofence, isNew: Bool) {
        let old = try store.geofence(id: id)?.geofence
        try condition.check(kind: "geofence", id: id, tag: old?.json.tag)
        let geofence = try Geofence(json: json, id: id)
        if old != geofence { try apply([.put(geofence)]) }
        return (geofence, old == nil)
    }

    /// Changes a geofence by a merge patch (RFC 7396).
    public func patch(
        geofence id: String, with patch: JSONValue, _ condition: EditCondition = .always
    ) throws(Problem) -> Geofence {
        let old = try geofence(id: id)
        try condition.check(kind: "geofence", id: id, tag: old.json.tag)
        let geofence = try old.patched(with: patch)
        if old != geofence { try apply([.put(geofence)]) }
        return geofence
    }

    /// Removes a geofence. Devices that are in it leave it.
    public func remove(geofence id: String, _ condition: EditCondition = .always) throws(Problem) {
        let old = try geofence(id: id)
        try condition.check(kind: "geofence", id: id, tag: old.json.tag)
        try apply([.remove(id: id)])
    }
}
