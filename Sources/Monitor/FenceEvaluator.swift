import Geodesy
import Geometry
import Model

/// Where a fix lies relative to a fence under a policy, and how far the device may move before that changes.
struct FenceReading {
    var side: BoundaryCriterion.Side
    /// Meters that the device may move from the fix and certainly still be at d > 0; 0 or less inside.
    var distanceBeforeEnter: Double
    /// Meters that the device may move and certainly still be at d ≤ exit margin; 0 or less beyond it.
    var distanceBeforeExit: Double
}

/// Evaluates fixes against fences: on which side of the boundary a fix lies, and when a path crosses the boundary.
///
/// It belongs to one thread, because its GEOS context does. Polygons are prepared at their first use.
final class FenceEvaluator {
    private let context = GEOSContext()
    private let circles: CircleDecider
    private var areas: [FenceKey: PreparedArea] = [:]

    /// A fence's polygons, and the area that GEOS prepared of them.
    private struct PreparedArea {
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
    ///   - isFirst: Whether nothing is known yet about the device and the fence.
    @inline(__always)
    func evaluate(_ position: Int, of fences: FenceSet, observation: Observation, accuracy: EffectiveAccuracy, isFirst: Bool)
        -> FenceReading
    {
        let place = fences.packedFences[position]
        let bounds = DistanceBounds(place.center, observation.vector)
        if place.traits >= 0, let polygons = fences.polygons(position) {
            let beyond = bounds.atLeast - place.radius
            return evaluatePolygons(
                polygons, of: place.key, beyond: beyond, radius: place.radius, at: observation.place, accuracy: accuracy,
                isFirst: isFirst)
        }
        let criterion = BoundaryCriterion(accuracy, radius: place.radius, isFirst: isFirst)
        let verdict = criterion.side { limit in
            circles.isWithin(place.radius + limit, bounds: bounds, center: fences.centers[position], of: observation.place)
        }
        return FenceReading(
            side: verdict, distanceBeforeEnter: bounds.atLeast - place.radius,
            distanceBeforeExit: place.radius + criterion.lastingMargin - bounds.atMost)
    }

    /// - Parameters:
    ///   - beyond: Meters from the circle around the polygons, negative inside it.
    ///   - radius: The radius of that circle in meters.
    private func evaluatePolygons(
        _ polygons: [Polygon], of fence: FenceKey, beyond: Double, radius: Double, at spot: Coordinate,
        accuracy: EffectiveAccuracy,
        isFirst: Bool
    ) -> FenceReading {
        let area = preparedArea(of: fence, polygons)
        guard let polygon = area.area else { return FenceReading(side: .unsure, distanceBeforeEnter: 0, distanceBeforeExit: 0) }
        let criterion = BoundaryCriterion(accuracy, radius: area.radius, isFirst: isFirst)
        // A position further from the boundary than `reach` is outside, whether or not the fix is the first.
        let reach = max(criterion.outsideLimit, criterion.margin)
        if beyond > reach + EarthVector.roundingError {
            return FenceReading(side: .outside, distanceBeforeEnter: beyond, distanceBeforeExit: 0)
        }
        if let clear = polygon.clearance(spot, reach: 2 * radius + max(0, beyond)) {
            if clear.covers, -clear.atLeast <= criterion.insideLimit {
                return FenceReading(
                    side: .inside, distanceBeforeEnter: -clear.atLeast,
                    distanceBeforeExit: clear.atLeast + criterion.lastingMargin)
            }
            if !clear.covers, clear.atLeast > criterion.outsideLimit {
                return FenceReading(side: .outside, distanceBeforeEnter: clear.atLeast, distanceBeforeExit: 0)
            }
        }
        let depth = polygon.depth(of: spot)
        let room = max(0, depth.distance - EarthVector.roundingError)
        return FenceReading(
            side: criterion.side(isWithin: depth.isWithin), distanceBeforeEnter: depth.covers ? -room : room,
            distanceBeforeExit: depth.covers ? room + criterion.lastingMargin : max(0, criterion.lastingMargin - depth.distance))
    }

    /// The prepared polygons of a fence. `area` is nil if GEOS cannot build it, which cannot happen to a fence that was validated when it
    /// was saved. Such a fence always reads `unsure`.
    private func preparedArea(of fence: FenceKey, _ polygons: [Polygon]) -> PreparedArea {
        if let known = areas[fence], known.polygons == polygons { return known }
        var made = PreparedArea(polygons: polygons, area: nil, radius: 0)
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
    func crossingTime(_ position: Int, of fences: FenceSet, _ observation: Observation) -> Instant? {
        guard let start = observation.previousFix else { return nil }
        let share: Double?
        let place = fences.packedFences[position]
        if place.traits >= 0, let polygons = fences.polygons(position) {
            guard let area = preparedArea(of: place.key, polygons).area else { return nil }
            let wasInside = area.covers(start.coordinate)
            guard wasInside != area.covers(observation.place) else { return nil }
            let shares = area.crossings(from: start.coordinate, to: observation.place)
            share = wasInside ? shares.first : shares.last
        } else {
            let radius = place.radius
            let way = pathSegment(from: start, observation, past: position, of: fences)
            guard (way.startDistance <= radius) != (way.endDistance <= radius),
                let (first, last) = way.crossingFractions(within: radius)
            else { return nil }
            share = way.startDistance <= radius ? last : first
        }
        return share.map { start.time + (observation.fix.time - start.time) * max(0, min(1, $0)) }
    }

    private func pathSegment(from start: Fix, _ observation: Observation, past position: Int, of fences: FenceSet) -> PathSegment
    {
        let place = fences.packedFences[position]
        return PathSegment(from: start, vector(start.coordinate), to: observation, past: place.center, radius: place.radius)
            ?? PathSegment(from: start, to: observation, past: fences.centers[position])
    }

    /// When a straight path leads into the fence and out again; nil if it does not. A path that begins inside enters at its start, and one
    /// that ends inside leaves at its end.
    ///
    /// - Parameters:
    ///   - depth: Meters by which the deepest point of the path must lie inside the boundary.
    ///   - clearance: Meters by which the end must lie outside the boundary for `endsClear`.
    func passThroughTimes(
        _ position: Int, of fences: FenceSet, _ observation: Observation, depth: Double, clearance: Double = 0
    ) -> (enter: Instant, exit: Instant, endsClear: Bool)? {
        guard let start = observation.previousFix else { return nil }
        let way: (enter: Double, exit: Double, end: Double)?
        let place = fences.packedFences[position]
        if place.traits >= 0, let polygons = fences.polygons(position) {
            way = preparedArea(of: place.key, polygons).area?.passThrough(
                from: start.coordinate, to: observation.place, depth: depth)
        } else {
            let radius = place.radius
            let path = pathSegment(from: start, observation, past: position, of: fences)
            let isDeep = path.nearestDistance <= radius - depth
            way = isDeep ? path.crossingFractions(within: radius).map { ($0.0, $0.1, path.endDistance - radius) } : nil
        }
        guard let way else { return nil }
        let gap = observation.fix.time - start.time
        return (
            start.time + gap * max(0, min(1, way.enter)), start.time + gap * max(0, min(1, way.exit)), way.end > clearance
        )
    }
}
