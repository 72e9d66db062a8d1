import Model

/// Decides on the id of a geofence that comes without one: an id is made of the name, and may belong to another geofence.
///
/// Imports, `geofence add` and `POST /v1/geofences` all ask here, so that nothing is ever moved to another place because two
/// places have the same name.
public struct GeofenceNaming {
    /// Whose the id is that was made of a name.
    public enum Outcome {
        /// No geofence has it.
        case free
        /// A geofence with it, or with `-2`, `-3` and so on behind it, is the very same but for its id.
        case same(Geofence)
        /// Another geofence has it. `next` is the first free one of those with `-2`, `-3` and so on behind it.
        case taken(by: Geofence, next: String)
    }

    /// The geofences whose ids begin alike: the id as it is made, and with `-2`, `-3` and so on behind it.
    private struct Series {
        /// The ids by the geofences, whose own id is left empty.
        var ids: [Geofence: String] = [:]
        /// The first number that no geofence has.
        var next = 1
    }

    private let known: (String) throws(Problem) -> Geofence?
    /// Those that were taken since, by id.
    private var taken: [String: Geofence] = [:]
    private var series: [String: Series] = [:]

    /// - Parameter known: Finds the geofence of an id; nil if there is none.
    public init(known: @escaping (String) throws(Problem) -> Geofence?) { self.known = known }

    /// What becomes of the id that was made for a geofence.
    ///
    /// - Complexity: O(1) lookups for each geofence; in a series of n, n lookups once.
    public mutating func outcome(for geofence: Geofence) throws(Problem) -> Outcome {
        let id = geofence.id
        var found = series[id] ?? Series()
        // Taken out of the dictionary, the series is changed in place and not copied.
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

    /// The geofence of an id, as it is with what was taken; nil if there is none.
    public func geofence(_ id: String) throws(Problem) -> Geofence? {
        if let geofence = taken[id] { return geofence }
        return try known(id)
    }

    /// Counts a geofence as saved from now on.
    ///
    /// - Parameter old: The one that had its id before; nil if there was none.
    public mutating func take(_ geofence: Geofence, inPlaceOf old: Geofence?) {
        if let old, series[geofence.id]?.ids[old.withoutID] == geofence.id {
            series[geofence.id]?.ids[old.withoutID] = nil
            series[geofence.id]?.ids[geofence.withoutID] = geofence.id
        }
        taken[geofence.id] = geofence
    }

    /// Why the id that was made for a geofence is not its own, with both places: what follows "The geofence 'depot'".
    ///
    /// - Parameter origin: Where the other one comes from, if not from the store.
    public static func conflict(_ geofence: Geofence, heldBy other: Geofence, from origin: String? = nil) -> String {
        let holder = "'\(other.name)'\(origin.map { " (\($0))" } ?? ""), \(Wording.place(other.shape))"
        let own = "This one, whose id was made of its name '\(geofence.name)', is"
        guard other.shape == geofence.shape else {
            return "already exists: \(holder). \(own) \(Wording.place(geofence.shape))"
        }
        let (here, there) = (geofence.json, other.json)
        let names = ((here.members ?? []) + (there.members ?? [])).map(\.name)
        let different = Set(names).filter { $0 != "id" && here[$0] != there[$0] }.sorted()
        return "already exists: \(holder). \(own) at the same place and differs in \(different.joined(separator: ", "))"
    }
}

extension Geofence {
    fileprivate var withoutID: Geofence {
        var copy = self
        copy.id = ""
        return copy
    }
}
