import Geodesy
import Model
import Tables

/// A place outside of geofences at which a device stood still.
package struct Stop: Hashable, Sendable {
    package var deviceId: String
    /// The times of the first and the last position there.
    package var startedAt: Instant
    package var endedAt: Instant
    /// The mean of the positions.
    package var coordinate: Coordinate
    /// The number of positions.
    package var positions: Int
    /// Nil if it is not requested or not known, and if there is none.
    package var address: String?

    /// In seconds.
    package var duration: Double { endedAt - startedAt }
}

extension Stop: JSONDescribed {
    package static let shape = JSONShape<Stop>(
        "Stop", summary: "A place outside of geofences at which a device stood still",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.deviceId),
        .init("startedAt", kind: .time, summary: "The time of the first position there", content: \.startedAt),
        .init("endedAt", kind: .time, summary: "The time of the last position there", content: \.endedAt),
        .init("duration", kind: .number, summary: "Seconds between the two", content: \.duration),
        .init("latitude", kind: .number, summary: "Degrees, of the mean of the positions", content: \.coordinate.latitude),
        .init("longitude", kind: .number, summary: "Degrees", content: \.coordinate.longitude),
        .init("positions", kind: .whole, summary: "The number of positions", content: \.positions),
        .init(
            "address", optional: .text, summary: "With addresses=true: the address, if one is known", content: \.address)
    ) { deviceId, startedAt, endedAt, _, latitude, longitude, positions, address in
        Stop(
            deviceId: deviceId, startedAt: startedAt, endedAt: endedAt,
            coordinate: Coordinate(latitude: latitude, longitude: longitude), positions: positions, address: address)
    }

    /// The columns of a table of stops.
    package static func columns(withAddress: Bool) -> [TableColumn<Stop>] {
        [
            .init("deviceId") { .words($0.deviceId) }, .init("startedAt") { .init($0.startedAt) },
            .init("endedAt") { .init($0.endedAt) }, .init("duration") { .init($0.duration, decimals: 3) },
        ] + TableColumn.hours(\.duration) + [
            .init("latitude") { .init($0.coordinate.latitude) }, .init("longitude") { .init($0.coordinate.longitude) },
            .init("positions") { .init($0.positions) },
        ] + (withAddress ? [.init("address") { .words($0.address) }] : [])
    }
}
