import Model

/// A message of the OwnTracks app other than a location.
package struct OwnTracksMessage: Hashable, Sendable {
    /// The message types of the app (OwnTracks booklet, "JSON").
    package enum MessageType: String, CaseIterable, Sendable {
        case transition, waypoint, waypoints, status, lwt, card, steps, dump, beacon, request, cmd, configuration
        /// An encrypted message of any type, possibly a location.
        case encrypted
    }

    /// Nil for an unknown type.
    package var kind: MessageType? { MessageType(rawValue: type) }
    /// The value of `_type`.
    package var type: String
    /// `user/phone`; nil if the message does not name its device. The message is a sign of life of this device.
    package var device: String?
    /// `tst`: when the app made the message, or when its event happened.
    package var time: Instant?
    /// The base64 data of an encrypted message; nil for others.
    package var data: String?
    /// The message on one line, with members and digits as sent.
    package var json: String
    /// The position in a list, from 1; for a single message it is 1.
    package var line: Int
}
