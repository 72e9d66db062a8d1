import Model
import SQLite
import Store

extension PicketStore {
    /// Calls `body` with the total of each device and geofence that have visits, ordered by device and geofence, until `body` returns
    /// false. This must be called within a snapshot.
    ///
    /// Of a visit that begins before `since` or ends after `until`, only the part between them counts. `limit` of the filter is ignored.
    ///
    /// With `minDuration` of the filter, visits that are shorter as a whole count only in `omittedVisits`, even if all visits
    /// are.
    ///
    /// - Parameters:
    ///   - place: Return only totals after this one.
    ///   - now: The end of visits that have not ended.
    /// - Complexity: As `forEachVisit` for the visits of each device in turn, with the totals of one device in memory at a time.
    func forEachVisitTotal(
        _ filter: EventFilter, onlyOpen: Bool, after place: VisitTotalPosition?, at now: Instant,
        _ body: (VisitTotal) throws(Problem) -> Bool
    ) throws(Problem) {
        try writePendingStates()
        try indexAllEvents()
        let device = try visitors(filter, from: place?.deviceId ?? "")
        let only = try filter.deviceId.flatMap { id throws(Problem) in try knownDevice(id: id)?.stored.key }
        let sightings = try Sightings(self, of: only)
        while let id = try next(String.self, of: device) {
            var own = filter
            own.deviceId = id
            own.limit = nil
            for total in try visitTotals(own, onlyOpen: onlyOpen, sightings, at: now) {
                if let place, total.deviceId == place.deviceId, total.geofenceId <= place.geofenceId { continue }
                guard try body(total) else { return }
            }
        }
    }

    /// The position of a total in the order by device and geofence.
    struct VisitTotalPosition: Hashable, Sendable {
        var deviceId: String
        var geofenceId: String
    }

    /// The ids of the devices that can have visits that meet a filter, in ascending order. With `geofenceIds`, only devices that were in one of
    /// these geofences are included.
    ///
    /// - Parameter id: The first id that is wanted.
    func visitors(_ filter: EventFilter, from id: String) throws(Problem) -> Statement {
        try attempt { () throws(SQLiteError) in
            let row = try uncachedStatement(
                """
                SELECT id FROM device WHERE id >= ?1
                """ + (filter.deviceId == nil ? "" : " AND id = ?2")
                    + (filter.geofenceIds.isEmpty
                        ? ""
                        : """
                         AND key IN (SELECT e.device FROM event_by_geofence o CROSS JOIN event e ON e.sequence = o.sequence
                            WHERE o.geofence IN \(Self.geofenceKeys(ofIdsIn: "?3"))
                        UNION SELECT device FROM presence WHERE geofence IN \(Self.geofenceKeys(ofIdsIn: "?3")))
                        """) + " ORDER BY id")
            row.bind(1, id)
            if let device = filter.deviceId { row.bind(2, device) }
            if !filter.geofenceIds.isEmpty { row.bind(3, Self.list(filter.geofenceIds)) }
            return row
        }
    }

    /// The totals of one device, ordered by geofence.
    private func visitTotals(
        _ filter: EventFilter, onlyOpen: Bool, _ sightings: Sightings, at now: Instant
    ) throws(Problem) -> [VisitTotal] {
        let query = VisitQuery(filter, onlyOpen: onlyOpen)
        let row = try attempt { () throws(SQLiteError) in try statement(query.sql) }
        defer { row.reset() }
        query.bind(to: row)
        var totals: [String: VisitTotal] = [:]
        while let next = try next(VisitRow.self, of: row) {
            let visit = next.visit
            var total =
                totals[visit.geofenceId] ?? VisitTotal(deviceId: visit.deviceId, geofenceId: visit.geofenceId, geofenceName: "")
            // The total has the geofence's name at the newest visit.
            total.geofenceName = visit.geofenceName
            let start = max(visit.enteredAt, filter.since ?? visit.enteredAt)
            let end = min(visit.exitedAt ?? now, filter.until ?? .latest)
            // A device that is still inside may have sent positions with times slightly ahead of the clock.
            let shownEnd = try sightings.shownEnd(of: next.sightedDevice, visit)
            func seen(from start: Instant, to end: Instant?) throws(Problem) -> Double {
                try sightings.seconds(
                    of: next.sightedDevice, from: start, to: [shownEnd, end].compactMap(\.self).min())
            }
            if let shortest = filter.minDuration, try seen(from: visit.enteredAt, to: nil) < shortest {
                total.omittedVisits += 1
            } else {
                total.add(seen: try seen(from: start, to: filter.until), elapsed: max(0, end - start))
            }
            totals[visit.geofenceId] = total
        }
        return totals.values.sorted { $0.geofenceId < $1.geofenceId }
    }
}
