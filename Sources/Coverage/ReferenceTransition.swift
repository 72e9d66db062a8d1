import Model

/// An enter or exit that a phone with the region registered and healthy reports.
package struct ReferenceTransition: Hashable, Sendable {
    package var isEnter: Bool
    /// When the operating system reports it.
    package var at: Instant
    /// The earliest time at which it can have happened: the time of the last fix on the other side of the boundary. The track has
    /// no fix between that one and the first one on this side, so a real phone may report the transition as early as that.
    package var earliest: Instant
}
