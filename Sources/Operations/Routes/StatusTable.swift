import Core
import Ingest
import Model
import Places
import Presence

/// Exports who is where as CSV: a line for each device and geofence that it is in, and one for a device that is in none.
package enum StatusTable {
    package static let columns: [CSVLine.Field] = [
        "deviceId", "geofenceId", "geofenceName", "enteredAt", "notSeenSince", "timestamp", "latitude", "longitude", "accuracy",
        "silentSince",
    ]

    package static func lines(_ status: Queries.DeviceStatus) -> String {
        let fix = status.newest
        let common: [CSVLine.Field] = [
            .init(fix?.time), .init(fix?.coordinate.latitude), .init(fix?.coordinate.longitude), .init(fix?.accuracy),
            .init(status.silentSince),
        ]
        if status.inside.isEmpty {
            return CSVLine.written([.words(status.device.id), .empty, .empty, .empty, .empty] + common)
        }
        return status.inside.map { visit in
            CSVLine.written(
                [
                    .words(status.device.id), .words(visit.geofenceId), .words(visit.geofenceName), .init(visit.enteredAt),
                    .init(visit.notSeenSince),
                ] + common)
        }.joined()
    }
}
