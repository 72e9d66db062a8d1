import Model

/// Why an input was refused, as the label of a counter.
package enum RefusalReason: String, CaseIterable, Sendable {
    /// A required field is missing.
    case missing
    case unreadable
    case outOfRange = "out_of_range"
    /// The time is ahead of the clock.
    case future
    /// The latitude and the longitude are both exactly 0.
    case noPosition = "no_position"
    case encrypted
    /// The request does not follow the protocol.
    case malformed
    case tooLarge = "too_large"
    case other

    package init(_ refusal: Refusal) {
        self =
            switch refusal.kind {
            case .missing, .unknownDevice: .missing
            case .unreadable: .unreadable
            case .outOfRange: .outOfRange
            case .aheadOfClock: .future
            case .nullIsland: .noPosition
            case .encrypted: .encrypted
            case .malformed: .malformed
            case .tooLarge: .tooLarge
            case .beforeFirstPosition, .unusable: .other
            }
    }
}
