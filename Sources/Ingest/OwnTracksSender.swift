import Model

/// The sender of a request of the OwnTracks app, from outside its body.
package struct OwnTracksSender: Hashable, Sendable {
    /// The header `X-Limit-U`, else `u` of the query.
    package var user: String?
    /// The header `X-Limit-D`, else `d` of the query.
    package var device: String?

    package init(user: String? = nil, device: String? = nil) {
        self.user = user
        self.device = device
    }

    /// `name`, if it is a valid id of a device.
    package var deviceId: String? { Identifier.device(name) }

    /// `user/device`, as in MQTT topics; nil if one of them is unknown.
    var name: String? {
        guard let user, let device, !user.isEmpty, !device.isEmpty else { return nil }
        return "\(user)/\(device)"
    }
}
