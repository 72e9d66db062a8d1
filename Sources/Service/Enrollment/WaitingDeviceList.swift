import Model

/// The devices that are not let in.
package struct WaitingDeviceList: Sendable {
    /// The devices that report without a good token, the newest first.
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
        "WaitingDevices", summary: "Devices that are not let in",
        .init(
            "waiting", kind: .list(of: .object), summary: "Those that have reported without a good token, the newest first",
            content: \.waiting),
        .init(
            "refused", kind: .list(of: .object), summary: "Those that a person does not want to see", content: \.refused)
    ) { waiting, refused in WaitingDeviceList(waiting: waiting, refused: refused) }
}
