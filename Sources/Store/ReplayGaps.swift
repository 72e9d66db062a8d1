import Geodesy
import Model
import Monitor
import SQLite

/// Why a device's history cannot be judged anew to the same result, though nothing is wrong with it.
package struct ReplayGaps: OptionSet, Hashable, Sendable {
    package var rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// Its groups, its policy or its silence were edited after its first fix. With `olderStore`: before a history of them was kept.
    package static let rulesChanged = ReplayGaps(rawValue: 1)
    /// Positions were removed, or never kept.
    package static let positionsRemoved = ReplayGaps(rawValue: 2)
    /// It is older than these notes.
    package static let olderStore = ReplayGaps(rawValue: 4)
    /// Late fixes have put right what was decided.
    package static let corrected = ReplayGaps(rawValue: 8)
    /// Those for which a replay may come to something else, each with the word that JSON uses.
    package static let named: [(gap: ReplayGaps, name: String)] = [
        (.positionsRemoved, "positionsRemoved"), (.olderStore, "olderStore"),
    ]
}
