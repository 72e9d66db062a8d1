import Model

/// Data of a device that was removed from the store, and therefore must no longer be sent.
package struct RemovedData: Sendable {
    package var device: String
    /// The time from which on the positions were removed.
    package var positionsSince: Instant
    package var includesEvents: Bool

    package init(device: String, positionsSince: Instant, includesEvents: Bool) {
        self.device = device
        self.positionsSince = positionsSince
        self.includesEvents = includesEvents
    }
}
