import Geodesy
import Geometry
import Model

/// Measures fixes against one fence, without any state, by the same criterion as the engine.
///
/// It belongs to one thread, because its GEOS context does.
package struct FenceMeter {
    private enum MeasuredShape {
        case circle(Circle, CircleDecider)
        case polygon(PolygonArea)
    }

    private let shape: MeasuredShape
    private let policy: DecisionPolicy
    /// The fence's radius in meters; for a polygon, the radius of the circle with the same area.
    package let radius: Double

    /// - Parameter policy: The policy in effect, with the fence's overrides applied.
    /// - Returns: Nil if GEOS cannot build an area of the polygons, which cannot happen to a fence that was validated when it was saved.
    package init?(_ geofence: Geofence, policy: DecisionPolicy) {
        self.policy = policy
        let context = GEOSContext()
        switch geofence.shape {
        case .circle(let circle):
            shape = .circle(circle, CircleDecider(context: context))
            radius = circle.radius
        case .polygons(let polygons):
            do throws(GEOSFailure) {
                let polygon = try PolygonArea(polygons, context: context)
                shape = .polygon(polygon)
                radius = polygon.equivalentRadius
            } catch {
                return nil
            }
        }
    }

    /// The exit margin in meters.
    package var margin: Double { policy.exitMargin.meters(radius: radius) }

    /// - Parameter stay: The stay point to measure at instead of the fix's own position.
    package func measure(_ fix: Fix, at stay: StayPoint? = nil) -> Measurement {
        let place = stay?.place ?? fix.coordinate
        let accuracy = EffectiveAccuracy(policy, accuracy: stay?.accuracy ?? fix.accuracyOrZero, isMean: stay != nil)
        let criterion = BoundaryCriterion(accuracy, radius: radius, isFirst: false)
        let distance: Double
        let verdict: BoundaryCriterion.Side
        switch shape {
        case .circle(let circle, let decider):
            distance = Geodesic.distance(circle.center, place) - circle.radius
            verdict = criterion.side { decider.isWithin(circle.radius + $0, center: circle.center, place) }
        case .polygon(let polygon):
            let depth = polygon.depth(of: place)
            distance = depth.signed
            verdict = criterion.side(isWithin: depth.isWithin)
        }
        let reading: Measurement.Containment =
            switch verdict {
            case .inside: .inside
            case .outside: .outside
            case .unsure: accuracy.isCoarse ? .coarse : .uncertain
            }
        return Measurement(
            distance: distance, countedAccuracy: distance <= 0 ? accuracy.countedInside(radius: radius) : accuracy.countedOutside,
            exitMargin: criterion.margin, containment: reading)
    }
}
