import Model

/// What the OwnTracks app sends beside its positions.
public struct OwnTracksMessage: Hashable, Sendable {
    /// The types that the app is known to send (OwnTracks booklet, "JSON").
    public enum Kind: String, CaseIterable, Sendable {
        case transition, waypoint, waypoints, status, lwt, card, steps, dump, beacon, request, cmd, configuration
        /// Any of the others, perhaps a position, that only the holder of a key can read.
        case encrypted
    }

    /// Nil for a type that is not known.
    public var kind: Kind? { Kind(rawValue: type) }
    /// `_type` as it was sent.
    public var type: String
    /// `user/phone`; nil when the message does not say. That it came is a sign of life of this device.
    public var device: String?
    /// `tst`: when the app made the message, or what it tells of happened.
    public var time: Instant?
    /// Of an encrypted message: what is encrypted, in base64.
    public var data: String?
    /// The message on one line, its members and digits as they were sent.
    public var json: String
    /// The place in a list, from 1; alone it is 1.
    public var line: Int
}
