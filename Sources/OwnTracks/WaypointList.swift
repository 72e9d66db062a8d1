import Geodesy
import Model
import Registry

/// The list of waypoints that an OwnTracks app has published: the app's record of the regions that it has registered.
public struct WaypointList: Hashable, Sendable {
    /// A waypoint and what its region is called here.
    public struct Entry: Hashable, Sendable {
        public var id: RegionID
        public var waypoint: Waypoint

        public init(id: RegionID, waypoint: Waypoint) {
            self.id = id
            self.waypoint = waypoint
        }

        /// The region that the system watches.
        public var region: Region {
            Region(
                id: id, circle: waypoint.circle ?? Circle(center: Coordinate(latitude: 0, longitude: 0), radius: 0))
        }
    }

    public var waypoints: [Waypoint]

    /// - Parameter waypoints: The elements of the list as the app sent them; what is no object is passed over.
    public init(_ waypoints: [JSONValue]) { self.waypoints = waypoints.compactMap(Waypoint.init) }

    /// The waypoints that the system watches, those of ours by the names of their regions. The region by which the app follows the phone
    /// is left out: `PlatformProfile.ownTracks(_:)` has room for it.
    ///
    /// - Parameter region: The region that has a number; nil when none has it any more.
    public func entries(
        _ platform: Device.Platform, region: (_ number: Int) throws(Problem) -> RegionID?
    ) throws(Problem) -> [Entry] {
        var found: [Entry] = []
        var foreign: Set<RegionID> = []
        for waypoint in waypoints where waypoint.isWatched && !waypoint.followsPhone {
            if let id = try Self.id(of: waypoint, platform, region) {
                found.append(Entry(id: id, waypoint: waypoint))
            } else {
                // People know it by its name, which several may have.
                let name = waypoint.name.isEmpty ? "waypoint" : waypoint.name
                var id = RegionID(RegionID(name).isOurs ? "waypoint \(name)" : name)
                while !foreign.insert(id).inserted { id.text += " (\(foreign.count))" }
                found.append(Entry(id: id, waypoint: waypoint))
            }
        }
        return found
    }

    /// The region of a waypoint of ours; nil for any other.
    private static func id(
        of waypoint: Waypoint, _ platform: Device.Platform, _ region: (Int) throws(Problem) -> RegionID?
    ) throws(Problem) -> RegionID? {
        switch platform {
        case .ios:
            return waypoint.rid.map { RegionID($0) }.flatMap { $0.isOurs ? $0 : nil }
        case .android:
            guard let number = WaypointNumber.number(ofTime: waypoint.time) else { return nil }
            // No geofence can be called so: `#` is not allowed in their ids.
            return try region(number) ?? RegionID(geofence: "#\(number)")
        }
    }
}
