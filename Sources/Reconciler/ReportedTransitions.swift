import Model

/// How many of the enters and exits that Picket recorded for a geofence the phone's app has reported as well.
public struct ReportedTransitions: Hashable, Sendable {
    /// The geofence's id.
    public var geofenceId: String
    /// The geofence's name for people.
    public var geofenceName: String
    /// The number of enters and exits that Picket recorded since the app registered the region.
    public var events: Int
    /// The number of those that the app reported at about the same time.
    public var reported: Int

    /// Counts the events that match a report.
    public init(geofenceId: String, geofenceName: String, enters: TransitionTimes, exits: TransitionTimes) {
        self.geofenceId = geofenceId
        self.geofenceName = geofenceName
        events = enters.events.count + exits.events.count
        reported = enters.matches + exits.matches
    }

    /// The times of one kind of transition, as recorded by Picket and as reported by the app.
    public struct TransitionTimes: Hashable, Sendable {
        /// The times that Picket recorded.
        public var events: [Instant]
        /// The times that the app reported.
        public var reports: [Instant]

        /// Creates the times of one kind of transition, in any order.
        public init(events: [Instant] = [], reports: [Instant] = []) {
            self.events = events
            self.reports = reports
        }

        /// The maximum difference in seconds between Picket's time and the app's time of the same transition.
        public static let tolerance = 900.0

        /// The number of events with a report within the tolerance. Each report is counted once.
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
}

extension ReportedTransitions: JSONWritable {
    package static let output = JSONOutput<ReportedTransitions>(
        "ReportedTransitions", summary: "How many enters and exits of a geofence the phone's app has reported, too",
        .init("geofenceId", kind: .text, summary: "The geofence's id", content: \.geofenceId),
        .init("name", kind: .text, summary: "The geofence's name", content: \.geofenceName),
        .init(
            "events", kind: .whole, summary: "The number of enters and exits on record since the app has the region",
            content: \.events),
        .init("reported", kind: .whole, summary: "The number of those that the app has reported", content: \.reported))
}
