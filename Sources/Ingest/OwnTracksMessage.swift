import Model

/// A message of the OwnTracks app other than a location.
public struct OwnTracksMessage: Hashable, Sendable {
    /// The message types of the app (OwnTracks booklet, "JSON").
    public enum Kind: String, CaseIterable, Sendable {
        case transition, waypoint, waypoints, status, lwt, card, steps, dump, beacon, request, cmd, configuration
        /// An encrypted message of any type, possibly a location.
        case encrypted
    }

    /// Nil for an unknown type.
    public var kind: Kind? { Kind(rawValue: type) }
    /// The value of `_type`.
    public var type: String
    /// `user/phone`; nil if the message does not name its device. The message is a sign of life of this device.
    public var device: String?
    /// `tst`: when the app made the message, or when its event happened.
    public var time: Instant?
    /// The base64 data of an encrypted message; nil for others.
    public var data: String?
    /// The message on one line, with members and digits as sent.
    public var json: String
    /// The position in a list, from 1; for a single message it is 1.
    public var line: Int
}
