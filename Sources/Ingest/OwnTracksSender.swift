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

    /// `user/device`, as in MQTT topics, if both are known and form a valid id of a device.
    package var deviceId: String? { Identifier.device(fullName) }

    /// The name of the device of a message: `user/device` of the sender, else of the message's topic, else the user or the device alone, of
    /// the sender or of the topic. Nil for none.
    ///
    /// The tracker id `tid` of a message names no device: it has two characters, and is the same on many phones.
    ///
    /// - Parameters:
    ///   - topic: The member `topic` of the message.
    ///   - type: The message's `_type`.
    package func name(topic: String?, type: String) -> String? {
        if let fullName { return fullName }
        let named = OwnTracksTopic.device(ofTopic: topic, type: type)
        if let named, named.utf8.contains(UInt8(ascii: "/")) { return named }
        return [user, device, named].lazy.compactMap(\.self).first { !$0.isEmpty }
    }

    private var fullName: String? {
        guard let user, let device, !user.isEmpty, !device.isEmpty else { return nil }
        return "\(user)/\(device)"
    }
}
