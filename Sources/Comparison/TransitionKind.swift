/// A transition that an operating system reports to an app.
package enum TransitionKind: String, CaseIterable, Sendable {
    case enter, exit
    /// The device has stayed inside for the geofence's dwell time. Only Android reports this.
    case dwell

    /// Whether the device is inside after it.
    package var isInside: Bool { self != .exit }
}
