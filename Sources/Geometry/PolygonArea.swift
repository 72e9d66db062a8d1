import Geodesy

/// A polygon or several, ready for questions: what they cover, and how far their boundary is.
///
/// Questions of coverage are asked of GEOS in the plane of longitude and latitude, in which GeoJSON's edges are straight.
/// Areas that cross the antimeridian may be written with longitudes past ±180° or split in two at ±180°: the halves are
/// joined, and what was the seam between them is no boundary.
///
/// It belongs to one thread, as its context does.
public final class PolygonArea {
    let geometry: GEOSGeometry
    /// West of `boundingBox.west` + 360 and so on: the range of longitudes that the geometry is written in.
    public let boundingBox: BoundingBox
    private let edges: [Edge]
    /// The edges in the plane alone: start and end, one beside the other.
    private let lines: [SIMD4<Double>]
    private let isClosed: Bool

    private struct Edge {
        var a: PlanePoint
        var b: PlanePoint
        var start: EarthVector
        var end: EarthVector
        /// No shorter than the way along the edge, in metres.
        var length: Double
    }

    /// - Throws: `GEOSFailure` when GEOS cannot make an area of the rings at all (`PolygonArea.flaw` says more).
    public init(_ polygons: [Polygon], context: GEOSContext) throws(GEOSFailure) {
        geometry = try PolygonArea.joined(polygons, in: context)
        let parts = geometry.parts()
        boundingBox = BoundingBox(
            around: parts.lazy.flatMap { $0[0].lazy.map { Coordinate(latitude: $0.y, longitude: $0.x) } })

        let box = boundingBox
        let area = geometry
        var edges: [Edge] = []
        var hasSeam = false
        for ring in parts.joined() {
            for (a, b) in zip(ring, ring.dropFirst()) where a != b {
                if PolygonArea.isSeam(a, b, of: area, box) {
                    hasSeam = true
                    continue
                }
                edges.append(
                    Edge(
                        a: a, b: b, start: PolygonArea.vector(a), end: PolygonArea.vector(b),
                        length: PolygonArea.longest(a, b)))
            }
        }
        self.edges = edges
        lines = edges.map { SIMD4($0.a.x, $0.a.y, $0.b.x, $0.b.y) }
        // Without its seams the outline is not closed, and a ray may pass through.
        isClosed = !hasSeam
    }

    /// Whether the place is inside, and a distance in metres that the boundary is surely no nearer than: quickly, and only where that
    /// is more than a millimetre, so that which side it lies on is beyond doubt; nil nearer to the boundary.
    ///
    /// A ray to the east meets the boundary an odd number of times from inside. A way over the ellipsoid is at least as long as its
    /// parts along meridian and parallel, at the shortest degrees that lie within its reach, say.
    ///
    /// - Parameter reach: Metres within which all of the area lies around the place.
    public func clearance(_ place: Coordinate, reach: Double) -> (covers: Bool, atLeast: Double)? {
        var x = place.longitude
        let middle = (boundingBox.west + boundingBox.east) / 2
        if abs(x - middle) > 180 { x += x < middle ? 360 : -360 }
        // The way to no part of it is shorter by going round the earth the other way.
        guard isClosed, abs(x - middle) + (boundingBox.east - boundingBox.west) / 2 < 180 else { return nil }
        let y = place.latitude
        let furthest = min(90, abs(y) + reach / WGS84.shortestDegreeOfLatitude)
        let north = WGS84.shortestDegreeOfLatitude
        let east = WGS84.equatorialRadius * .pi / 180 * cos(furthest.radians)
        var nearest = Double.infinity
        var isInside = false
        for line in lines {
            let (ax, ay) = (line.x - x, line.y - y)
            let (bx, by) = (line.z - x, line.w - y)
            if (ay > 0) != (by > 0), (ay < by) == (ax * by - ay * bx > 0) { isInside.toggle() }
            // In metres, or less.
            let (px, py) = (ax * east, ay * north)
            let (dx, dy) = ((bx - ax) * east, (by - ay) * north)
            let square = dx * dx + dy * dy
            let share = square > 0 ? max(0, min(1, -(px * dx + py * dy) / square)) : 0
            let (qx, qy) = (px + share * dx, py + share * dy)
            nearest = min(nearest, qx * qx + qy * qy)
        }
        // Coordinates and their differences are known to some 1e-9 m.
        let distance = nearest.squareRoot() - EarthVector.rounding
        return distance > 0.001 && distance < .infinity ? (isInside, distance) : nil
    }

    /// Whether the place is inside or on the boundary; holes are outside.
    public func covers(_ place: Coordinate) -> Bool {
        PolygonArea.covers(place, geometry, boundingBox)
    }

    private static func covers(_ place: Coordinate, _ geometry: GEOSGeometry, _ box: BoundingBox) -> Bool {
        guard place.latitude >= box.south && place.latitude <= box.north else { return false }
        for turn in [0.0, 360, -360] {
            let x = place.longitude + turn
            if x >= box.west && x <= box.east && geometry.covers(x: x, y: place.latitude) { return true }
        }
        return false
    }

