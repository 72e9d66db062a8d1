/// A transition that an operating system tells an app.
package enum TransitionKind: String, CaseIterable, Sendable {
    case enter, exit
    /// The device has stayed inside for the time that the geofence names. Only Android tells it.
    case dwell

    /// Whether the device is inside after it.
    package var isInside: Bool { self != .exit }
}
