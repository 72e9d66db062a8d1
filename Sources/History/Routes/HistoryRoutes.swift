import Routing
import Service

/// The routes of the history of devices.
package enum HistoryRoutes {
    package static let all: [Route<RunningJobs>] =
        TrackRoutes.all + StopRoutes.all + ExplainRoutes.all + ReplayRoutes.all + ExportRoutes.all
}

extension Schemas {
    /// The schemas of the routes of the history of devices.
    package static let history: [Named] = tracks + explanations + replays
}
