/// How fixes become transitions: how much of a fix's accuracy counts, and how certain a change must be before a transition is emitted.
public struct DecisionPolicy: Hashable, Sendable {
    /// The distance past the boundary that still counts as inside for a device that was inside, in meters: a share of the fence's radius,
    /// limited by two bounds.
    public struct Margin: Hashable, Sendable {
        /// Share of the fence's radius, 0 … 1.
        public var share: Double
        /// The smallest margin in meters.
        public var minimum: Double
        /// The largest margin in meters.
        public var maximum: Double

        /// Creates a margin from a share of the radius and its bounds in meters.
        public init(share: Double, least: Double, most: Double) {
            self.share = share
            self.minimum = least
            self.maximum = most
        }

        /// The same margin for every fence.
        public init(meters: Double) {
            self.init(share: 0, least: meters, most: meters)
        }

        /// The margin in meters for a fence of this radius.
        @inlinable
        public func meters(radius: Double) -> Double { Swift.min(Swift.max(share * radius, minimum), maximum) }
    }

    /// The largest accuracy that counts, in meters. For entering, half of the fence's radius is a further limit, so that a small fence can
    /// be entered.
    public var accuracyCap: Double
    /// A fix that is coarser than this, in meters, only decides when the position is entirely inside or outside with twice its accuracy.
    public var maxAccuracy: Double
    /// How far past the boundary a device has to be before it is outside.
    public var exitMargin: Margin
    /// The number of fixes that must show a change before the change is confirmed. Until then it is pending.
    public var confirmFixes: Int
    /// The time in seconds for which fixes must show a change before it is confirmed.
    public var confirmSeconds: Double
    /// The speed in meters per second above which a fix is an outlier. The time between the fixes is taken as at least one second.
    public var maxSpeed: Double
    /// The longest time in seconds between two fixes outside a fence for which a path through the fence gives an enter and an exit; 0 turns
    /// this off.
    public var crossing: Double
    /// How far a fix must be from the mean of a staying device's fixes, in standard deviations, to be evidence of leaving. Until two
    /// successive fixes are that far, the mean is used as the device's position. 0 turns this off. The value of the device's policy counts;
    /// a fence's policy can only turn it off for the fence.
    public var stay: Double

    /// Creates a policy from its values, which are not checked.
    public init(
        accuracyCap: Double, maxAccuracy: Double, exitMargin: Margin, confirmFixes: Int, confirmSeconds: Double,
        maxSpeed: Double, crossing: Double, stay: Double
    ) {
        self.accuracyCap = accuracyCap
        self.maxAccuracy = maxAccuracy
        self.exitMargin = exitMargin
        self.confirmFixes = confirmFixes
        self.confirmSeconds = confirmSeconds
        self.maxSpeed = maxSpeed
        self.crossing = crossing
        self.stay = stay
    }

    /// Whether one fix is enough to confirm a change.
    @inlinable
    public var isImmediate: Bool { confirmFixes <= 1 && confirmSeconds <= 0 }

    /// Seconds after which a change that too few fixes have shown is confirmed, if no fix has come since.
    public static let confirmationTimeout = 60.0
    /// Seconds after which a change that too few fixes have shown is dropped, if later fixes neither confirmed nor contradicted it.
    public static let pendingTimeout = 300.0

    /// The largest speed on the ground, in meters per second. Between two inexact fixes that imply a higher speed no crossing is inferred,
    /// and a fix that implies a higher speed does not confirm that a device has left its stay point.
    public static let groundSpeed = 100.0

    /// Each fix decides by its position alone, regardless of accuracy.
    public static let exact = DecisionPolicy(
        accuracyCap: 0, maxAccuracy: .infinity, exitMargin: Margin(meters: 0), confirmFixes: 1, confirmSeconds: 0,
        maxSpeed: .infinity, crossing: 0, stay: 0)

    /// The default. It is robust against the noise of a phone's fixes, at the cost of a delay of one fix.
    public static let balanced = DecisionPolicy(
        accuracyCap: 50, maxAccuracy: 250, exitMargin: Margin(share: 0.1, least: 30, most: 50), confirmFixes: 2,
        confirmSeconds: 0, maxSpeed: 340, crossing: 300, stay: 4.5)

    /// Decides like a phone's operating system: an exit margin of 100 m, and a confirmation after 20 seconds.
    public static let phone = DecisionPolicy(
        accuracyCap: 100, maxAccuracy: 250, exitMargin: Margin(meters: 100), confirmFixes: 1, confirmSeconds: 20,
        maxSpeed: 340, crossing: 0, stay: 0)

    /// The policies that have a name.
    public enum Name: String, CaseIterable, Sendable {
        /// `DecisionPolicy.exact`.
        case exact
        /// `DecisionPolicy.balanced`.
        case balanced
        /// `DecisionPolicy.phone`.
        case phone

        /// The values of the policy.
        public var policy: DecisionPolicy {
            switch self {
            case .exact: .exact
            case .balanced: .balanced
            case .phone: .phone
            }
        }
    }
}
