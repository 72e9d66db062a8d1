import Model

/// What is known about a device when its registrations are assessed.
public struct DeviceContext: Hashable, Sendable {
    /// The device, with the groups that decide which geofences apply to it.
    public var device: Device
    /// The device's recent fixes, oldest first; empty before the first fix. The fixes of the last 15 minutes are enough; at least the
    /// newest one is needed.
    public var fixes: [Fix]
    /// The ids of the geofences with an open visit: an enter was recorded, and no exit yet.
    public var openVisits: Set<String>

    /// Creates a context; the fixes are ordered by time, oldest first.
    public init(device: Device, fixes: [Fix] = [], openVisits: Set<String> = []) {
        self.device = device
        self.fixes = fixes
        self.openVisits = openVisits
    }

    /// The newest fix.
    public var fix: Fix? { fixes.last }
}
