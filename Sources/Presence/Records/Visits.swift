import Model
import SQLite
import Store

extension PicketStore {
    /// The position of a visit in the order by enter time, then by device and geofence.
    package struct VisitPosition: Hashable, Sendable {
        var enteredAt: Instant
        var deviceId: String
        var geofenceId: String

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
    /// With `minDuration` of the filter, shorter visits are left out. `pageSize` and `limit` do not count them.
    ///
    /// - Parameters:
    ///   - place: Return only visits after this one in the requested order.
    ///   - isNewestFirst: Whether the visits are ordered from the newest to the oldest.
    ///   - now: The current time, which decides whether a device that is still inside is silent.
    ///   - omit: Called for each visit that is left out because it is shorter than `minDuration`.
    func forEachVisit(
        _ filter: EventFilter, onlyOpen: Bool, after place: VisitPosition? = nil,
        isNewestFirst: Bool = false, at now: Instant, _ body: (Visit) throws(Problem) -> Void, omit: () -> Void
    ) throws(Problem) {
        try writePendingStates()
        try indexAllEvents()
        let device = try filter.deviceId.flatMap { id throws(Problem) in try knownDevice(id: id)?.stored.key }
        let sightings = try Sightings(self, of: device)
        /// Reads the visits of one query, until `body` returns false.
        func read(
            _ query: VisitQuery, _ body: (Visit) throws(Problem) -> Bool
        ) throws(Problem) {
            let row = try self.query(query.sql)
            query.bind(to: row)
            while var next = try next(VisitRow.self, of: row) {
                try complete(&next.visit, of: next.sightedDevice, sightings: sightings, at: now)
                guard try body(next.visit) else { return }
            }
        }
        guard let shortest = filter.minDuration else {
            let query = VisitQuery(filter, onlyOpen: onlyOpen, after: place, isNewestFirst: isNewestFirst)
            return try read(query) { visit throws(Problem) in
                try body(visit)
                return true
            }
        }
        // SQLite does not know how long a visit is, so the visits are read in steps until enough of them are long enough.
        var (place, step, newest) = (place, filter, [Visit]())
        (step.limit, step.pageSize) = (nil, Self.visitStep)
        var left = filter.pageSize ?? .max
        while left > 0 {
            var count = 0
            try read(VisitQuery(step, onlyOpen: onlyOpen, after: place, isNewestFirst: isNewestFirst)) { visit throws(Problem) in
                count += 1
                place = VisitPosition(enteredAt: visit.enteredAt, deviceId: visit.deviceId, geofenceId: visit.geofenceId)
                if visit.isShorter(than: shortest) {
                    omit()
                    return true
                }
                left -= 1
                guard let limit = filter.limit else {
                    try body(visit)
                    return left > 0
                }
                newest.append(visit)
                if newest.count >= 2 * limit { newest.removeFirst(newest.count - limit) }
                return true
            }
            if count < Self.visitStep { break }
        }
        for visit in newest.suffix(filter.limit ?? 0) { try body(visit) }
    }

    package func forEachVisit(
        _ filter: EventFilter, after place: VisitPosition? = nil, isNewestFirst: Bool = false, at now: Instant,
        _ body: (Visit) throws(Problem) -> Void
    ) throws(Problem) {
        try forEachVisit(filter, onlyOpen: false, after: place, isNewestFirst: isNewestFirst, at: now, body, omit: {})
    }

    /// The number of visits that are read at once to find those that are long enough.
    private static let visitStep = 1000
}
