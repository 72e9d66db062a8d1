import Core
import Model

/// The devices that are not accepted.
package struct WaitingDeviceList: Sendable {
    /// The devices that report without a valid token, the newest first.
    package var waiting: [WaitingDevice]
    /// The devices that a person has refused, the newest first.
    package var refused: [Queries.RefusedDevice]

    package init(waiting: [WaitingDevice], refused: [Queries.RefusedDevice]) {
        self.waiting = waiting
        self.refused = refused
    }
}

extension WaitingDeviceList: JSONDescribed {
    package static let shape = JSONShape<WaitingDeviceList>(
        "WaitingDevices", summary: "Devices that are not accepted",
        .init(
            "waiting", kind: .list(of: .object), summary: "Devices that report without a valid token, newest first",
            content: \.waiting),
        .init(
            "refused", kind: .list(of: .object), summary: "Devices that a person has refused, newest first", content: \.refused)
    ) { waiting, refused in WaitingDeviceList(waiting: waiting, refused: refused) }
}
