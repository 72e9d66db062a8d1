import Routing

/// The routes of the operation of the service.
package enum OperationsRoutes {
    package static let all: [Route<ServiceFacts>] =
        StatusRoutes.all + ProblemRoutes.all + DoctorRoutes.all + StoreRoutes.all + SupportBundleRoutes.all
}

extension Schemas {
    /// The schemas of the routes of the operation of the service.
    package static let operations: [Named] = statuses + problems + supportReports + storeChecks
}
