import Geodesy
import Model
import Registry

/// The list of waypoints that an OwnTracks app has published: the regions that the app registers with the operating system.
package struct WaypointList: Hashable, Sendable {
    /// A waypoint and the identifier of its region.
    package struct Entry: Hashable, Sendable {
        package var id: RegionID
        package var waypoint: Waypoint

        package init(id: RegionID, waypoint: Waypoint) {
            self.id = id
            self.waypoint = waypoint
        }

        /// The region that the operating system watches.
        package var region: Region {
            Region(
                id: id, circle: waypoint.circle ?? Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 0))
        }
    }

    package var waypoints: [Waypoint]

    /// - Parameter waypoints: The elements of the list as the app sent them. Elements that are not objects are ignored.
    package init(_ waypoints: [JSONValue]) { self.waypoints = waypoints.compactMap(Waypoint.init) }

    /// The waypoints that the operating system watches. Picket's own waypoints get the identifiers of their regions, and other waypoints
    /// get identifiers made from their names. The region with which the app follows the phone is left out, because
    /// `PlatformProfile.ownTracks(_:)` already subtracts its slot.
    ///
    /// - Parameter region: Returns the identifier of the region with a number; nil if no region has the number anymore.
    package func entries(
        _ platform: Device.Platform, region: (_ number: Int) throws(Problem) -> RegionID?
    ) throws(Problem) -> [Entry] {
        var found: [Entry] = []
        var foreign: Set<RegionID> = []
        for waypoint in waypoints where waypoint.isWatched && !waypoint.followsPhone {
            if let id = try Self.id(of: waypoint, platform, region) {
                found.append(Entry(id: id, waypoint: waypoint))
            } else {
                // A foreign waypoint is identified by its name for people. Equal names are numbered.
                let name = waypoint.name.isEmpty ? "waypoint" : waypoint.name
                var id = RegionID(RegionID(name).isOurs ? "waypoint \(name)" : name)
                while !foreign.insert(id).inserted { id.text += " (\(foreign.count))" }
                found.append(Entry(id: id, waypoint: waypoint))
            }
        }
        return found
    }

    /// The region of one of Picket's own waypoints; nil for any other waypoint.
    private static func id(
        of waypoint: Waypoint, _ platform: Device.Platform, _ region: (Int) throws(Problem) -> RegionID?
    ) throws(Problem) -> RegionID? {
        switch platform {
        case .ios:
            return waypoint.rid.map { RegionID($0) }.flatMap { $0.isOurs ? $0 : nil }
        case .android:
            guard let number = WaypointNumber.number(ofTime: waypoint.time) else { return nil }
            // The number's geofence no longer exists. No other geofence can have this id, because `#` is not allowed in geofence ids.
            return try region(number) ?? RegionID(geofence: "#\(number)")
        }
    }
}
