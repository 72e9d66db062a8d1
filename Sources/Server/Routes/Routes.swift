import History
import Notifications
import Operations
import Registrations
import Routing

/// All routes of the service.
enum Routes {
    static let all: [Route<API>] =
        PositionRoutes.all + EventRoutes.all + GeofenceRoutes.all + GeofenceFileRoutes.all + DeviceRoutes.all
        + registrations(OwnTracksKeyRoutes.all) + GroupRoutes.all + history(TrackRoutes.all)
        + operations(StatusRoutes.all) + VisitRoutes.all + history(ExplainRoutes.all) + registrations(HealthRoutes.all)
        + registrations(ObservationRoutes.all)
        + operations(ProblemRoutes.all) + AlarmRoutes.all
        + notifications(AlarmLinkRoutes.all) + RuleRoutes.all
        + notifications(SinkRoutes.all) + EditRoutes.all + history(ReplayRoutes.all) + TokenRoutes.all + StreamTokenRoutes.all
        + SessionRoutes.all
        + PreferenceRoutes.all + EnrollmentRoutes.all + SampleDataRoutes.all
        + operations(SupportBundleRoutes.all) + TimeReportRoutes.all
        + operations(DoctorRoutes.all) + operations(StoreRoutes.all) + history(ExportRoutes.all)
        + DashboardRoutes.all + ProcessRoutes.all

    private static func history(_ routes: [Route<RequestedReplays>]) -> [Route<API>] {
        routes.map { $0.using { (api: API) in api.requestedReplays } }
    }

    private static func registrations(_ routes: [Route<RepairCoordinator>]) -> [Route<API>] {
        routes.map { $0.using { (api: API) in api.repairCoordinator } }
    }

    private static func notifications(_ routes: [Route<DeliveryRunner>]) -> [Route<API>] {
        routes.map { $0.using { (api: API) in api.delivery } }
    }

    private static func operations(_ routes: [Route<ServiceFacts>]) -> [Route<API>] {
        routes.map { $0.using { (api: API) in api.facts } }
    }
}
