import Model

/// What is known of a device when its registrations are judged.
public struct DeviceContext: Hashable, Sendable {
    public var device: Device
    /// Its recent fixes, oldest first: the last quarter of an hour is enough, and at least the newest. Empty when there is none yet.
    public var fixes: [Fix]
    /// The ids of the geofences that the device is in, as far as was told: enters without an exit.
    public var openVisits: Set<String>

    public init(device: Device, fixes: [Fix] = [], openVisits: Set<String> = []) {
        self.device = device
        self.fixes = fixes
        self.openVisits = openVisits
    }

    /// The newest fix.
    public var fix: Fix? { fixes.last }
}
