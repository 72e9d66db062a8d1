import Geodesy
import Model
import Monitor
import SQLite

/// Reasons why a replay of a device's history may not lead to the same events, although the store has no flaw.
package struct ReplayGaps: OptionSet, Hashable, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// The device's groups, policy or time until silence were changed after its first fix. Together with `olderStore`, the earlier rules
    /// are unknown.
    package static let rulesChanged = ReplayGaps(rawValue: 1)
    /// Positions of the device were removed or never stored.
    package static let positionsRemoved = ReplayGaps(rawValue: 2)
    /// The device was added by a version of Picket that did not record these reasons.
    package static let olderStore = ReplayGaps(rawValue: 4)
    /// Replays of late fixes have corrected earlier events.
    package static let corrected = ReplayGaps(rawValue: 8)
    /// An earlier version of Picket, which decided by other rules, has recorded events. A replay may lead to others.
    package static let olderDecisions = ReplayGaps(rawValue: 32)
    /// The reasons for which a replay may lead to another result, with their names in JSON.
    package static let reported: [(gap: ReplayGaps, name: String)] = [
        (.positionsRemoved, "positionsRemoved"), (.olderStore, "olderStore"),
        (.olderDecisions, "olderDecisions"),
    ]
}
