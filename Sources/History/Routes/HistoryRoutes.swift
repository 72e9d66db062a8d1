import Routing

/// The routes of the history of devices.
package enum HistoryRoutes {
    package static let all: [Route<RequestedReplays>] = TrackRoutes.all + ExplainRoutes.all + ReplayRoutes.all + ExportRoutes.all
}

extension Schemas {
    /// The schemas of the routes of the history of devices.
    package static let history: [Named] = tracks + explanations + replays
}
