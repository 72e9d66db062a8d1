import Model
import Monitor

/// When a device's state is worth a checkpoint: after six hours of its own time and a hundred fixes, counted in memory. So a
/// replay of a late fix judges no more than some hours anew, and a checkpoint is rare beside fixes.
struct CheckpointPace {
    /// Fixes that were judged since the last one.
    private var judged = 0
    /// The time of the last one; of the first fix when there is none, nil before that.
    private(set) var last: Instant?

    private static let fixes = 100
    private static let seconds = 6 * 3600.0

    init(last: Instant? = nil) { self.last = last }

    /// Counts a fix that is about to be judged. True when the state before it is to be kept: a replay can begin there, because
    /// all fixes of its moment are in it, and no deadline up to then is open.
    mutating func isDue(before fix: Fix, _ state: DeviceState) -> Bool {
        judged += 1
        guard judged > Self.fixes, let newest = state.newest, let last else {
            if last == nil { last = fix.time }
            return false
        }
        return newest.time - last >= Self.seconds && fix.time > newest.time && state.deadline.map { $0 > newest.time } ?? true
    }

    /// Takes note of the time of a checkpoint.
    mutating func note(_ moment: Instant) { self = CheckpointPace(last: moment) }
}
