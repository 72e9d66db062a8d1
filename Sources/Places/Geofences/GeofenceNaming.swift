import Core
import Model

/// Decides which geofence is meant by one without an id: the geofence with its name, if there is one, or else a new geofence whose id is
/// made from the name.
///
/// Imports, `geofence add` and `POST /v1/geofences` use this type, so that no geofence is duplicated, and no existing geofence is
/// moved just because a new one has the same name.
///
/// Names are the same if they differ only in upper and lower case, white space and punctuation. Geofences with exactly the same name are
/// found regardless of their ids; those whose names differ in case are found by the ids made from the names.
package struct GeofenceNaming {
    /// The geofence that is meant.
    package enum Outcome {
        /// No geofence has the name. The new one gets this id.
        case new(id: String)
        /// A geofence with the name is identical except for its id.
        case same(Geofence)
        /// Other geofences have the name, of which this is the first, or this one has the id made from the name. `next` is a free id: the id
        /// with the suffix `-2`, `-3` and so on.
        case taken(by: Geofence, next: String)
    }

    /// The ids of the geofences with one name by the hash values of their contents. Almost all names have one geofence, so the first id
    /// needs no dictionary.
    private struct IDsByContent {
        private var one: (hash: Int, id: String)?
        private var others: [Int: [String]]?

        /// The id that was added first of those with this hash value; nil if there is none.
        subscript(hash: Int) -> String? { one?.hash == hash ? one?.id : others?[hash]?.first }

        /// Adds an id that is not here.
        mutating func add(_ id: String, _ hash: Int) {
            if one == nil, others == nil {
                one = (hash, id)
            } else {
                others = others ?? [:]
                others?[hash, default: []].append(id)
            }
        }

        /// Removes an id. Does nothing if it is not here.
        mutating func remove(_ id: String, _ hash: Int) {
            if one?.hash == hash, one?.id == id { one = nil } else { others?[hash]?.removeAll { $0 == id } }
        }

        var all: [String] { (one.map { [$0.id] } ?? []) + (others.map { $0.values.flatMap { $0 } } ?? []) }
    }

    /// The geofences with one name.
    private struct Namesakes {
        var ids = IDsByContent()
        /// The id of the first one; nil if there is none.
        var first: String?
    }

    private let geofence: (String) throws(Problem) -> Geofence?
    private let lookUpName: (String) throws(Problem) -> [Geofence]
    /// The ids of accepted geofences by their names, normalized by `key`, except those that were accepted when the name was in
    /// `namesakes`. Several of them can have the same content, because the file gives their ids.
    private var acceptedIDs: [String: [String]] = [:]
    /// By name, normalized by `key`.
    private var namesakes: [String: Namesakes] = [:]
    /// The first suffix that is not used, by id; absent while that is 1.
    private var nextNumbers: [String: Int] = [:]

    /// - Parameters:
    ///   - known: Returns the geofence with an id, including the accepted ones; nil if there is none.
    ///   - named: Returns the geofences with exactly this name, without the accepted ones.
    package init(
        known: @escaping (String) throws(Problem) -> Geofence?, named: @escaping (String) throws(Problem) -> [Geofence]
    ) {
        geofence = known
        lookUpName = named
    }

    /// Finds the geofence that is meant by one whose id was made from its name.
    ///
    /// - Complexity: O(1) lookups for each geofence. For a name of n geofences, n lookups the first time.
    package mutating func outcome(for geofence: Geofence) throws(Problem) -> Outcome {
        let next = try freeID(geofence.id)
        let key = Self.key(geofence.name)
        let found: Namesakes
        if let known = namesakes[key] {
            found = known
        } else {
            found = try findNamesakes(of: geofence)
            namesakes[key] = found
        }
        let content = geofence.content
        if let id = found.ids[content.hashValue], let same = try self.geofence(id), same.content == content { return .same(same) }
        if let first = found.first, let other = try self.geofence(first) { return .taken(by: other, next: next) }
        guard next != geofence.id, let other = try self.geofence(geofence.id) else { return .new(id: next) }
        // Two different names can give the same id. Otherwise the geofence was renamed, or its id was chosen, so it may be the same place.
        return Identifier.derivedOrDefault(from: other.name) == geofence.id ? .new(id: next) : .taken(by: other, next: next)
    }

    /// Treats a geofence as saved from now on.
    ///
    /// - Parameter old: The geofence that had its id before; nil if there was none.
    mutating func accept(_ geofence: Geofence, replacing old: Geofence?) {
        let key = Self.key(geofence.name)
        if let old {
            let oldKey = Self.key(old.name)
            let hash = old.content.hashValue
            namesakes[oldKey]?.ids.remove(geofence.id, hash)
            if oldKey != key, let found = namesakes[oldKey], found.first == geofence.id {
                // The next one becomes the first when the name occurs again.
                namesakes[oldKey] = nil
                acceptedIDs[oldKey, default: []] += found.ids.all
            }
        }
        if namesakes[key] != nil {
            namesakes[key]?.ids.add(geofence.id, geofence.content.hashValue)
            if namesakes[key]?.first == nil { namesakes[key]?.first = geofence.id }
        } else {
            acceptedIDs[key, default: []].append(geofence.id)
        }
    }

    /// Finds the geofences with the name of a geofence.
    private func findNamesakes(of geofence: Geofence) throws(Problem) -> Namesakes {
        let key = Self.key(geofence.name)
        var ids = Set(acceptedIDs[key] ?? [])
        for other in try lookUpName(geofence.name) { ids.insert(other.id) }
        for number in 1..<(nextNumbers[geofence.id] ?? 1) { ids.insert(Identifier.numbered(geofence.id, number)) }
        var found = Namesakes()
        // The id made from the name comes first, and `depot-2` before `depot-10`.
        for id in ids.sorted(by: { ($0 != geofence.id ? 1 : 0, $0.count, $0) < ($1 != geofence.id ? 1 : 0, $1.count, $1) }) {
            guard let other = try self.geofence(id), Self.key(other.name) == key else { continue }
            found.ids.add(id, other.content.hashValue)
            if found.first == nil { found.first = id }
        }
        return found
    }

    /// The id itself, or the first free id with a suffix.
    private mutating func freeID(_ id: String) throws(Problem) -> String {
        var number = nextNumbers[id] ?? 1
        while try geofence(Identifier.numbered(id, number)) != nil { number += 1 }
        if number > 1 { nextNumbers[id] = number }
        return Identifier.numbered(id, number)
    }

    /// A name without the differences that do not count: lowercase, with single hyphens instead of white space and punctuation.
    private static func key(_ name: String) -> String {
        let words = name.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.isEmpty ? name : words.joined(separator: "-")
    }

    /// Explains which geofence one without an id conflicts with, with both places. The text continues "The geofence 'depot' …".
    ///
    /// - Parameter origin: The position of the other geofence in the file; nil if it comes from the store.
    package static func conflict(_ geofence: Geofence, heldBy other: Geofence, at origin: (number: Int, line: Int)? = nil)
        -> Phrase
    {
        let place =
            origin.map { Phrase("number \($0.number) of the file, line \($0.line): \(other.shape.place)") } ?? other.shape.place
        guard other.shape == geofence.shape else {
            return Phrase(
                """
                already exists: '\(other.name)', \(place). This one, '\(geofence.name)', has no id and is \
                \(geofence.shape.place)
                """)
        }
        let (here, there) = (geofence.json, other.json)
        let names = ((here.members ?? []) + (there.members ?? [])).map(\.name)
        let different = Set(names).filter { $0 != "id" && here[$0] != there[$0] }.sorted()
        return Phrase(
            """
            already exists: '\(other.name)', \(place). This one, '\(geofence.name)', has no id, has the same coordinates and \
            differs in \(list: different)
            """)
    }
}

extension Geofence {
    /// What distinguishes a geofence from another one with the same name. `tst`, when a phone made a waypoint of OwnTracks,
    /// differs between the phones that have the same waypoint.
    fileprivate var content: Geofence {
        var copy = self
        copy.id = ""
        copy.properties.removeAll { $0.name == "tst" }
        return copy
    }
}
