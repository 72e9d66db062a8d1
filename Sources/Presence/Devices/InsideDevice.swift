import Core
import Model
import Places
import Store

/// A device in the list of the devices that are inside of a geofence.
package struct InsideDevice: Sendable {
    private let status: Queries.DeviceStatus
    private let visit: Visit?

    package init(_ status: Queries.DeviceStatus, geofence id: String) {
        self.status = status
        visit = status.inside.first { $0.geofenceId == id }
    }
}

extension InsideDevice: JSONWritable {
    package static let output = JSONOutput<InsideDevice>(
        "Inside", summary: "A device that is inside of a geofence",
        .init("deviceId", kind: .text, summary: "The device's id", content: \.status.device.id),
        .init("name", kind: .text, summary: "The device's name", content: \.status.device.name),
        .init("enteredAt", optional: .time, summary: "When the device entered", content: \.visit?.enteredAt),
        .init("lastFix", optional: .fix, content: \.status.newest),
        .init(
            "notSeenSince", optional: .time,
            summary: "When the device was last seen there, if more than its silentAfter has passed since",
            content: \.visit?.notSeenSince))
}
