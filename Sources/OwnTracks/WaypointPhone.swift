import Model
import Registry

/// The way to a phone's OwnTracks app, and what is kept of it here.
public protocol WaypointPhone: Sendable {
    /// Sends commands to the app, then asks it for its list, and waits for the list that answers.
    ///
    /// - Throws: `RegistryError.Code.unavailable` when none comes in time. The commands may be carried out all the same.
    func list(after commands: [JSONValue]) async throws(RegistryError) -> WaypointReport

    /// A region's number, always the same, and what people read of it in the app: the name of its geofence.
    func label(of id: RegionID) async throws(RegistryError) -> (number: Int, name: String)

    /// The waypoints that the app is to have when a removal that was begun has ended; nil when none was begun.
    func unfinishedList() async throws(RegistryError) -> [JSONValue]?

    /// Keeps that list. Returns when it is on disk.
    func save(unfinished list: [JSONValue]?) async throws(RegistryError)
}

/// What an app has said of its regions.
public struct WaypointReport: Sendable {
    /// Its whole list.
    public var all: [Waypoint]
    /// Those that it has the system watch.
    public var entries: [WaypointList.Entry]
    /// The same with what else is known of the phone.
    public var snapshot: RegistrySnapshot

    public init(all: [Waypoint], entries: [WaypointList.Entry], snapshot: RegistrySnapshot) {
        self.all = all
        self.entries = entries
        self.snapshot = snapshot
    }
}
