import Geodesy
import Model
import Registry

/// Which fences of a device should be registered now, and why.
public struct RegionSelection: Hashable, Sendable {
    /// Why a fence was chosen.
    public enum Reason: Hashable, Sendable {
        /// There is room for all.
        case everythingFits
        /// The device is in it: its exit must be seen.
        case pinned
        /// Its boundary is among the nearest; the least that it can be away, in metres.
        case near(Double)
        /// It is registered, and nothing is closer by more than the margin; metres.
        case stays(Double)
        /// Too many crowd around, and its priority is among the highest; metres.
        case crowded(Double)
        /// Without a fix, priority decides.
        case priority
    }

    /// A chosen fence, by its number in the catalogue.
    public struct Pick: Hashable, Sendable {
        public var number: Int
        public var reason: Reason
    }

    /// A fence that was left out, by its number in the catalogue.
    public struct LeftOut: Hashable, Sendable {
        public var number: Int
        /// The least that its boundary can be away, in metres; nil without a fix.
        public var distance: Double?
        /// Whether the device could reach its boundary without leaving a registered region first.
        public var isAtRisk: Bool
    }

    /// What the choice was made by.
    public enum Basis: Hashable, Sendable {
        case everythingFits
        case fix
        /// A fix too coarse to re-rank by; its accuracy in metres.
        case coarseFix(Double)
        /// No fix yet.
        case noFix
        /// Other SDKs have taken every slot.
        case noRoom
    }

    /// By rank: pinned ones, then by the distance to their boundary, then by id.
    public internal(set) var chosen: [Pick] = []
    /// The circle around the device whose exit asks for a new choice; nil when nothing is left out, or when there is nowhere to put
    /// it.
    public internal(set) var sentinel: Region?
    /// Whether the sentinel is the one that is registered already.
    public internal(set) var keepsSentinel = false
    /// The nearest of those left out, those at risk first; as many as were asked for.
    public internal(set) var leftOut: [LeftOut] = []
    /// The least that a boundary left out for want of slots can be away, in metres; infinite when none is.
    var nearestLeftOut = Double.infinity
    /// How many are left out for want of slots.
    public internal(set) var leftOutCount = 0
    /// How many of the fences that are not registered no sentinel can guard.
    public internal(set) var atRiskCount = 0
    /// The slots that there were for our regions.
    public internal(set) var budget: Int
    public internal(set) var basis: Basis

    /// A registered fence stays unless a challenger is closer by more than this, in metres; with a fix coarser than half of it, by more
    /// than twice the fix's accuracy, which is what the difference of two distances can be wrong by.
    public static let margin = 200.0
    /// Metres by which a sentinel is kept smaller beyond what is known, against rounding.
    static let slack = 1.0
    /// The largest sentinel in metres, where the platform knows no largest radius.
    static let largestSentinel = 100_000.0
    /// The smallest, in metres.
    static let smallestSentinel = 100.0
}

/// What is registered already, as far as it is worth keeping.
public struct Holding: Hashable, Sendable {
    /// Fences by their number in the catalogue.
    public var fences: Set<Int>
    /// The sentinel, if it is listed, is watched, and the device is not known to have left it.
    public var sentinel: Region?

    public init(fences: Set<Int> = [], sentinel: Region? = nil) {
        self.fences = fences
        self.sentinel = sentinel
    }
}
