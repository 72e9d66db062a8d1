import Geodesy
import Model

/// A fix as the fences are evaluated with it: its position, and the fix before it.
struct Observation {
    let fix: Fix
    /// The position to evaluate: the fix's own, or the stay point.
    let place: Coordinate
    /// The accuracy of `place`: 68 % radius in meters; 0 is exact.
    let accuracy: Double
    /// The ECEF vector of `place`.
    let vector: EarthVector
    /// The previous believed fix; nil for a device's first fix, and where the path does not matter.
    let previousFix: Fix?
    /// When the observation was confirmed: at the fix's own time, or later if another fix had to agree first.
    let confirmedAt: Instant
    let outlierReason: OutlierReason
    /// Whether the observation is for the fences whose policy shares the doubt, or for all others.
    let isForDoubtingFences: Bool
    /// Whether `place` is the stay point.
    let isMean: Bool

    /// Why the policies of some fences do not accept a fix at its own position.
    struct OutlierReason {
        /// The speed in meters per second that the fix implies, if it exceeds the policy's maximum; else 0.
        var impliedSpeed = 0.0
        /// Whether the device is considered to stay at its stay point.
        var isStaying = false

        var isNone: Bool { impliedSpeed == 0 && !isStaying }

        func isShared(by policy: DecisionPolicy) -> Bool { policy.maxSpeed < impliedSpeed || isStaying && policy.stay > 0 }
    }

    /// - Parameters:
    ///   - stay: The stay point to evaluate instead of the fix's own position.
    ///   - vector: The ECEF vector of the evaluated position, if the caller has it.
    init(
        _ fix: Fix, at stay: StayPoint? = nil, vector: EarthVector? = nil, after before: Fix?, confirmedAt sure: Instant,
        reason doubt: OutlierReason = OutlierReason(),
        isForDoubtingFences asksDoubters: Bool = false
    ) {
        self.fix = fix
        place = stay?.place ?? fix.coordinate
        accuracy = stay?.accuracy ?? fix.accuracyOrZero
        isMean = stay != nil
        self.vector = vector ?? EarthVector(place)
        self.previousFix = before
        self.confirmedAt = sure
        self.outlierReason = doubt
        self.isForDoubtingFences = asksDoubters
    }

    /// An observation of a staying device for the fences that use stays. They are evaluated at the stay point, and the path is ignored as
    /// noise.
    static func atStayPoint(_ fix: Fix, _ stay: StayPoint?) -> Observation {
        Observation(
            fix, at: stay, after: nil, confirmedAt: fix.time, reason: OutlierReason(isStaying: true), isForDoubtingFences: true)
    }

    /// An observation of a staying device for the fences that do not use stays. They are evaluated at the fix's own position.
    static func ignoringStay(_ fix: Fix, after before: Fix?) -> Observation {
        Observation(fix, after: before, confirmedAt: fix.time, reason: OutlierReason(isStaying: true))
    }

    /// Whether a fence with that policy is evaluated with this observation.
    @inline(__always)
    func applies(to policy: DecisionPolicy) -> Bool {
        outlierReason.isNone || outlierReason.isShared(by: policy) == isForDoubtingFences
    }
}
