import Model

/// A visit of a device to a geofence, as recorded.
package struct TimeInside: Hashable, Sendable {
    package var enteredAt: Instant
    /// Nil while the device is inside.
    package var exitedAt: Instant?
    /// Whether the visit ended because the geofence or the device was edited or removed, and not because the device left.
    package var endedByEdit: Bool
    /// Seconds for which positions show that the device was there; see `Visit.seenSeconds`. Nil if they are not needed.
    package var seenSeconds: Double?

    package init(enteredAt: Instant, exitedAt: Instant? = nil, endedByEdit: Bool = false) {
        self.enteredAt = enteredAt
        self.exitedAt = exitedAt
        self.endedByEdit = endedByEdit
    }
}
