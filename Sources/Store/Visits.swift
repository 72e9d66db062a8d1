import Model
import SQLite

extension RegionStore {
    /// A visit's place in the order of all: by enter, then by device and geofence.
    package struct VisitPlace: Hashable, Sendable {
        package var enteredAt: Instant
        package var deviceId: String
        package var geofenceId: String

        package init(enteredAt: Instant, deviceId: String, geofenceId: String) {
            self.enteredAt = enteredAt
            self.deviceId = deviceId
            self.geofenceId = geofenceId
        }
    }

    /// Calls `body` with each visit that meets the filter, by the time of its enter: those that ended, and those still open. To be called
    /// within a snapshot.
    ///
    /// A visit counts as between `since` and `until` when any of it is.
    ///
    /// - Parameters:
    ///   - place: Only those that follow this one in the order that is asked for.
    ///   - isNewestFirst: Whether they come from the newest to the oldest.
    ///   - now: The moment of the question: by it, a device that is still inside has fallen silent or not.
    package func forEachVisit(
        _ filter: EventFilter = EventFilter(), onlyOpen: Bool = false, after place: VisitPlace? = nil,
        isNewestFirst: Bool = false, at now: Instant,
        _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) {
        try settle()
        try settleEvents()
        let device = try filter.deviceId.flatMap { id throws(Problem) in try knownDevice(id: id)?.stored.key }
        let sightings = try Sightings(self, of: device)
        let query = VisitQuery(filter, onlyOpen: onlyOpen, after: place, isNewestFirst: isNewestFirst)
        let row = try attempt { () throws(SQLiteError) in try connection.freshStatement(query.sql) }
        query.bind(to: row)
        while var next = try next(VisitRow.self, of: row) {
            try complete(&next.visit, next.subject, sightings, at: now)
            try body(next.visit)
        }
    }

    /// Tells of a visit when the device was seen in it.
    func complete(
        _ visit: inout Visit, _ subject: Sightings.Subject, _ sightings: Sightings, at now: Instant
    ) throws(Problem) {
        visit.seenSeconds = try sightings.seconds(of: subject, from: visit.enteredAt, to: visit.exitedAt)
        switch try sightings.last(of: subject, from: visit.enteredAt, before: visit.exitedAt) {
        case .at(let moment): visit.lastSeenAt = moment
        case .never: break
        // Whether it was silent at the end, nobody can tell.
        case .unknown: return
        }
        visit.noteSilence(longerThan: subject.silentAfter, at: now)
    }
}
