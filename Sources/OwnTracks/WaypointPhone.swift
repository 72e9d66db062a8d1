import Model
import Registry

/// The connection to a phone's OwnTracks app, and the data that is stored about it.
package protocol WaypointPhone: Sendable {
    /// Sends commands to the app, requests its list, and waits for the list.
    ///
    /// - Throws: `RegistryError.Code.unavailable` if no list arrives in time. The app may have carried out the commands nevertheless.
    func list(after commands: [JSONValue]) async throws(RegistryError) -> WaypointReport

    /// A region's permanent number, and the name of its geofence, which people see in the app.
    func label(of id: RegionID) async throws(RegistryError) -> (number: Int, name: String)

    /// The waypoints that the app should have after a removal that was begun; nil if no removal is unfinished.
    func unfinishedList() async throws(RegistryError) -> [JSONValue]?

    /// Saves that list, or removes it if `list` is nil. Returns when the change is on disk.
    func save(unfinished list: [JSONValue]?) async throws(RegistryError)
}
