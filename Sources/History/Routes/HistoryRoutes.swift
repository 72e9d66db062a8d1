import Geocoding
import Routing
import Service

/// The routes of the history of devices.
package enum HistoryRoutes {
    /// What the work of the routes uses besides the store.
    package struct Feature: Sendable {
        let jobs: RunningJobs
        let geocoder: Geocoder?

        /// - Parameter geocoder: Finds the addresses of stops; nil if the service has none.
        package init(_ jobs: RunningJobs, geocoder: Geocoder?) {
            self.jobs = jobs
            self.geocoder = geocoder
        }
    }

    package static let all: [Route<Feature>] =
        (TrackRoutes.all + ExplainRoutes.all + ReplayRoutes.all + ExportRoutes.all).map { $0.using { $0.jobs } }
        + StopRoutes.all.map { $0.using { $0.geocoder } }
}

extension Schemas {
    /// The schemas of the routes of the history of devices.
    package static let history: [Named] = tracks + explanations + replays
}
