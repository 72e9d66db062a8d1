import Model

/// An enter or exit that a phone with the region registered and healthy tells.
package struct ReferenceTransition: Hashable, Sendable {
    package var isEnter: Bool
    /// When the operating system tells it.
    package var at: Instant
    /// When it can have happened at the earliest: the time of the last fix on the other side of the boundary. A track has no fix between
    /// that one and the first on this side, so a real phone may tell the transition that much before `at`.
    package var earliest: Instant
}
