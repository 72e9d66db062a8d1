import Model

/// An entry of the input log.
package struct LoggedInput: Sendable {
    package enum Content: Sendable {
        /// A fix with its age on receipt in seconds, which is 0 if it was at most a minute.
        case fix(Fix, lag: Double)
        /// A change of the geofences, which started this revision.
        case fences(revision: Int64)
        /// The change of the device's settings to the next ones of its `DeviceSettingsHistory`.
        case settings
        case clock(Instant)
        case signOfLife(Instant)
        case report(FenceKey, isInside: Bool, at: Instant)
        /// A replay with current geofences. The events and the state that it led to were stored together with the entry, so in
        /// the order of the log it has no effect. In order of time, the geofences before it are different ones; see
        /// `FenceBackdating`.
        case backdating
        /// Not stored: from here on a backdated geofence applies. Only the order of time of one device has such entries.
        case backdatingStart
    }

    package var place: InputPosition
    /// Nil if the entry concerns all devices.
    package var device: DeviceKey?
    package var kind: Content
    /// Whether the fix was received after something newer and therefore not evaluated on receipt.
    package var isLate = false
    /// Whether the fix was late and a replay has evaluated it since.
    var isReplayed = false

    /// The number of the entry, which grows from entry to entry; see `InputPosition`.
    package var number: Int64 { place.number }

    /// Whether the fix was late and no replay has evaluated it yet.
    package var needsReplay: Bool { isLate && !isReplayed }
}
