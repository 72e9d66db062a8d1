import Routing

/// The routes of the registrations on phones.
package enum RegistrationsRoutes {
    package static let all: [Route<RepairCoordinator>] = HealthRoutes.all + ObservationRoutes.all + OwnTracksKeyRoutes.all
}

extension Schemas {
    /// The schemas of the routes of the registrations on phones.
    package static let registrations: [Named] = health + ownTracksKeys + [simulatedAction]
}
