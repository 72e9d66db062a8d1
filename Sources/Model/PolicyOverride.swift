/// The differences from another policy, for a fence or a device: a named policy, and single values that replace its values. Nil values
/// change nothing.
public struct PolicyOverride: Hashable, Sendable {
    public var base: DecisionPolicy.Name?
    public var accuracyCap: Double?
    public var maxAccuracy: Double?
    /// Meters, regardless of the fence's radius.
    public var exitMargin: Double?
    public var confirmFixes: Int?
    public var confirmSeconds: Double?
    public var maxSpeed: Double?
    public var crossing: Double?
    public var stay: Double?

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
