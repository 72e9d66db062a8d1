import Geodesy
import Geometry
import Model

/// Measures fixes against fences: distances, and what a policy makes of them.
///
/// It belongs to one thread, as its geometry does. Polygons are made ready when they are first asked about.
final class Ruler {
    /// What a fix says of a fence, under a policy.
    struct Reading {
        enum Verdict: Hashable {
            /// Certainly inside: d + c ≤ 0, where d is the distance from the boundary (negative inside) and c the counted accuracy.
            case inside
            /// Certainly outside: d − c > exit margin.
            case outside
            /// Neither: what was known holds.
            case unsure
        }

        var verdict: Verdict
        /// Metres that one may surely go from the fix and still be at d > 0; not positive inside.
        var inwards: Double
        /// Metres that one may surely go and still be at d ≤ exit margin; not positive beyond it.
        var outwards: Double
    }

    private let context = GEOSContext()
    private let circles: CircleDecider
    private var areas: [FenceKey: Area] = [:]

    /// A fence's polygons made ready, as they were when it was last put into its set.
    private struct Area {
        var polygons: [Polygon]
        var area: PolygonArea?
        var radius: Double
    }

    /// The last places that a vector was asked for, the last of all at `newest`.
    @exclusivity(unchecked) private var recent = InlineArray<4, Spot>(repeating: Spot())
    @exclusivity(unchecked) private var newest = 0

    private struct Spot {
        var place = Coordinate(latitude: .nan, longitude: .nan)
        var vector = EarthVector(x: 0, y: 0, z: 0)
    }

    init() { circles = CircleDecider(context: context) }

    /// That of a place which is asked about again and again, for many fences or beside a few others.
    @inline(__always)
    func vector(_ place: Coordinate) -> EarthVector {
        recent[newest].place == place ? recent[newest].vector : find(place)
    }

    private func find(_ place: Coordinate) -> EarthVector {
        for index in recent.indices where recent[index].place == place {
            newest = index
            return recent[index].vector
        }
        newest = (newest + 1) & 3
        recent[newest] = Spot(place: place, vector: EarthVector(place))
        return recent[newest].vector
    }

    // MARK: - Distances

    /// - Parameter isFirst: Whether nothing is known yet of the device and the fence; then d ≤ 0 decides, unless the fix is
    ///   too coarse.
    @inline(__always)
    func reading(_ position: Int, of fences: FenceSet, _ look: Look, _ terms: Terms, isFirst: Bool) -> Reading {
        let place = fences.places[position]
        let chord = place.center.chordSquared(to: look.vector).squareRoot()
        if place.traits >= 0, let polygons = fences.polygons(position) {
            return reading(
                polygons, place.key, beyond: chord - place.radius, radius: place.radius, look.place, terms, isFirst: isFirst)
        }
        let radius = place.radius
        let margin = terms.policy.exitMargin.metres(radius: radius)
        let longest = EarthVector.atMostGeodesic(chord: chord)
        let decides = isFirst && !terms.isCoarse
        let inner = decides ? radius : radius - terms.inwards(radius: radius)
        let outer = decides ? radius : radius + terms.outwards + margin
        let verdict: Reading.Verdict
        if longest <= inner {
            verdict = .inside
        } else if chord > outer + EarthVector.rounding {
            verdict = .outside
        } else {
            verdict = self.verdict(inner, outer, position, of: fences, look, chord, longest)
        }
        return Reading(verdict: verdict, inwards: chord - radius, outwards: radius + margin - longest)
    }

    /// What the chord alone does not settle.
    @inline(never)
    private func verdict(
        _ inner: Double, _ outer: Double, _ position: Int, of fences: FenceSet, _ look: Look, _ chord: Double, _ longest: Double
    ) -> Reading.Verdict {
        func isWithin(_ limit: Double) -> Bool {
            if limit < 0 || chord > EarthVector.surelyBeyond(length: limit) { return false }
            return longest <= limit || circles.decide(limit, center: fences.centers[position], look.place)
        }
        return isWithin(inner) ? .inside : isWithin(outer) ? .unsure : .outside
    }