    /// Metres from the place to the nearest point of the boundary (always positive); infinite if there is no boundary.
    public func distanceToBoundary(_ place: Coordinate) -> Double {
        let here = EarthVector(place)
        var best = Double.infinity
        var nearest: PlanePoint?
        var stack: [Edge] = []
        for edge in edges {
            stack.append(edge)
            while let piece = stack.popLast() {
                let toStart = here.chordSquared(to: piece.start).squareRoot()
                let toEnd = here.chordSquared(to: piece.end).squareRoot()
                // Triangle inequality: no point of the piece is nearer than this.
                if (toStart + toEnd - piece.length) / 2 >= best { continue }
                if piece.length > 1000 {
                    let middle = PlanePoint(x: (piece.a.x + piece.b.x) / 2, y: (piece.a.y + piece.b.y) / 2)
                    let vector = PolygonArea.vector(middle)
                    stack.append(
                        Edge(
                            a: piece.a, b: middle, start: piece.start, end: vector,
                            length: PolygonArea.longest(piece.a, middle)))
                    stack.append(
                        Edge(a: middle, b: piece.b, start: vector, end: piece.end, length: PolygonArea.longest(middle, piece.b)))
                    continue
                }
                // On so short a piece, the share of the way at which the straight line through the earth comes nearest is the
                // share along the edge; the point itself is taken on the ellipsoid.
                let t = PolygonArea.nearestShare(here, piece.start, piece.end)
                let point = PlanePoint(x: piece.a.x + (piece.b.x - piece.a.x) * t, y: piece.a.y + (piece.b.y - piece.a.y) * t)
                let chord = here.chordSquared(to: PolygonArea.vector(point)).squareRoot()
                if chord < best {
                    best = chord
                    nearest = point
                }
            }
        }
        guard let nearest else { return .infinity }
        return Geodesic.distance(place, Coordinate(latitude: nearest.y, longitude: nearest.x))
    }

    /// Where a place lies from the boundary.
    public struct Depth: Hashable, Sendable {
        /// Whether the area covers the place; the boundary counts.
        public let covers: Bool
        /// Metres from the boundary, on whichever side.
        public let distance: Double

        /// Metres from the boundary, negative inside.
        public var signed: Double { covers ? -distance : distance }

        /// Whether the place lies at most so many metres outside of the boundary; below 0 at least so many inside. What is not covered is
        /// never within 0 metres, even if its distance rounds to that.
        public func isWithin(_ limit: Double) -> Bool { covers ? -distance <= limit : limit > 0 && distance <= limit }
    }

    public func depth(of place: Coordinate) -> Depth { Depth(covers: covers(place), distance: distanceToBoundary(place)) }

    /// The area in square metres.
    public var squareMetres: Double { geometry.parts().reduce(0) { $0 + EqualArea.area(ofRings: $1) } }

    /// The radius in metres of the circle with the same area: what "radius" means for a polygon.
    public var equivalentRadius: Double { (max(0, squareMetres) / .pi).squareRoot() }

    /// The shares (0 … 1) of the straight way from `start` to `end` in longitude and latitude, the short way round, at which it
    /// meets the boundary, ascending.
    public func crossings(from start: Coordinate, to end: Coordinate) -> [Double] {
        var shares: [Double] = []
        let dx = (end.longitude - start.longitude).remainder(dividingBy: 360)
        let dy = end.latitude - start.latitude
        for turn in [0.0, 360, -360] {
            let x = start.longitude + turn
            guard max(x, x + dx) >= boundingBox.west && min(x, x + dx) <= boundingBox.east else { continue }
            for edge in edges {
                let ex = edge.b.x - edge.a.x
                let ey = edge.b.y - edge.a.y
                let cross = dx * ey - dy * ex
                guard cross != 0 else { continue }
                let ox = edge.a.x - x
                let oy = edge.a.y - start.latitude
                let t = (ox * ey - oy * ex) / cross
                let u = (ox * dy - oy * dx) / cross
                if (0...1).contains(t) && (0...1).contains(u) { shares.append(t) }
            }
        }
        return shares.sorted()
    }

    /// The shares of a straight way that begins and ends outside, at which it leads in and out of the part of the area where it comes
    /// furthest from the boundary.
    ///
    /// - Parameter depth: Metres that it has to come from the boundary, at least, and its ends too. The way inside is looked at in 33
    ///   places.
    public func passage(from start: Coordinate, to end: Coordinate, depth: Double) -> (enter: Double, exit: Double)? {
        guard !covers(start), !covers(end) else { return nil }
        if depth > 0, min(distanceToBoundary(start), distanceToBoundary(end)) <= depth { return nil }
        let shares = crossings(from: start, to: end)
        let width = (end.longitude - start.longitude).remainder(dividingBy: 360)
        func place(_ share: Double) -> Coordinate {
            Coordinate(
                latitude: start.latitude + (end.latitude - start.latitude) * share,
                longitude: Coordinate.wrapped(longitude: start.longitude + width * share))
        }
        var best: (depth: Double, enter: Double, exit: Double)?
        for (enter, exit) in zip(shares, shares.dropFirst()) where exit > enter && covers(place((enter + exit) / 2)) {
            let deepest =
                (1...33).lazy.map { self.distanceToBoundary(place(enter + (exit - enter) * Double($0) / 34)) }.max() ?? 0
            if best.map({ deepest > $0.depth }) ?? true { best = (deepest, enter, exit) }
        }
        return best.flatMap { $0.depth >= depth ? ($0.enter, $0.exit) : nil }
    }

