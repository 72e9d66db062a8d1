import Geodesy
import Geometry
import Model

/// What a fix says of a fence by itself, whatever was known before.
public struct Measurement: Hashable, Sendable {
    public enum Reading: String, CaseIterable, Sendable {
        /// Certainly inside: distance + counted ≤ 0.
        case inside
        /// Certainly outside: distance − counted > margin.
        case outside
        /// Neither: the last state holds.
        case band
        /// Neither, and coarser than the policy's `maxAccuracy`: it decides nothing.
        case coarse
    }

    /// Metres from the fence's boundary along the geodesic, negative inside; infinite where there is no boundary.
    public var distance: Double
    /// So many metres of the fix's accuracy count.
    public var counted: Double
    /// So many metres past the boundary count as out.
    public var margin: Double
    /// Whether it is coarser than the policy's `maxAccuracy`; then twice its accuracy counts.
    public var isCoarse: Bool
    public var reading: Reading
}

/// Measures fixes against one fence under a policy, apart from any state, by the rule by which the engine decides.
///
/// It belongs to one thread, as its geometry does.
public struct FenceMeter {
    private enum Area {
        case circle(Circle, CircleDecider)
        case polygon(PolygonArea)
    }

    private let area: Area
    private let policy: DecisionPolicy
    /// Metres; of a polygon, of the circle with the same area.
    public let radius: Double

    /// - Parameter policy: The one that holds, with the fence's own in it.
    /// - Returns: Nil when GEOS can make no area of a polygon, which no fence that was checked when it was saved comes to.
    public init?(_ geofence: Geofence, policy: DecisionPolicy) {
        self.policy = policy
        let context = GEOSContext()
        switch geofence.shape {
        case .circle(let circle):
            area = .circle(circle, CircleDecider(context: context))
            radius = circle.radius
        case .polygons(let polygons):
            do throws(GEOSFailure) {
                let polygon = try PolygonArea(polygons, context: context)
                area = .polygon(polygon)
                radius = polygon.equivalentRadius
            } catch {
                return nil
            }
        }
    }

    /// Metres past the boundary that count as out.
    public var margin: Double { policy.exitMargin.metres(radius: radius) }

    /// - Parameter stay: Where the device is taken to be, if not where the fix lies.
    public func measure(_ fix: Fix, at stay: StayPoint? = nil) -> Measurement {
        let place = stay?.place ?? fix.coordinate
        let accuracy = EffectiveAccuracy(policy, accuracy: stay?.accuracy ?? fix.reckonedAccuracy)
        let rule = BoundaryRule(accuracy, radius: radius, isFirst: false)
        let distance: Double
        let verdict: BoundaryRule.Side
        switch area {
        case .circle(let circle, let decider):
            distance = Geodesic.distance(circle.center, place) - circle.radius
            verdict = rule.verdict { decider.isWithin(circle.radius + $0, center: circle.center, place) }
        case .polygon(let polygon):
            let depth = polygon.depth(of: place)
            distance = depth.signed
            verdict = rule.verdict(depth.isWithin)
        }
        let reading: Measurement.Reading =
            switch verdict {
            case .inside: .inside
            case .outside: .outside
            case .unsure: accuracy.isCoarse ? .coarse : .band
            }
        return Measurement(
            distance: distance, counted: distance <= 0 ? accuracy.inwards(radius: radius) : accuracy.outwards,
            margin: rule.margin,
            isCoarse: accuracy.isCoarse, reading: reading)
    }
}
