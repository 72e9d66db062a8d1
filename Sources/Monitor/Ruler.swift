import Geodesy
import Geometry
import Model

/// Measures fixes against fences: distances, and what a policy makes of them.
///
/// It belongs to one thread, as its geometry does. Polygons are made ready when they are first asked about.
final class Ruler {
    /// What a fix says of a fence, under a policy.
    enum Reading: Hashable {
        /// Certainly inside: d + c ≤ 0, where d is the distance from the boundary (negative inside) and c the counted accuracy.
        case inside
        /// Certainly outside: d − c > exit margin.
        case outside
        /// Neither: what was known holds.
        case unsure
    }

    private let fences: FenceSet
    private let context = GEOSContext()
    private let circles: CircleDecider
    private var polygons: [Int: Area] = [:]

    private struct Area {
        var polygon: PolygonArea
        var radius: Double
    }

    init(fences: FenceSet) {
        self.fences = fences
        circles = CircleDecider(context: context)
    }

    /// - Parameter isFirst: Whether nothing is known yet of the device and the fence; then d ≤ 0 decides, unless the fix is
    ///   too coarse.
    func reading(
        position: Int, _ fix: Fix, _ vector: EarthVector, _ policy: DecisionPolicy, isFirst: Bool
    ) -> Reading {
        let accuracy = fix.reckonedAccuracy
        let isCoarse = accuracy > policy.maxAccuracy
        func counted(_ radius: Double) -> Double { isCoarse ? accuracy : min(accuracy, policy.accuracyCap, radius / 2) }

        switch fences.entries[position].geofence.shape {
        case .circle(let circle):
            let chordSquared = fences.centers[position].chordSquared(to: vector)
            func isWithin(_ limit: Double) -> Bool {
                switch CircleDecider.filter(limit, chordSquared) {
                case .within: true
                case .beyond: false
                case .open: circles.decide(limit, center: circle.center, fix.coordinate)
                }
            }
            if isFirst && !isCoarse { return isWithin(circle.radius) ? .inside : .outside }
            let doubt = counted(circle.radius)
            if isWithin(circle.radius - doubt) { return .inside }
            return isWithin(circle.radius + doubt + policy.exitMargin.metres(radius: circle.radius)) ? .unsure : .outside

        case .polygons(let polygons):
            guard let area = area(position, polygons) else { return .unsure }
            let covers = area.polygon.covers(fix.coordinate)
            if isFirst && !isCoarse { return covers ? .inside : .outside }
            let doubt = counted(area.radius)
            if covers {
                return doubt == 0 || area.polygon.distanceToBoundary(fix.coordinate) >= doubt ? .inside : .unsure
            }
            let reach = doubt + policy.exitMargin.metres(radius: area.radius)
            return reach == 0 || area.polygon.distanceToBoundary(fix.coordinate) > reach ? .outside : .unsure
        }
    }

    /// When the straight way between two fixes meets the fence's boundary, if they lie on different sides of it: on the way in
    /// the last meeting, on the way out the first.
    func crossing(position: Int, from start: Fix, to end: Fix) -> Instant? {
        let share: Double?
        switch fences.entries[position].geofence.shape {
        case .circle(let circle): share = crossing(of: circle, from: start.coordinate, to: end.coordinate)
        case .polygons(let polygons):
            guard let area = area(position, polygons)?.polygon else { return nil }
            let wasInside = area.covers(start.coordinate)
            guard wasInside != area.covers(end.coordinate) else { return nil }
            let shares = area.crossings(from: start.coordinate, to: end.coordinate)
            share = wasInside ? shares.first : shares.last
        }
        return share.map { start.time + (end.time - start.time) * $0 }
    }

    /// The share of the way at which it meets the circle, by the straight line in the azimuthal equidistant plane around the
    /// centre.
    private func crossing(of circle: Circle, from start: Coordinate, to end: Coordinate) -> Double? {
        let a = Geodesic.plane(around: circle.center, start)
        let b = Geodesic.plane(around: circle.center, end)
        let radiusSquared = circle.radius * circle.radius
        let startInside = a.x * a.x + a.y * a.y <= radiusSquared
        guard startInside != (b.x * b.x + b.y * b.y <= radiusSquared) else { return nil }
        // |a + t (b − a)|² = r²
        let dx = b.x - a.x
        let dy = b.y - a.y
        let square = dx * dx + dy * dy
        let half = a.x * dx + a.y * dy
        let root = max(0, half * half - square * (a.x * a.x + a.y * a.y - radiusSquared)).squareRoot()
        return max(0, min(1, ((startInside ? root : -root) - half) / square))
    }

    /// The polygon of a fence, made ready. Nil if GEOS cannot make an area of it, which no fence that was checked when it was
    /// saved comes to; such a fence is never sure of anything.
    private func area(_ position: Int, _ shape: [Polygon]) -> Area? {
        if let area = polygons[position] { return area }
        do throws(GEOSFailure) {
            let polygon = try PolygonArea(shape, context: context)
            let area = Area(polygon: polygon, radius: polygon.equivalentRadius)
            polygons[position] = area
            return area
        } catch {
            return nil
        }
    }
}
