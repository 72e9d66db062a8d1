/// The sum of the visits of one device to one geofence.
package struct VisitTotal: Hashable, Sendable {
    package var deviceId: String
    package var geofenceId: String
    package var geofenceName: String
    /// The number of visits.
    package var visits = 0
    /// Seconds in which the device was seen in the visits; see `Visit.seenSeconds`.
    package var seenSeconds = 0.0
    /// Seconds from enter to exit, or to the time of the query for an open visit.
    package var elapsedSeconds = 0.0
    /// The number of visits that are left out, because they are shorter than the requested minimum.
    package var omittedVisits = 0

    package init(deviceId: String, geofenceId: String, geofenceName: String) {
        self.deviceId = deviceId
        self.geofenceId = geofenceId
        self.geofenceName = geofenceName
    }

    /// Adds the visits of another total.
    package mutating func add(_ other: VisitTotal) {
        visits += other.visits
        seenSeconds += other.seenSeconds
        elapsedSeconds += other.elapsedSeconds
        omittedVisits += other.omittedVisits
    }

    /// Adds a visit, or the part of it within the queried period.
    ///
    /// - Parameters:
    ///   - seen: Seconds in which the device was seen.
    ///   - elapsed: Seconds of the visit.
    package mutating func add(seen: Double, elapsed: Double) {
        visits += 1
        seenSeconds += seen
        elapsedSeconds += elapsed
    }
}
