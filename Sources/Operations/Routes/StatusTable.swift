import Core
import Geodesy
import Model
import Places
import Presence
import Tables

/// Who is where as a table: a row for each device and geofence that it is in, and one for a device that is in none.
package enum StatusTable {
    package struct Row: Sendable {
        let status: Queries.DeviceStatus
        let visit: Visit?

        fileprivate var fix: Fix? { status.newest }
    }

    package static func rows(_ status: Queries.DeviceStatus) -> [Row] {
        status.inside.isEmpty ? [Row(status: status, visit: nil)] : status.inside.map { Row(status: status, visit: $0) }
    }

    package static let columns: [TableColumn<Row>] = [
        .init("deviceId") { .words($0.status.device.id) }, .init("geofenceId") { .words($0.visit?.geofenceId) },
        .init("geofenceName") { .words($0.visit?.geofenceName) }, .init("enteredAt") { .init($0.visit?.enteredAt) },
        .init("notSeenSince") { .init($0.visit?.notSeenSince) }, .init("timestamp") { .init($0.fix?.time) },
        .init("latitude") { .init($0.fix?.coordinate.latitude) }, .init("longitude") { .init($0.fix?.coordinate.longitude) },
        .init("accuracy") { .init($0.fix?.accuracy) }, .init("silentSince") { .init($0.status.silentSince) },
    ]
}
