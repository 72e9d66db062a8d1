import Geodesy
import Model

/// A fix as it is judged: where it lies, and from where the device came.
struct Observation {
    let fix: Fix
    /// Where the device is taken to be: where the fix lies, or where the device stays.
    let place: Coordinate
    /// Metres, 68 %, of that place; 0 is exact.
    let accuracy: Double
    /// That of `place`.
    let vector: EarthVector
    /// The fix that was believed before; nil for a device's first, and where it does not matter how the device came there.
    let before: Fix?
    /// When one is sure of what the fix shows: its own time, or later if it had to be believed first.
    let sure: Instant
    let doubt: Doubt
    /// Whether the fences are asked that share the doubt, or the others.
    let asksDoubters: Bool

    /// Why some fences, by their policy, do not believe a fix as it lies.
    struct Doubt {
        /// Metres a second that a jump implies; 0 for what is none.
        var jump = 0.0
        /// Whether the device stays elsewhere, as far as is known.
        var isStaying = false

        var isNone: Bool { jump == 0 && !isStaying }

        func isShared(by policy: DecisionPolicy) -> Bool { policy.maxSpeed < jump || isStaying && policy.stay > 0 }
    }

    /// - Parameters:
    ///   - stay: Where the device is taken to be, if not where the fix lies.
    ///   - vector: That of where the device is taken to be, if it is known.
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

    /// A fix of a device that stays, for the fences that ask for stays: they are asked by where that is, and how the device came there is
    /// noise.
    static func byStay(_ fix: Fix, _ stay: StayPoint?) -> Observation {
        Observation(fix, at: stay, after: nil, sure: fix.time, Doubt(isStaying: true), asksDoubters: true)
    }

    /// The same for the others: they are asked by where the fix lies.
    static func despiteStay(_ fix: Fix, after before: Fix?) -> Observation {
        Observation(fix, after: before, sure: fix.time, Doubt(isStaying: true))
    }

    /// Whether a fence with that policy is asked at all.
    @inline(__always)
    func concerns(_ policy: DecisionPolicy) -> Bool { doubt.isNone || doubt.isShared(by: policy) == asksDoubters }
}
