/// The sum of the visits of one device to one geofence.
public struct VisitTotal: Hashable, Sendable {
    public var deviceId: String
    public var geofenceId: String
    public var geofenceName: String
    /// The number of visits.
    public var visits = 0
    /// Seconds in which the device was seen in the visits; see `Visit.seenSeconds`.
    public var seenSeconds = 0.0
    /// Seconds from enter to exit, or to the time of the query for an open visit.
    public var elapsedSeconds = 0.0
    /// The number of visits that do not count in `seenSeconds`, because it is unknown how long the device was seen.
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

    /// Adds a visit, or the part of it within the queried period.
    ///
    /// - Parameters:
    ///   - seen: Seconds in which the device was seen; nil when unknown.
    ///   - elapsed: Seconds of the visit.
    public mutating func add(seen: Double?, elapsed: Double) {
        visits += 1
        elapsedSeconds += elapsed
        if let seen { seenSeconds += seen } else { unknownVisits += 1 }
    }
}