    /// Points of the boundary no further than `step` degrees apart, vertices included.
    func boundary(step: Double) -> [[PlanePoint]] {
        edges.map { edge in
            let pieces = max(1, Int((max(abs(edge.b.x - edge.a.x), abs(edge.b.y - edge.a.y)) / step).rounded(.up)))
            return (0...pieces).map {
                let t = Double($0) / Double(pieces)
                return PlanePoint(x: edge.a.x + (edge.b.x - edge.a.x) * t, y: edge.a.y + (edge.b.y - edge.a.y) * t)
            }
        }
    }

    // MARK: - Making

    /// Why the polygons are no area, and where; nil when they are one. Lengths and angles are not looked at.
    public static func flaw(_ polygons: [Polygon], context: GEOSContext) -> (reason: String, place: Coordinate?)? {
        do throws(GEOSFailure) {
            let raw = try GEOSGeometry.polygons(polygons.map(rings), in: context)
            guard let flaw = raw.flaw() else { return nil }
            return (flaw.reason, flaw.at.map { Coordinate(latitude: $0.y, longitude: $0.x) })
        } catch {
            return (error.message, nil)
        }
    }

    /// The nearest thing to the polygons that is an area, by GEOS: where an outline crosses itself there are corners then. Nil
    /// when nothing is left of them.
    public static func mended(_ polygons: [Polygon], context: GEOSContext) -> [Polygon]? {
        do throws(GEOSFailure) {
            let parts = try GEOSGeometry.polygons(polygons.map(rings), in: context).mended().parts()
            guard !parts.isEmpty else { return nil }
            return parts.map { rings in
                let places = rings.map { $0.map { Coordinate(latitude: $0.y, longitude: $0.x) } }
                return Polygon(exterior: places[0], holes: Array(places.dropFirst()))
            }
        } catch {
            return nil
        }
    }

    private static func rings(_ polygon: Polygon) -> [[PlanePoint]] {
        polygon.rings.map { $0.map { PlanePoint(x: $0.longitude, y: $0.latitude) } }
    }

    /// One geometry of all the polygons; halves that meet at the antimeridian are brought together and dissolved.
    private static func joined(_ polygons: [Polygon], in context: GEOSContext) throws(GEOSFailure) -> GEOSGeometry {
        var parts = polygons.map(rings)
        func touches(_ part: [[PlanePoint]], _ longitude: Double) -> Bool { part[0].contains { $0.x == longitude } }
        let meets =
            parts.contains { touches($0, 180) && !touches($0, -180) } && parts.contains { touches($0, -180) && !touches($0, 180) }
        guard meets else { return try GEOSGeometry.polygons(parts, in: context) }
        for index in parts.indices where touches(parts[index], -180) && !touches(parts[index], 180) {
            parts[index] = parts[index].map { $0.map { PlanePoint(x: $0.x + 360, y: $0.y) } }
        }
        return try GEOSGeometry.polygons(parts, in: context).dissolved()
    }

    /// Whether an edge is an artefact of the plane: along a pole, or along the antimeridian with the area on both sides of it.
    private static func isSeam(_ a: PlanePoint, _ b: PlanePoint, of area: GEOSGeometry, _ box: BoundingBox) -> Bool {
        if abs(a.y) == 90 && a.y == b.y { return true }
        guard a.x == b.x && abs(a.x) == 180 else { return false }
        let middle = (a.y + b.y) / 2
        let nudge = 1e-9
        return covers(Coordinate(latitude: middle, longitude: 180 - nudge), area, box)
            && covers(Coordinate(latitude: middle, longitude: -180 + nudge), area, box)
    }

    private static func vector(_ point: PlanePoint) -> EarthVector {
        EarthVector(Coordinate(latitude: point.y, longitude: point.x))
    }

    /// No edge between two points is longer than this, in metres: the longest degrees that WGS 84 has, along each axis.
    private static func longest(_ a: PlanePoint, _ b: PlanePoint) -> Double {
        let cosine = cos(min(abs(a.y), abs(b.y)).radians)
        let equator = a.y.sign != b.y.sign ? 1 : cosine
        return abs(a.y - b.y) * 111_700 + abs(a.x - b.x) * 111_700 * equator
    }

    private static func nearestShare(_ point: EarthVector, _ a: EarthVector, _ b: EarthVector) -> Double {
        let dx = b.x - a.x
        let dy = b.y - a.y
        let dz = b.z - a.z
        let square = dx * dx + dy * dy + dz * dz
        guard square > 0 else { return 0 }
        return max(0, min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy + (point.z - a.z) * dz) / square))
    }
}
