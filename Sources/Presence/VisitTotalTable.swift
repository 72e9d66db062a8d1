import Core
import Ingest
import Model

/// Exports totals of visits as CSV.
package enum VisitTotalTable {
    package static let columns: [CSVLine.Field] = [
        "deviceId", "geofenceId", "geofenceName", "visits", "seenSeconds", "elapsedSeconds",
    ]

    package static func line(_ total: VisitTotal) -> String {
        CSVLine.written([
            .words(total.deviceId), .words(total.geofenceId), .words(total.geofenceName), .init(total.visits),
            .plain(Format.decimal(total.seenSeconds, 3)), .plain(Format.decimal(total.elapsedSeconds, 3)),
        ])
    }
}
