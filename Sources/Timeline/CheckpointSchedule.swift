import Model
import Monitor

/// When a device's state is worth a checkpoint: after six hours of its own time and a hundred fixes, counted in memory. So a
/// replay of a late fix judges no more than some hours anew, and a checkpoint is rare beside fixes.
///
/// There is one for each device in memory, so it is small.
public struct CheckpointSchedule {
    /// Of the last one, or of the first fix when there is none; `.min` before that.
    private var milliseconds = Int64.min
    /// Fixes that were judged since.
    private var judged: Int32 = 0
    /// Whether it knows of the checkpoints that are stored.
    public var isRead = false

    private static let fixes = 100
    private static let seconds = 6 * 3600.0

    public init() {}

    /// - Parameter last: The time of the last checkpoint; nil when there is none.
    public init(last: Instant?) {
        if let last { milliseconds = last.milliseconds }
        isRead = true
    }

    /// Counts a fix that is about to be judged. True when the state before it is to be kept: a replay can begin there, because
    /// all fixes of its moment are in it and none after it, not even one that is not believed yet, and no deadline up to then is open.
    public mutating func isDue(before fix: Fix, _ state: DeviceState) -> Bool {
        if milliseconds == .min { milliseconds = fix.time.milliseconds }
        if judged < Self.fixes { judged += 1 }
        guard judged == Self.fixes, let newest = state.newest else { return false }
        return newest.time - Instant(milliseconds: milliseconds) >= Self.seconds && fix.time > newest.time
            && state.suspect == nil
            && state.deadline.map { $0 > newest.time } ?? true
    }

    /// Takes note of the time of a checkpoint.
    public mutating func note(_ moment: Instant) { self = CheckpointSchedule(last: moment) }
}
