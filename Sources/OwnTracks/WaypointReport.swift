import Registry

/// What an app has reported about its regions.
package struct WaypointReport: Sendable {
    /// All waypoints in the app's list.
    package var all: [Waypoint]
    /// The waypoints that the app has the operating system watch.
    package var entries: [WaypointList.Entry]
    /// The same regions with the settings of the phone, as far as they are known.
    package var snapshot: RegistrySnapshot

    package init(all: [Waypoint], entries: [WaypointList.Entry], snapshot: RegistrySnapshot) {
        self.all = all
        self.entries = entries
        self.snapshot = snapshot
    }
}
