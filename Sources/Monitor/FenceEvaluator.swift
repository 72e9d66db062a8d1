import Geodesy
import Geometry
import Model

/// Where a fix lies relative to a fence under a policy, and how far the device may move before that changes.
struct FenceReading {
    var verdict: BoundaryRule.Side
    /// Meters that the device may move from the fix and certainly still be at d > 0; 0 or less inside.
    var inwards: Double
    /// Meters that the device may move and certainly still be at d ≤ exit margin; 0 or less beyond it.
    var outwards: Double
}

/// Evaluates fixes against fences: on which side of the boundary a fix lies, and when a path crosses the boundary.
///
/// It belongs to one thread, because its GEOS context does. Polygons are prepared at their first use.
final class FenceEvaluator {
    private let context = GEOSContext()
    private let circles: CircleDecider
    private var areas: [FenceKey: Area] = [:]

    /// A fence's polygons, and the area that GEOS prepared of them.
    private struct Area {
        var polygons: [Polygon]
        var area: PolygonArea?
        var radius: Double
    }

    @exclusivity(unchecked) private var vectors = VectorCache()

    init() { circles = CircleDecider(context: context) }

    /// The cached ECEF vector of a coordinate.
    @inline(__always)
    func vector(_ place: Coordinate) -> EarthVector { unsafe vectors.vector(place) }

    // MARK: - Distances

    /// Evaluates one fence.
    ///
    /// - Parameters:
    ///   - position: The fence's position in `fences`.
    ///   - isFirst: Whether nothing is known yet of the device and the fence.
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
    ///   - beyond: Meters from the circle around the polygons, negative inside it.
    ///   - radius: The radius of that circle in meters.
    private func reading(
        _ polygons: [Polygon], _ fence: FenceKey, beyond: Double, radius: Double, _ spot: Coordinate,
        _ accuracy: EffectiveAccuracy,
        isFirst: Bool
    ) -> FenceReading {
        let area = area(fence, polygons)
        guard let polygon = area.area else { return FenceReading(verdict: .unsure, inwards: 0, outwards: 0) }
        let rule = BoundaryRule(accuracy, radius: area.radius, isFirst: isFirst)
        // A position further from the boundary than `reach` is outside, whether or not the fix is the first.
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

    /// The prepared polygons of a fence. `area` is nil if GEOS cannot build it, which cannot happen to a fence that was validated when it
    /// was saved. Such a fence always reads `unsure`.
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

    // MARK: - Paths

    /// When the straight path between two fixes crosses the fence's boundary, if they lie on different sides of it: the last crossing on
    /// the way in, the first on the way out.
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

    /// When a straight path that begins and ends outside the fence leads into it and out again; nil if it does not.
    ///
    /// - Parameter depth: Meters by which the deepest point of the path must lie inside the boundary, and both ends outside it.
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
