import Model

/// An enter or exit that the operating system reported to an app, or would have reported with every geofence registered.
package struct RegionTransition: Hashable, Sendable {
    package var deviceID: String
    package var geofenceID: String
    package var isEnter: Bool
    package var at: Instant
}
