/// The time that a device spends inside a geofence, from enter to exit.
///
/// The visits of a silent device stay open, because no exit was seen. A visit may therefore be much longer than the time in which the
/// device was seen.
package struct Visit: Hashable, Sendable {
    package var deviceId: String
    package var geofenceId: String
    package var geofenceName: String
    package var enteredAt: Instant
    /// Nil while the device is inside.
    package var exitedAt: Instant?
    package var enterCause: Cause
    package var exitCause: Cause?
    /// The time of the device's last position in the visit, before its exit. Nil when there is none, and when it is unknown because
    /// positions were deleted.
    package var lastSeenAt: Instant?
    /// Seconds of the visit for which positions show that the device was there: the gaps between two positions in the visit that are not
    /// longer than the device's `silentAfter`. A visit with one position has 0. Nil when it was not computed.
    package var seenSeconds: Double?
    /// The last time that the device was seen, if the time from then to the exit (or to the time of the query, for an open visit) exceeds
    /// the device's `silentAfter`; else nil.
    package var notSeenSince: Instant?

    package init(
        deviceId: String, geofenceId: String, geofenceName: String, enteredAt: Instant, exitedAt: Instant?, enterCause: Cause,
        exitCause: Cause?, lastSeenAt: Instant? = nil, seenSeconds: Double? = nil, notSeenSince: Instant? = nil
    ) {
        self.deviceId = deviceId
        self.geofenceId = geofenceId
        self.geofenceName = geofenceName
        self.enteredAt = enteredAt
        self.exitedAt = exitedAt
        self.enterCause = enterCause
        self.exitCause = exitCause
        self.lastSeenAt = lastSeenAt
        self.seenSeconds = seenSeconds
        self.notSeenSince = notSeenSince
    }

    /// Seconds from enter to exit; nil while the visit is open.
    package var duration: Double? { exitedAt.map { $0 - enteredAt } }

    /// Whether positions show the device there for less than a number of seconds. False without `seenSeconds`.
    package func isShorter(than seconds: Double) -> Bool { seenSeconds.map { $0 < seconds } ?? false }

    /// Whether the visit ended because the geofence or the device was edited or removed, and not because the device left.
    package var isEndedByEdit: Bool {
        switch exitCause {
        case .fenceChanged, .fenceRemoved, .deviceRemoved: true
        default: false
        }
    }

    /// Sets `notSeenSince` from `lastSeenAt`, or from the enter when the visit has no position.
    ///
    /// - Parameters:
    ///   - silentAfter: The device's `silentAfter` in seconds.
    ///   - now: The time of the query.
    package mutating func updateNotSeenSince(silentAfter: Double, at now: Instant) {
        let seen = lastSeenAt ?? enteredAt
        notSeenSince = (exitedAt ?? now) - seen > silentAfter ? seen : nil
    }
}