    private func reading(
        _ polygons: [Polygon], _ fence: FenceKey, beyond: Double, radius: Double, _ spot: Coordinate, _ terms: Terms,
        isFirst: Bool
    ) -> Reading {
        let area = area(fence, polygons)
        guard let polygon = area.area else { return Reading(verdict: .unsure, inwards: 0, outwards: 0) }
        let margin = terms.policy.exitMargin.metres(radius: area.radius)
        let decides = isFirst && !terms.isCoarse
        let doubt = decides ? nil : terms.inwards(radius: area.radius)
        // Beyond the circle around it by more than all that counts.
        let reach = (decides ? 0 : terms.outwards) + margin
        if beyond > reach + EarthVector.rounding { return Reading(verdict: .outside, inwards: beyond, outwards: 0) }
        if let clear = polygon.clearance(spot, reach: 2 * radius + max(0, beyond)) {
            if clear.covers, clear.atLeast >= doubt ?? 0 {
                return Reading(verdict: .inside, inwards: -clear.atLeast, outwards: clear.atLeast + margin)
            }
            if !clear.covers, doubt == nil || clear.atLeast > reach {
                return Reading(verdict: .outside, inwards: clear.atLeast, outwards: 0)
            }
        }
        let covers = polygon.covers(spot)
        let distance = polygon.distanceToBoundary(spot)
        let room = max(0, distance - EarthVector.rounding)
        let verdict: Reading.Verdict
        switch (covers, doubt) {
        case (true, let doubt): verdict = distance >= doubt ?? 0 ? .inside : .unsure
        case (false, nil): verdict = .outside
        case (false, _): verdict = distance > reach || reach == 0 ? .outside : .unsure
        }
        return Reading(
            verdict: verdict, inwards: covers ? -room : room, outwards: covers ? room + margin : max(0, margin - distance))
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
    func crossing(_ position: Int, of fences: FenceSet, _ look: Look) -> Instant? {
        guard let start = look.before else { return nil }
        let share: Double?
        let place = fences.places[position]
        if place.traits >= 0, let polygons = fences.polygons(position) {
            guard let area = area(place.key, polygons).area else { return nil }
            let wasInside = area.covers(start.coordinate)
            guard wasInside != area.covers(look.place) else { return nil }
            let shares = area.crossings(from: start.coordinate, to: look.place)
            share = wasInside ? shares.first : shares.last
        } else {
            let radius = place.radius
            let way = way(from: start, look, past: position, of: fences)
            guard (way.a <= radius) != (way.b <= radius), let (first, last) = way.shares(within: radius) else { return nil }
            share = way.a <= radius ? last : first
        }
        return share.map { start.time + (look.fix.time - start.time) * max(0, min(1, $0)) }
    }

    private func way(from start: Fix, _ look: Look, past position: Int, of fences: FenceSet) -> Way {
        let place = fences.places[position]
        return Way(from: start, vector(start.coordinate), to: look, past: place.center, radius: place.radius)
            ?? Way(from: start, to: look, past: fences.centers[position])
    }

    /// When a straight way that begins and ends outside of the fence leads into it and out again.
    ///
    /// - Parameter depth: Metres from the boundary that its deepest point has to lie inside, at least, and its ends outside.
    func passage(_ position: Int, of fences: FenceSet, _ look: Look, depth: Double) -> (enter: Instant, exit: Instant)? {
        guard let start = look.before else { return nil }
        let shares: (Double, Double)?
        let place = fences.places[position]
        if place.traits >= 0, let polygons = fences.polygons(position) {
            shares = area(place.key, polygons).area?.passage(
                from: start.coordinate, to: look.place, depth: depth)
        } else {
            let radius = place.radius
            let way = way(from: start, look, past: position, of: fences)
            let isClear = min(way.a, way.b) > radius + depth
            shares = isClear && way.nearest <= radius - depth ? way.shares(within: radius) : nil
        }
        guard let shares else { return nil }
        let gap = look.fix.time - start.time
        return (start.time + gap * max(0, min(1, shares.0)), start.time + gap * max(0, min(1, shares.1)))
    }
}
