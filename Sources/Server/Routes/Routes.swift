import Geocoding
import History
import Notifications
import Operations
import Registrations
import Routing

/// The routes of the service: one list of each feature.
enum Routes {
    static let all: [Route<API>] =
        PlacesRoutes.all + PresenceRoutes.all + ServerRoutes.all
        + HistoryRoutes.all.map { $0.using { (api: API) in .init(api.runningJobs, geocoder: api.geocoder) } }
        + GeocodingRoutes.all.map { $0.using { (api: API) in api.geocoder } }
        + RegistrationsRoutes.all.map { $0.using { (api: API) in api.repairCoordinator } }
        + NotificationsRoutes.all.map { $0.using { (api: API) in api.delivery } }
        + OperationsRoutes.all.map { $0.using { (api: API) in api.facts } }
}

extension Schemas {
    /// The schemas of all routes: one list of each feature.
    static let all: [Named] = server + places + presence + history + geocoding + registrations + notifications + operations
}

/// The routes of the server itself.
enum ServerRoutes {
    static let all = SessionRoutes.all + StreamTokenRoutes.all + SampleDataRoutes.all + DashboardRoutes.all + ProcessRoutes.all
}
