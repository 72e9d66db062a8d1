import Model

/// The request to evaluate stored positions with the current geofences, as if they had been there all the time.
package struct PastCorrection: Hashable, Sendable {
    /// The ids of the geofences; empty for all that are active.
    package var geofences: [String]
    /// Whether geofences that were removed or switched off count too: their events are retracted.
    package var includesRemoved: Bool
    /// The id of the device; nil for all devices.
    package var device: String?
    /// The first position at or after this moment is the first that counts; nil for all positions.
    package var since: Instant?

    package init(
        geofences: [String] = [], includesRemoved: Bool = false, device: String? = nil, since: Instant? = nil
    ) {
        self.geofences = geofences
        self.includesRemoved = includesRemoved
        self.device = device
        self.since = since
    }
}
