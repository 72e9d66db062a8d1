import Model

/// How many of a geofence's enters and exits a phone's app has reported too.
public struct ReportedTransitions: Hashable, Sendable {
    public var geofenceId: String
    public var geofenceName: String
    /// Enters and exits that Picket found since the app has had the region.
    public var events: Int
    /// Those of them that the app reported, at about the same time.
    public var reported: Int

    /// Counts the events that have a report.
    public init(geofenceId: String, geofenceName: String, enters: Compared, exits: Compared) {
        self.geofenceId = geofenceId
        self.geofenceName = geofenceName
        events = enters.events.count + exits.events.count
        reported = enters.matches + exits.matches
    }

    /// The times of one kind of transition, by Picket and by the app.
    public struct Compared: Hashable, Sendable {
        public var events: [Instant]
        public var reports: [Instant]

        public init(events: [Instant] = [], reports: [Instant] = []) {
            self.events = events
            self.reports = reports
        }

        /// Seconds by which the app may date a transition earlier or later than Picket does.
        public static let tolerance = 900.0

        /// How many events have a report within the tolerance. Each report counts once.
        ///
        /// - Complexity: O(n log n).
        var matches: Int {
            let (events, reports) = (events.sorted(), reports.sorted())
            var (count, next) = (0, 0)
            for event in events {
                while next < reports.count, reports[next] < event + -Self.tolerance { next += 1 }
                guard next < reports.count, reports[next] <= event + Self.tolerance else { continue }
                count += 1
                next += 1
            }
            return count
        }
    }

    /// `{"geofenceId","name","events","reported"}`
    public var json: JSONValue {
        [
            "geofenceId": .string(geofenceId), "name": .string(geofenceName), "events": JSONValue(events),
            "reported": JSONValue(reported),
        ]
    }
}
