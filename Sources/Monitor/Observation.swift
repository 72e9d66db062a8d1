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
    let before: Fix?
    /// When the observation was confirmed: at the fix's own time, or later if another fix had to agree first.
    let sure: Instant
    let doubt: Doubt
    /// Whether the observation is for the fences whose policy shares the doubt, or for all others.
    let asksDoubters: Bool

    /// Why the policies of some fences do not accept a fix at its own position.
    struct Doubt {
        /// Speed in meters per second that a jump implies; 0 if the fix is no jump.
        var jump = 0.0
        /// Whether the device is taken to stay at its stay point.
        var isStaying = false

        var isNone: Bool { jump == 0 && !isStaying }

        func isShared(by policy: DecisionPolicy) -> Bool { policy.maxSpeed < jump || isStaying && policy.stay > 0 }
    }

    /// - Parameters:
    ///   - stay: The stay point to evaluate instead of the fix's own position.
    ///   - vector: The ECEF vector of the evaluated position, if the caller has it.
    init(
        _ fix: Fix, at stay: StayPoint? = nil, vector: EarthVector? = nil, after before: Fix?, sure: Instant,
        _ doubt: Doubt = Doubt(),
        asksDoubters: Bool = false
    ) {
        self.fix = fix
        place = stay?.place ?? fix.coordinate
        accuracy = stay?.accuracy ?? fix.reckonedAccuracy
        self.vector = vector ?? EarthVector(place)
        self.before = before
        self.sure = sure
        self.doubt = doubt
        self.asksDoubters = asksDoubters
    }

    /// An observation of a staying device for the fences that use stays. They are evaluated at the stay point, and the path is ignored as
    /// noise.
    static func byStay(_ fix: Fix, _ stay: StayPoint?) -> Observation {
        Observation(fix, at: stay, after: nil, sure: fix.time, Doubt(isStaying: true), asksDoubters: true)
    }

    /// An observation of a staying device for the fences that do not use stays. They are evaluated at the fix's own position.
    static func despiteStay(_ fix: Fix, after before: Fix?) -> Observation {
        Observation(fix, after: before, sure: fix.time, Doubt(isStaying: true))
    }

    /// Whether a fence with that policy is evaluated with this observation.
    @inline(__always)
    func concerns(_ policy: DecisionPolicy) -> Bool { doubt.isNone || doubt.isShared(by: policy) == asksDoubters }
}
