/// The time of a device inside a geofence, from enter to exit.
///
/// A device that is not heard of keeps its visits: nobody saw it leave. So a visit may be much longer than the time for which the device
/// was seen in it.
public struct Visit: Hashable, Sendable {
    public var deviceId: String
    public var geofenceId: String
    public var geofenceName: String
    public var enteredAt: Instant
    /// Nil while the device is inside.
    public var exitedAt: Instant?
    public var enterCause: Cause
    public var exitCause: Cause?
    /// The time of the device's last position in the visit, which is before its exit. Nil when there is none, and when it is not known
    /// because positions were removed.
    public var lastSeenAt: Instant?
    /// Seconds of the visit for which the device was seen: those between positions that are no further apart than the device's
    /// `silentAfter`. Nil when that is not known because positions were removed.
    public var seenSeconds: Double?
    /// The last time that the device was seen, when more than its `silentAfter` passed from then to the exit, or, while it is inside, to
    /// the moment of the question. Else nil.
    public var notSeenSince: Instant?

    public init(
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

    /// Seconds from enter to exit; nil while it is open.
    public var duration: Double? { exitedAt.map { $0 - enteredAt } }

    /// Sets `notSeenSince` by `lastSeenAt`, or by the enter when the visit has no position.
    ///
    /// - Parameters:
    ///   - silentAfter: Of the device, in seconds.
    ///   - now: The moment of the question.
    public mutating func noteSilence(longerThan silentAfter: Double, at now: Instant) {
        let seen = lastSeenAt ?? enteredAt
        notSeenSince = (exitedAt ?? now) - seen > silentAfter ? seen : nil
    }
}

/// The visits of one device to one geofence, added up.
public struct VisitTotal: Hashable, Sendable {
    public var deviceId: String
    public var geofenceId: String
    public var geofenceName: String
    /// How many visits there were.
    public var visits = 0
    /// Seconds for which the device was seen in them; see `Visit.seenSeconds`.
    public var seenSeconds = 0.0
    /// Seconds from enter to exit, or to the moment of the question.
    public var elapsedSeconds = 0.0
    /// How many of the visits have no part in `seenSeconds`, because it is not known for how long the device was seen in them.
    public var unknownVisits = 0

    public init(deviceId: String, geofenceId: String, geofenceName: String) {
        self.deviceId = deviceId
        self.geofenceId = geofenceId
        self.geofenceName = geofenceName
    }

    /// Adds the visits of another total.
    public mutating func add(_ other: VisitTotal) {
        visits += other.visits
        seenSeconds += other.seenSeconds
        elapsedSeconds += other.elapsedSeconds
        unknownVisits += other.unknownVisits
    }

    /// Adds a visit, or the part of one that is asked about.
    ///
    /// - Parameters:
    ///   - seen: Seconds; nil when it is not known.
    ///   - elapsed: Seconds.
    public mutating func add(seen: Double?, elapsed: Double) {
        visits += 1
        elapsedSeconds += elapsed
        if let seen { seenSeconds += seen } else { unknownVisits += 1 }
    }
}
