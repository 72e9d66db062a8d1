import Model
import Tables

/// Totals of visits as a table.
package enum VisitTotalTable {
    package static let columns: [TableColumn<VisitTotal>] =
        [
            .init("deviceId") { .words($0.deviceId) }, .init("geofenceId") { .words($0.geofenceId) },
            .init("geofenceName") { .words($0.geofenceName) }, .init("visits") { .init($0.visits) },
            .init("seenSeconds") { .init($0.seenSeconds, decimals: 3) },
        ] + TableColumn.hours(\.seenSeconds) + [.init("elapsedSeconds") { .init($0.elapsedSeconds, decimals: 3) }]
}
