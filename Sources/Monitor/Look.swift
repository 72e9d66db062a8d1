import Geodesy
import Model

/// A fix as it is judged: where it lies, and from where the device came.
struct Look {
    let fix: Fix
    let vector: EarthVector
    /// The fix that was believed before; nil for a device's first.
    let before: Fix?
    /// When one is sure of what the fix shows: its own time, or later if it had to be believed first.
    let sure: Instant
    /// Metres a second that a jump implies; 0 for what is none.
    let jump: Double
    /// Whether the fences are asked that believe in such a jump at once, or the others.
    let isBelieved: Bool

    /// - Parameters:
    ///   - jump: What the way from `before` implies, if that is more than the device is trusted with.
    init(_ fix: Fix, after before: Fix?, sure: Instant, jump: Double = 0, isBelieved: Bool = true) {
        self.fix = fix
        vector = EarthVector(fix.coordinate)
        self.before = before
        self.sure = sure
        self.jump = jump
        self.isBelieved = isBelieved
    }

    /// Whether a fence with that policy is asked at all.
    @inline(__always)
    func concerns(_ policy: DecisionPolicy) -> Bool { jump == 0 || (policy.maxSpeed >= jump) == isBelieved }
}
