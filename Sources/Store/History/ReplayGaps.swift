/// Reasons why a replay of a device's history may not lead to the same events, although the store has no flaw.
package struct ReplayGaps: OptionSet, Hashable, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Positions of the device were removed or never stored.
    package static let positionsRemoved = ReplayGaps(rawValue: 1)
    /// Replays of late fixes have corrected earlier events.
    package static let corrected = ReplayGaps(rawValue: 2)
}
