import Routing

/// The routes of geofences, devices, groups, rules, tokens and enrollment.
enum PlacesRoutes {
    static let all =
        GeofenceRoutes.all + GeofenceFileRoutes.all + DeviceRoutes.all + GroupRoutes.all + EditRoutes.all + RuleRoutes.all
        + TokenRoutes.all + PreferenceRoutes.all + EnrollmentRoutes.all
}

extension Schemas {
    /// The schemas of the routes of geofences, devices, groups, rules, tokens and enrollment.
    static let places = geofences + devices + rules + access + enrollments + inputs
}
