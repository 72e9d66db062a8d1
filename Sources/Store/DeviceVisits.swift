import Model
import SQLite

extension RegionStore {
    /// The visits of one device in a period, and what measures for how long it was seen.
    package struct DeviceVisits {
        package let deviceId: String
        /// Sorted by the time of the enter. They lack the values that tell when the device was seen.
        package let visits: [Visit]
        private let sightings: Sightings
        /// Nil if there are no visits.
        private let device: Sightings.SightedDevice?

        init(deviceId: String, rows: [VisitRow], sightings: Sightings) {
            self.deviceId = deviceId
            visits = rows.map(\.visit)
            self.sightings = sightings
            device = rows.first?.sightedDevice
        }

        /// The seconds between two moments for which the device was seen; nil if that is unknown, because positions were removed.
        package func seenSeconds(from start: Instant, to end: Instant) throws(Problem) -> Double? {
            try device.flatMap { device throws(Problem) in try sightings.seconds(of: device, from: start, to: end) }
        }
    }

    /// Calls `body` with each device that meets the filter, ordered by id, also if it has no visits. With `geofenceId`, only devices that
    /// were in that geofence are included. `limit` of the filter is ignored. This must be called within a snapshot.
    package func forEachDeviceVisits(
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
                let row = try attempt { () throws(SQLiteError) in try connection.statement(query.sql) }
                defer { row.reset() }
                query.bind(to: row)
                while let next = try next(VisitRow.self, of: row) { visits.append(next) }
            }
            try body(DeviceVisits(deviceId: id, rows: visits, sightings: sightings))
        }
    }
}
