/// The differences from another policy, for a fence or a device: a named policy, and single values that replace its values. Nil values
/// change nothing.
public struct PolicyOverride: Hashable, Sendable {
    /// The named policy whose values replace all others.
    public var base: DecisionPolicy.Name?
    /// See `DecisionPolicy.accuracyCap`; in meters.
    public var accuracyCap: Double?
    /// See `DecisionPolicy.maxAccuracy`; in meters.
    public var maxAccuracy: Double?
    /// Meters, regardless of the fence's radius.
    public var exitMargin: Double?
    /// See `DecisionPolicy.confirmFixes`.
    public var confirmFixes: Int?
    /// See `DecisionPolicy.confirmSeconds`.
    public var confirmSeconds: Double?
    /// See `DecisionPolicy.maxSpeed`; in meters per second.
    public var maxSpeed: Double?
    /// See `DecisionPolicy.crossing`; in seconds.
    public var crossing: Double?
    /// See `DecisionPolicy.stay`; in standard deviations.
    public var stay: Double?

    /// The named policies.
    package static let exact = PolicyOverride(base: .exact)
    package static let balanced = PolicyOverride(base: .balanced)

    /// Creates an override with the values of a named policy, or an empty one.
    public init(base: DecisionPolicy.Name? = nil) { self.base = base }

    /// Whether the override changes nothing.
    public var isEmpty: Bool { self == PolicyOverride() }

    /// `policy` with the values of this override.
    public func applied(to policy: DecisionPolicy) -> DecisionPolicy {
        var result = base?.policy ?? policy
        if let accuracyCap { result.accuracyCap = accuracyCap }
        if let maxAccuracy { result.maxAccuracy = maxAccuracy }
        if let exitMargin { result.exitMargin = .init(meters: exitMargin) }
        if let confirmFixes { result.confirmFixes = confirmFixes }
        if let confirmSeconds { result.confirmSeconds = confirmSeconds }
        if let maxSpeed { result.maxSpeed = maxSpeed }
        if let crossing { result.crossing = crossing }
        if let stay { result.stay = stay }
        return result
    }
}
