import Model

/// An enter or exit that an app learned of from the operating system, or would have learned of with every geofence registered.
package struct RegionTransition: Hashable, Sendable {
    package var deviceID: String
    package var geofenceID: String
    package var isEnter: Bool
    package var at: Instant
}
