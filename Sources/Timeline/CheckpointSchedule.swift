import Model
import Monitor

/// Decides when to checkpoint a device's state: after six hours of the device's own time and a hundred fixes, counted in memory. A replay
/// of a late fix then evaluates a few hours again at most, and checkpoints are rare compared with fixes.
///
/// There is one schedule per device in memory, so it is small.
package struct CheckpointSchedule {
    /// The time of the last checkpoint, or of the first fix when there is none; `.min` before that.
    private var milliseconds = Int64.min
    /// The number of fixes evaluated since the last checkpoint, at most `fixes`.
    private var evaluatedFixes: Int32 = 0
    /// Whether the time of the last stored checkpoint has been loaded.
    package var isLoaded = false

    private static let leastFixes = 100
    private static let leastSeconds = 6 * 3600.0

    package init() {}

    /// - Parameter last: The time of the last checkpoint; nil when there is none.
    package init(last: Instant?) {
        if let last { milliseconds = last.milliseconds }
        isLoaded = true
    }

    /// Counts a fix that is about to be evaluated, and decides whether the state before it is to be kept. A replay can begin there only if
    /// the state contains all fixes of its moment, no suspect fix, and no deadline at or before its moment is open.
    package mutating func isDue(before fix: Fix, _ state: DeviceState) -> Bool {
        if milliseconds == .min { milliseconds = fix.time.milliseconds }
        if evaluatedFixes < Self.leastFixes { evaluatedFixes += 1 }
        guard evaluatedFixes == Self.leastFixes, let newest = state.newest else { return false }
        return newest.time - Instant(milliseconds: milliseconds) >= Self.leastSeconds && fix.time > newest.time
            && state.outlierCandidate == nil
            && state.deadline.map { $0 > newest.time } ?? true
    }

    /// Records that a checkpoint was made at a moment.
    package mutating func recordCheckpoint(at moment: Instant) { self = CheckpointSchedule(last: moment) }
}
