import Geodesy
import Geometry
import Model

/// What a fix says of a fence, under a policy.
struct FenceReading {
    var verdict: BoundaryRule.Side
    /// Metres that one may surely go from the fix and still be at d > 0; not positive inside.
    var inwards: Double
    /// Metres that one may surely go and still be at d ≤ exit margin; not positive beyond it.
    var outwards: Double
}

/// Measures fixes against fences: distances, and what a policy makes of them.
///
/// It belongs to one thread, as its geometry does. Polygons are prepared when they are first asked about.
final class FenceEvaluator {
    private let context = GEOSContext()
    private let circles: CircleDecider
    private var areas: [FenceKey: Area] = [:]

    /// A fence's polygons made ready, as they were when it was last put into its set.
    private struct Area {
        var polygons: [Polygon]
        var area: PolygonArea?
        var radius: Double
    }

    @exclusivity(unchecked) private var vectors = VectorCache()

    init() { circles = CircleDecider(context: context) }

    /// The vector of a place that is asked about more than once.
    @inline(__always)
    func vector(_ place: Coordinate) -> EarthVector { unsafe vectors.vector(place) }

    // MARK: - Distances

    /// - Parameter isFirst: Whether nothing is known yet of the device and the fence.
    @inline(__always)
    func reading(_ position: Int, of fences: FenceSet, _ observation: Observation, _ accuracy: EffectiveAccuracy, isFirst: Bool)
        -> FenceReading
    {
        let place = fences.places[position]
        let bounds = DistanceBounds(place.center, observation.vector)
        if place.traits >= 0, let polygons = fences.polygons(position) {
            let beyond = bounds.atLeast - place.radius
            return reading(
                polygons, place.key, beyond: beyond, radius: place.radius, observation.place, accuracy, isFirst: isFirst)
        }
        let rule = BoundaryRule(accuracy, radius: place.radius, isFirst: isFirst)
        let verdict = rule.verdict { limit in
            circles.isWithin(place.radius + limit, bounds, center: fences.centers[position], observation.place)
        }
        return FenceReading(
            verdict: verdict, inwards: bounds.atLeast - place.radius, outwards: place.radius + rule.margin - bounds.atMost)
    }

    /// - Parameters:
    ///   - beyond: Metres from a circle around the polygons, negative inside it.
    ///   - radius: Of that circle, in metres.
    private func reading(
        _ polygons: [Polygon], _ fence: FenceKey, beyond: Double, radius: Double, _ spot: Coordinate,
        _ accuracy: EffectiveAccuracy,
        isFirst: Bool
    ) -> FenceReading {
        let area = area(fence, polygons)
        guard let polygon = area.area else { return FenceReading(verdict: .unsure, inwards: 0, outwards: 0) }
        let rule = BoundaryRule(accuracy, radius: area.radius, isFirst: isFirst)
        // So far from the boundary a place is outside, whether or not the fix is the first.
        let reach = max(rule.outer, rule.margin)
        if beyond > reach + EarthVector.rounding { return FenceReading(verdict: .outside, inwards: beyond, outwards: 0) }
        if let clear = polygon.clearance(spot, reach: 2 * radius + max(0, beyond)) {
            if clear.covers, -clear.atLeast <= rule.inner {
                return FenceReading(verdict: .inside, inwards: -clear.atLeast, outwards: clear.atLeast + rule.margin)
            }
            if !clear.covers, clear.atLeast > rule.outer {
                return FenceReading(verdict: .outside, inwards: clear.atLeast, outwards: 0)
            }
        }
        let depth = polygon.depth(of: spot)
        let room = max(0, depth.distance - EarthVector.rounding)
        return FenceReading(
            verdict: rule.verdict(depth.isWithin), inwards: depth.covers ? -room : room,
            outwards: depth.covers ? room + rule.margin : max(0, rule.margin - depth.distance))
    }

    /// The polygons of a fence, made ready; nil in it if GEOS cannot make an area of them, which no fence that was checked when it
    /// was saved comes to: such a fence is never sure of anything.
    private func area(_ fence: FenceKey, _ polygons: [Polygon]) -> Area {
        if let known = areas[fence], known.polygons == polygons { return known }
        var made = Area(polygons: polygons, area: nil, radius: 0)
        do throws(GEOSFailure) {
            let area = try PolygonArea(polygons, context: context)
            made.area = area
            made.radius = area.equivalentRadius
        } catch {
            made.area = nil
        }
        areas[fence] = made
        return made
    }

    // MARK: - Ways

    /// When the straight way between two fixes meets the fence's boundary, if they lie on different sides of it: on the way in
    /// the last meeting, on the way out the first.
    func crossing(_ position: Int, of fences: FenceSet, _ observation: Observation) -> Instant? {
        guard let start = observation.before else { return nil }
        let share: Double?
        let place = fences.places[position]
        if place.traits >= 0, let polygons = fences.polygons(position) {
            guard let area = area(place.key, polygons).area else { return nil }
            let wasInside = area.covers(start.coordinate)
            guard wasInside != area.covers(observation.place) else { return nil }
            let shares = area.crossings(from: start.coordinate, to: observation.place)
            share = wasInside ? shares.first : shares.last
        } else {
            let radius = place.radius
            let way = way(from: start, observation, past: position, of: fences)
            guard (way.a <= radius) != (way.b <= radius), let (first, last) = way.shares(within: radius) else { return nil }
            share = way.a <= radius ? last : first
        }
        return share.map { start.time + (observation.fix.time - start.time) * max(0, min(1, $0)) }
    }

    private func way(from start: Fix, _ observation: Observation, past position: Int, of fences: FenceSet) -> PathSegment {
        let place = fences.places[position]
        return PathSegment(from: start, vector(start.coordinate), to: observation, past: place.center, radius: place.radius)
            ?? PathSegment(from: start, to: observation, past: fences.centers[position])
    }

    /// When a straight way that begins and ends outside of the fence leads into it and out again.
    ///
    /// - Parameter depth: Metres from the boundary that its deepest point has to lie inside, at least, and its ends outside.
    func passage(_ position: Int, of fences: FenceSet, _ observation: Observation, depth: Double) -> (
        enter: Instant, exit: Instant
    )? {
        guard let start = observation.before else { return nil }
        let shares: (Double, Double)?
        let place = fences.places[position]
        if place.traits >= 0, let polygons = fences.polygons(position) {
            shares = area(place.key, polygons).area?.passage(
                from: start.coordinate, to: observation.place, depth: depth)
        } else {
            let radius = place.radius
            let way = way(from: start, observation, past: position, of: fences)
            let isClear = min(way.a, way.b) > radius + depth
            shares = isClear && way.nearest <= radius - depth ? way.shares(within: radius) : nil
        }
        guard let shares else { return nil }
        let gap = observation.fix.time - start.time
        return (start.time + gap * max(0, min(1, shares.0)), start.time + gap * max(0, min(1, shares.1)))
    }
}
