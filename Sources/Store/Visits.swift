import Model
import SQLite

extension RegionStore {
    /// The position of a visit in the order by enter time, then by device and geofence.
    package struct VisitPosition: Hashable, Sendable {
        package var enteredAt: Instant
        package var deviceId: String
        package var geofenceId: String

        package init(enteredAt: Instant, deviceId: String, geofenceId: String) {
            self.enteredAt = enteredAt
            self.deviceId = deviceId
            self.geofenceId = geofenceId
        }
    }

    /// Calls `body` with each visit that meets the filter, ordered by the time of its enter. Both ended and open visits are included. This
    /// must be called within a snapshot.
    ///
    /// A visit is between `since` and `until` if any part of it is.
    ///
    /// - Parameters:
    ///   - place: Return only visits after this one in the requested order.
    ///   - isNewestFirst: Whether the visits are ordered from the newest to the oldest.
    ///   - now: The current time, which decides whether a device that is still inside is silent.
    package func forEachVisit(
        _ filter: EventFilter = EventFilter(), onlyOpen: Bool = false, after place: VisitPosition? = nil,
        isNewestFirst: Bool = false, at now: Instant,
        _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) {
        try writePendingStates()
        try indexAllEvents()
        let device = try filter.deviceId.flatMap { id throws(Problem) in try knownDevice(id: id)?.stored.key }
        let sightings = try Sightings(self, of: device)
        let query = VisitQuery(filter, onlyOpen: onlyOpen, after: place, isNewestFirst: isNewestFirst)
        let row = try attempt { () throws(SQLiteError) in try connection.uncachedStatement(query.sql) }
        query.bind(to: row)
        while var next = try next(VisitRow.self, of: row) {
            try complete(&next.visit, of: next.sightedDevice, sightings: sightings, at: now)
            try body(next.visit)
        }
    }

    /// Sets the values of a visit that tell when the device was seen during it.
    func complete(
        _ visit: inout Visit, of subject: Sightings.SightedDevice, sightings: Sightings, at now: Instant
    ) throws(Problem) {
        visit.seenSeconds = try sightings.seconds(of: subject, from: visit.enteredAt, to: visit.exitedAt)
        switch try sightings.last(of: subject, from: visit.enteredAt, before: visit.exitedAt) {
        case .at(let moment): visit.lastSeenAt = moment
        case .never: break
        // It is unknown whether the device was silent at the end of the visit.
        case .unknown: return
        }
        visit.updateNotSeenSince(silentAfter: subject.silentAfter, at: now)
    }
}
