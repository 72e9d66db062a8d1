import Model

/// Why positions are refused, in few words.
public enum RefusalReason: String, CaseIterable, Sendable {
    /// A field is not there.
    case missing
    case unreadable
    case outOfRange = "out_of_range"
    /// It is ahead of the clock.
    case future
    /// Latitude and longitude are exactly 0.
    case noPosition = "no_position"
    case other

    public init(_ refusal: Refusal) {
        let beginnings: [(String, RefusalReason)] = [
            ("it is missing", .missing), ("it is more than ten minutes ahead", .future), ("it is out of range", .outOfRange),
            ("it is negative", .outOfRange), ("it is no angle", .outOfRange),
            ("latitude and longitude are exactly 0", .noPosition),
            ("it is no", .unreadable), ("it cannot name a device", .unreadable),
        ]
        self = beginnings.first { refusal.reason.hasPrefix($0.0) }?.1 ?? .other
    }
}
