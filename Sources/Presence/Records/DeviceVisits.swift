import Model
import SQLite
import Store

extension PicketStore {
    /// The visits of one device in a period, and the data from which the time that it was seen is computed.
    struct DeviceVisits {
        let deviceId: String
        /// Sorted by the time of the enter. They lack the values that show when the device was seen.
        let visits: [Visit]
        private let sightings: Sightings
        /// Nil if there are no visits.
        private let device: Sightings.SightedDevice?
        /// The number of visits that are left out, because they are shorter than `minDuration` of the filter.
        let omittedVisits: Int

        init(deviceId: String, rows: [VisitRow], sightings: Sightings, minDuration: Double?) throws(Problem) {
            self.deviceId = deviceId
            self.sightings = sightings
            device = rows.first?.sightedDevice
            var visits: [Visit] = []
            for row in rows {
                if let minDuration, try sightings.seconds(of: row.sightedDevice, in: row.visit) < minDuration { continue }
                visits.append(row.visit)
            }
            self.visits = visits
            omittedVisits = rows.count - visits.count
        }

        /// The time up to which positions show that the device was there in one of the visits; nil for no end.
        func shownEnd(of visit: Visit) throws(Problem) -> Instant? {
            try device.flatMap { device throws(Problem) in try sightings.shownEnd(of: device, visit) }
        }

        /// The seconds between two moments for which the device was seen; 0 if there are no visits.
        func seenSeconds(from start: Instant, to end: Instant) throws(Problem) -> Double {
            guard let device else { return 0 }
            return try sightings.seconds(of: device, from: start, to: end)
        }
    }

    /// Calls `body` with each device that meets the filter, ordered by id, even if it has no visits. With `geofenceIds`, only
    /// devices that were in one of these geofences are included. `limit` of the filter is ignored. Visits shorter than its `minDuration`
    /// are left out. This must be called within a snapshot.
    func forEachDeviceVisits(
        _ filter: EventFilter, _ body: (DeviceVisits) throws(Problem) -> Void
    ) throws(Problem) {
        try writePendingStates()
        try indexAllEvents()
        let device = try visitors(filter, from: "")
        let only = try filter.deviceId.flatMap { id throws(Problem) in try knownDevice(id: id)?.stored.key }
        let sightings = try Sightings(self, of: only)
        while let id = try next(String.self, of: device) {
            var own = filter
            own.deviceId = id
            own.limit = nil
            let query = VisitQuery(own, onlyOpen: false)
            var visits: [VisitRow] = []
            do {
                let row = try attempt { () throws(SQLiteError) in try statement(query.sql) }
                defer { row.reset() }
                query.bind(to: row)
                while let next = try next(VisitRow.self, of: row) { visits.append(next) }
            }
            try body(DeviceVisits(deviceId: id, rows: visits, sightings: sightings, minDuration: filter.minDuration))
        }
    }
}
