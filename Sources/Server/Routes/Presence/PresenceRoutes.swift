import Routing

/// The routes of positions, events, visits, reports and alarms.
enum PresenceRoutes {
    static let all = PositionRoutes.all + EventRoutes.all + VisitRoutes.all + TimeReportRoutes.all + AlarmRoutes.all
}

extension Schemas {
    /// The schemas of the routes of positions, events, visits, reports and alarms.
    static let presence = positions + phones + events + visits
}
