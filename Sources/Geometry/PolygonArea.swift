import CStandardLibrary
import Geodesy

/// One or several polygons, prepared for queries: whether they cover a position, and how far their boundary is.
///
/// GEOS decides coverage in the plane of longitude and latitude, in which GeoJSON's edges are straight. Areas that cross the
/// antimeridian may be written with longitudes past ±180° or split in two at ±180°. The halves are joined, and the seam between
/// them is not a boundary.
///
/// It belongs to one thread, because its context does.
package final class PolygonArea {
    let geometry: GEOSGeometry
    /// The bounding box in the longitudes in which the geometry is written, which may go past ±180°.
    package let boundingBox: BoundingBox
    private let edges: [Edge]
    /// The edges in longitude and latitude: start x, start y, end x, end y.
    private let lines: [SIMD4<Double>]
    /// Whether the edges form closed rings, which they do unless seams were left out.
    private let isClosed: Bool

    private struct Edge {
        var a: PlanePoint
        var b: PlanePoint
        var start: EarthVector
        var end: EarthVector
        /// Upper bound for the length of the edge, in meters.
        var length: Double
    }

    /// - Throws: `GEOSFailure` when GEOS cannot build an area of the rings; `flaw(_:context:)` says why.
    package init(_ polygons: [Polygon], context: GEOSContext) throws(GEOSFailure) {
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
                        length: PolygonArea.longestEdge(a, b)))
            }
        }
        self.edges = edges
        lines = edges.map { SIMD4($0.a.x, $0.a.y, $0.b.x, $0.b.y) }
        // Without its seams the outline is open, so counting crossings of a ray would be wrong.
        isClosed = !hasSeam
    }

    /// A fast test whether the area covers a position, with a lower bound in meters for the distance to the boundary. It answers only where
    /// the bound exceeds one millimeter, so that the side is certain; nil otherwise.
    ///
    /// A ray to the east crosses the boundary an odd number of times from inside. Distances are computed with the shortest degree lengths
    /// within reach, so they are never too long.
    ///
    /// - Parameter reach: A radius in meters around the position that contains the whole area.
    package func clearance(_ place: Coordinate, reach: Double) -> (covers: Bool, atLeast: Double)? {
        var x = place.longitude
        let middle = (boundingBox.west + boundingBox.east) / 2
        if abs(x - middle) > 180 { x += x < middle ? 360 : -360 }
        // Every part of the area must be nearer on this side of the earth than the other way around.
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
            // In meters, never too long.
            let (px, py) = (ax * east, ay * north)
            let (dx, dy) = ((bx - ax) * east, (by - ay) * north)
            let square = dx * dx + dy * dy
            let share = square > 0 ? max(0, min(1, -(px * dx + py * dy) / square)) : 0
            let (qx, qy) = (px + share * dx, py + share * dy)
            nearest = min(nearest, qx * qx + qy * qy)
        }
        // Coordinates and their differences are precise to about 1e-9 m.
        let distance = nearest.squareRoot() - EarthVector.roundingError
        return distance > 0.001 && distance < .infinity ? (isInside, distance) : nil
    }

    /// Whether the position is inside or on the boundary. Holes are outside.
    package func covers(_ place: Coordinate) -> Bool {
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

    /// Meters from the position to the nearest point of the boundary, 0 or more; infinite if there is no boundary.
    package func distanceToBoundary(_ place: Coordinate) -> Double {
        let here = EarthVector(place)
        var best = Double.infinity
        var nearest: PlanePoint?
        var stack: [Edge] = []
        for edge in edges {
            stack.append(edge)
            while let piece = stack.popLast() {
                let toStart = here.chordSquared(to: piece.start).squareRoot()
                let toEnd = here.chordSquared(to: piece.end).squareRoot()
                // By the triangle inequality, no point of the piece is nearer than this.
                if (toStart + toEnd - piece.length) / 2 >= best { continue }
                if piece.length > 1000 {
                    let middle = PlanePoint(x: (piece.a.x + piece.b.x) / 2, y: (piece.a.y + piece.b.y) / 2)
                    let vector = PolygonArea.vector(middle)
                    stack.append(
                        Edge(
                            a: piece.a, b: middle, start: piece.start, end: vector,
                            length: PolygonArea.longestEdge(piece.a, middle)))
                    stack.append(
                        Edge(
                            a: middle, b: piece.b, start: vector, end: piece.end, length: PolygonArea.longestEdge(middle, piece.b)
                        ))
                    continue
                }
                // The piece is short enough that the fraction along its chord equals the fraction along the edge. The point itself is
                // computed on the ellipsoid.
                let t = PolygonArea.nearestFraction(point: here, start: piece.start, end: piece.end)
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

    /// Where a position lies relative to the boundary.
    package struct Depth: Hashable, Sendable {
        /// Whether the area covers the position. Boundary points are covered.
        package let covers: Bool
        /// Meters from the boundary, on either side.
        package let distance: Double

        /// Meters from the boundary, negative inside.
        package var signed: Double { covers ? -distance : distance }

        /// Whether the signed distance from the boundary is at most `limit` meters. A position that is not covered is never within 0
        /// meters, even if its distance rounds to 0.
        package func isWithin(_ limit: Double) -> Bool { covers ? -distance <= limit : limit > 0 && distance <= limit }
    }

    /// Measures the position of a point relative to the boundary.
    package func depth(of place: Coordinate) -> Depth { Depth(covers: covers(place), distance: distanceToBoundary(place)) }

    /// The area in square meters.
    package var squareMeters: Double { geometry.parts().reduce(0) { $0 + EqualArea.area(ofRings: $1) } }

    /// The radius in meters of the circle with the same area, which serves as a polygon's radius in policies.
    package var equivalentRadius: Double { (max(0, squareMeters) / .pi).squareRoot() }

    /// The fractions (0 … 1), ascending, of the straight path from `start` to `end` at which it crosses the boundary. The path is straight
    /// in longitude and latitude and goes the short way around the earth.
    package func crossings(from start: Coordinate, to end: Coordinate) -> [Double] {
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

    /// The fractions of a straight path at which it enters and leaves the area, and how far its end lies outside in meters (negative
    /// inside). A path that begins inside enters at 0, and one that ends inside leaves at 1. If the path enters several times, this is the
    /// stretch that comes furthest from the boundary. Nil if the path does not enter.
    ///
    /// - Parameter depth: Meters by which the deepest point of the path must lie inside the boundary. The depth is sampled at 33 points.
    package func passThrough(from start: Coordinate, to end: Coordinate, depth: Double) -> (
        enter: Double, exit: Double, end: Double
    )? {
        let endsInside = covers(end)
        let shares = (covers(start) ? [0] : []) + crossings(from: start, to: end) + (endsInside ? [1] : [])
        let width = (end.longitude - start.longitude).remainder(dividingBy: 360)
        func place(_ share: Double) -> Coordinate {
            Coordinate(
                latitude: start.latitude + (end.latitude - start.latitude) * share,
                longitude: Coordinate.wrapped(longitude: start.longitude + width * share))
        }
        var best: (depth: Double, enter: Double, exit: Double)?
        for (enter, exit) in zip(shares, shares.dropFirst()) where exit > enter && covers(place((enter + exit) / 2)) {
            var deepest = 0.0
            for step in 1...33 {
                let share = enter + (exit - enter) * Double(step) / 34
                deepest = max(deepest, distanceToBoundary(place(share)))
            }
            if best.map({ deepest > $0.depth }) ?? true { best = (deepest, enter, exit) }
        }
        guard let best, best.depth >= depth else { return nil }
        return (best.enter, best.exit, endsInside ? -distanceToBoundary(end) : distanceToBoundary(end))
    }

    /// Points on the boundary at most `step` degrees apart, corners included.
    func boundary(step: Double) -> [[PlanePoint]] {
        edges.map { edge in
            let pieces = max(1, Int((max(abs(edge.b.x - edge.a.x), abs(edge.b.y - edge.a.y)) / step).rounded(.up)))
            return (0...pieces).map {
                let t = Double($0) / Double(pieces)
                return PlanePoint(x: edge.a.x + (edge.b.x - edge.a.x) * t, y: edge.a.y + (edge.b.y - edge.a.y) * t)
            }
        }
    }

    // MARK: - Construction

    /// The reason of a flaw of polygons that are too intricate to be checked; see `isCheckable(_:)`.
    package static let tooIntricate = "Too intricate"

    /// Why the polygons are not a valid area, and where; nil if they are. Sizes and angles are not checked.
    package static func flaw(_ polygons: [Polygon], context: GEOSContext) -> (reason: String, place: Coordinate?)? {
        guard isCheckable(polygons) else { return (tooIntricate, nil) }
        context.outlineChecks += 1
        do throws(GEOSFailure) {
            let raw = try GEOSGeometry.polygons(polygons.map(rings), in: context)
            guard let flaw = raw.flaw() else { return nil }
            return (flaw.reason, flaw.at.map { Coordinate(latitude: $0.y, longitude: $0.x) })
        } catch {
            return (error.message, nil)
        }
    }

    /// A valid area made from the polygons by GEOS: self-intersections become corners. Nil if no area is left, or if `isRepairable(_:)`
    /// says that this would take too long.
    package static func repaired(_ polygons: [Polygon], context: GEOSContext) -> [Polygon]? {
        guard isRepairable(polygons) else { return nil }
        context.outlineChecks += 1
        do throws(GEOSFailure) {
            let parts = try GEOSGeometry.polygons(polygons.map(rings), in: context).repaired().parts()
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

    /// Builds one geometry from all polygons. Halves that meet at the antimeridian are moved together and united.
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

    /// Whether an edge is an artifact of the plane: along a pole, or along the antimeridian with the area on both sides.
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

    /// Upper bound in meters for the length of an edge: the longest degrees of WGS 84 along each axis.
    private static func longestEdge(_ a: PlanePoint, _ b: PlanePoint) -> Double {
        let cosine = cos(min(abs(a.y), abs(b.y)).radians)
        let equator = a.y.sign != b.y.sign ? 1 : cosine
        return abs(a.y - b.y) * 111_700 + abs(a.x - b.x) * 111_700 * equator
    }

    private static func nearestFraction(point: EarthVector, start a: EarthVector, end b: EarthVector) -> Double {
        let dx = b.x - a.x
        let dy = b.y - a.y
        let dz = b.z - a.z
        let square = dx * dx + dy * dy + dz * dz
        guard square > 0 else { return 0 }
        return max(0, min(1, ((point.x - a.x) * dx + (point.y - a.y) * dy + (point.z - a.z) * dz) / square))
    }
}
