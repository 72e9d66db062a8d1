import Core
import Model
import Places

extension QueryBackend {
    /// The group with a name. Throws `Problem.notFound` if there is none.
    package func group(named name: String) throws(Problem) -> Queries.Group { try groups().named(name) }

    /// The devices of a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func devices(inGroup name: String) throws(Problem) -> [Device] {
        _ = try group(named: name)
        return try devices().filter { $0.groups.contains(name) }
    }

    /// Calls `body` with each geofence that is for a group, sorted by id.
    ///
    /// - Throws: `Problem.notFound` if the group does not exist.
    package func forEachGeofence(
        inGroup name: String, matching text: String? = nil, _ body: (Geofence) throws(Problem) -> Void
    ) throws(Problem) {
        _ = try group(named: name)
        try forEachGeofence(matching: text) { geofence throws(Problem) in
            if geofence.groups.contains(name) { try body(geofence) }
        }
    }
}
