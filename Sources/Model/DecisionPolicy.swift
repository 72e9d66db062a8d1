/// How a distance becomes a decision: how much doubt of a fix counts, and how sure a change must be before it is told.
public struct DecisionPolicy: Hashable, Sendable {
    /// How far past the boundary counts as out, in metres: a share of the fence's radius, kept between two bounds.
    public struct Margin: Hashable, Sendable {
        /// Share of the fence's radius, 0 … 1.
        public var share: Double
        /// Metres.
        public var least: Double
        /// Metres.
        public var most: Double

        public init(share: Double, least: Double, most: Double) {
            self.share = share
            self.least = least
            self.most = most
        }

        /// The same for every fence.
        public init(metres: Double) {
            self.init(share: 0, least: metres, most: metres)
        }

        /// Metres for a fence of this radius.
        @inlinable
        public func metres(radius: Double) -> Double { Swift.min(Swift.max(share * radius, least), most) }
    }

    /// The most of a fix's accuracy that counts, in metres; and on the way in never more than half of the fence's radius, so that
    /// a small fence can be entered.
    public var accuracyCap: Double
    /// Fixes coarser than this (metres) decide only when they lie wholly inside or wholly outside with twice their accuracy.
    public var maxAccuracy: Double
    public var exitMargin: Margin
    /// A change is pending until so many fixes showed it…
    public var confirmFixes: Int
    /// …for so long, in seconds.
    public var confirmSeconds: Double
    /// A fix that implies more than this (metres per second, over at least a second) is a jump.
    public var maxSpeed: Double
    /// Outside to outside through the fence counts as a visit if the fixes are at most this many seconds apart; 0 is off.
    public var crossing: Double
    /// A device that stays where it is is judged by the mean of its fixes, until two in succession lie further from it than so many
    /// standard deviations; 0 is off. It is the device's policy that counts, and a fence's may only switch it off for itself.
    public var stay: Double

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

    /// Whether one fix is enough for a change.
    @inlinable
    public var isImmediate: Bool { confirmFixes <= 1 && confirmSeconds <= 0 }

    /// Seconds after which a change is confirmed that too few fixes have shown, if they were the last that came.
    public static let patience = 60.0
    /// Seconds after which a change is dropped that came after too few fixes, and that later ones neither confirmed nor contradicted.
    public static let longestDoubt = 300.0

    /// Nothing on the ground is faster, in metres per second: a way through a fence between two fixes that are not exact counts
    /// for nothing then, and what leaves the place where a device stays is confirmed by nothing that lies so far apart.
    public static let groundSpeed = 100.0

    /// Every fix is taken at its word: inside is inside.
    public static let exact = DecisionPolicy(
        accuracyCap: 0, maxAccuracy: .infinity, exitMargin: Margin(metres: 0), confirmFixes: 1, confirmSeconds: 0,
        maxSpeed: .infinity, crossing: 0, stay: 0)

    /// Steady under the noise of a phone's fixes, at the price of one fix of delay.
    public static let balanced = DecisionPolicy(
        accuracyCap: 50, maxAccuracy: 250, exitMargin: Margin(share: 0.1, least: 30, most: 50), confirmFixes: 2,
        confirmSeconds: 0, maxSpeed: 340, crossing: 300, stay: 4.5)

    /// As a phone's operating system decides: 100 m of cushion on the way out, and 20 seconds of patience.
    public static let phone = DecisionPolicy(
        accuracyCap: 100, maxAccuracy: 250, exitMargin: Margin(metres: 100), confirmFixes: 1, confirmSeconds: 20,
        maxSpeed: 340, crossing: 0, stay: 0)

    /// The policies that have a name.
    public enum Name: String, CaseIterable, Sendable {
        case exact, balanced, phone

        public var policy: DecisionPolicy {
            switch self {
            case .exact: .exact
            case .balanced: .balanced
            case .phone: .phone
            }
        }
    }
}

/// What a fence or a device decides differently: a named policy, and single fields over it.
public struct PolicyOverride: Hashable, Sendable {
    public var base: DecisionPolicy.Name?
    public var accuracyCap: Double?
    public var maxAccuracy: Double?
    /// Metres, for every radius.
    public var exitMargin: Double?
    public var confirmFixes: Int?
    public var confirmSeconds: Double?
    public var maxSpeed: Double?
    public var crossing: Double?
    public var stay: Double?

    public init(base: DecisionPolicy.Name? = nil) { self.base = base }

    /// Whether it changes nothing.
    public var isEmpty: Bool { self == PolicyOverride() }

    /// `policy`, changed by what this names.
    public func applied(to policy: DecisionPolicy) -> DecisionPolicy {
        var result = base?.policy ?? policy
        if let accuracyCap { result.accuracyCap = accuracyCap }
        if let maxAccuracy { result.maxAccuracy = maxAccuracy }
        if let exitMargin { result.exitMargin = .init(metres: exitMargin) }
        if let confirmFixes { result.confirmFixes = confirmFixes }
        if let confirmSeconds { result.confirmSeconds = confirmSeconds }
        if let maxSpeed { result.maxSpeed = maxSpeed }
        if let crossing { result.crossing = crossing }
        if let stay { result.stay = stay }
        return result
    }
}
