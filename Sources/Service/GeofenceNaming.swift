import Model

/// Decides on the id of a geofence that has none: an id is made from the name, and may already belong to another geofence.
///
/// Imports, `geofence add` and `POST /v1/geofences` use this type, so that an existing geofence is never moved just because a new one has
/// the same name.
package struct GeofenceNaming {
    /// Whether an id that was made from a name is used.
    package enum IDAvailability {
        /// No geofence has the id.
        case free
        /// A geofence with the id, or with the id and a suffix `-2`, `-3` and so on, is identical except for its id.
        case same(Geofence)
        /// Another geofence has the id. `next` is the first free id with a suffix `-2`, `-3` and so on.
        case taken(by: Geofence, next: String)
    }

    /// The geofences with the same id made from their names, or that id with a suffix `-2`, `-3` and so on.
    private struct Series {
        /// The ids of the geofences. The keys have empty ids.
        var ids: [Geofence: String] = [:]
        /// The first number of a suffix that is not used.
        var next = 1
    }

    private let lookUp: (String) throws(Problem) -> Geofence?
    /// The geofences that were accepted since, by id.
    private var taken: [String: Geofence] = [:]
    private var series: [String: Series] = [:]

    /// - Parameter known: Returns the geofence with an id; nil if there is none.
    package init(known: @escaping (String) throws(Problem) -> Geofence?) { self.lookUp = known }

    /// Whether the id made for a geofence is free.
    ///
    /// - Complexity: O(1) lookups for each geofence. For a series of n geofences, n lookups the first time.
    package mutating func outcome(for geofence: Geofence) throws(Problem) -> IDAvailability {
        let id = geofence.id
        var found = series[id] ?? Series()
        // The series is removed from the dictionary, so that it is changed in place and not copied.
        series[id] = nil
        while let other = try self.geofence(Identifier.numbered(id, found.next)) {
            let content = other.withoutID
            if found.ids[content] == nil { found.ids[content] = other.id }
            found.next += 1
        }
        series[id] = found
        if let same = found.ids[geofence.withoutID], let other = try self.geofence(same) { return .same(other) }
        guard found.next > 1, let other = try self.geofence(id) else { return .free }
        return .taken(by: other, next: Identifier.numbered(id, found.next))
    }

    /// The geofence with an id, including the accepted ones; nil if there is none.
    package func geofence(_ id: String) throws(Problem) -> Geofence? {
        if let geofence = taken[id] { return geofence }
        return try lookUp(id)
    }

    /// Treats a geofence as saved from now on.
    ///
    /// - Parameter old: The geofence that had its id before; nil if there was none.
    package mutating func accept(_ geofence: Geofence, replacing old: Geofence?) {
        if let old, series[geofence.id]?.ids[old.withoutID] == geofence.id {
            series[geofence.id]?.ids[old.withoutID] = nil
            series[geofence.id]?.ids[geofence.withoutID] = geofence.id
        }
        taken[geofence.id] = geofence
    }

    /// Explains why the id made for a geofence is already used, with both places. The text continues "The geofence 'depot' …".
    ///
    /// - Parameter origin: Where the other geofence stands in the file; nil if it comes from the store.
    package static func conflict(_ geofence: Geofence, heldBy other: Geofence, at origin: (number: Int, line: Int)? = nil)
        -> Reason
    {
        let place = origin.map { .numberInFile(other.shape.place, $0.number, $0.line) } ?? other.shape.place
        guard other.shape == geofence.shape else {
            return .idTaken(other.name, place, geofence.name, geofence.shape.place)
        }
        let (here, there) = (geofence.json, other.json)
        let names = ((here.members ?? []) + (there.members ?? [])).map(\.name)
        let different = Set(names).filter { $0 != "id" && here[$0] != there[$0] }.sorted()
        return .idTakenDiffering(other.name, place, geofence.name, different)
    }
}

extension Geofence {
    fileprivate var withoutID: Geofence {
        var copy = self
        copy.id = ""
        return copy
    }
}
