import Geodesy

/// Compares areas. It belongs to one thread, because its context does.
package struct OverlapFinder {
    private let context: GEOSContext
    /// Meters: distances below this count as touching or equal.
    private let tolerance = 0.001
    /// Corners of the polygon that approximates a circle to compute shared areas. Its area is 0.0013 % too small.
    private let corners = 720

    package init(context: GEOSContext) { self.context = context }

    /// Determines how `a` relates to `b`.
    ///
    /// The relation of two circles follows from the geodesic distance of their centers. The relation of a circle and a polygon follows from
    /// the distance between center and boundary. The relation of two polygons comes from GEOS in longitude and latitude. GEOS computes
    /// shared areas in an equal-area plane.
    package func overlap(_ a: Shape, _ b: Shape) throws(GEOSFailure) -> Overlap {
        switch (a, b) {
        case (.circle(let a), .circle(let b)): return try circles(a, b)
        case (.circle(let a), .polygons(let b)): return try circle(a, PolygonArea(b, context: context))
        case (.polygons(let a), .circle(let b)): return try circle(b, PolygonArea(a, context: context)).mirrored
        case (.polygons(let a), .polygons(let b)):
            return try areas(PolygonArea(a, context: context), PolygonArea(b, context: context))
        }
    }

    private func circles(_ a: Circle, _ b: Circle) throws(GEOSFailure) -> Overlap {
        let distance = Geodesic.distance(a.center, b.center)
        if distance > a.radius + b.radius + tolerance { return .disjoint }
        let relation: Overlap.Relation =
            if distance <= tolerance && abs(a.radius - b.radius) <= tolerance {
                .equals
            } else if distance >= a.radius + b.radius - tolerance {
                .touches
            } else if distance + b.radius <= a.radius + tolerance {
                .contains
            } else if distance + a.radius <= b.radius + tolerance {
                .within
            } else {
                .overlaps
            }
        let plane = EqualArea.Plane(around: a.radius < b.radius ? a.center : b.center)
        return try measured(relation, polygon(a, plane), polygon(b, plane))
    }

    private func circle(_ circle: Circle, _ area: PolygonArea) throws(GEOSFailure) -> Overlap {
        let distance = area.depth(of: circle.center).signed
        if distance > circle.radius + tolerance { return .disjoint }
        let relation: Overlap.Relation =
            if distance > circle.radius - tolerance {
                .touches
            } else if -distance >= circle.radius - tolerance {
                .within
            } else if area.boundary(step: 0.01).joined().allSatisfy({
                Geodesic.distance(circle.center, Coordinate(latitude: $0.y, longitude: $0.x)) <= circle.radius + tolerance
            }) {
                .contains
            } else {
                .overlaps
            }
        let plane = EqualArea.Plane(around: circle.center)
        return try measured(relation, polygon(circle, plane), polygon(area, plane))
    }

    private func areas(_ a: PolygonArea, _ b: PolygonArea) throws(GEOSFailure) -> Overlap {
        guard a.boundingBox.intersects(b.boundingBox) else { return .disjoint }
        // The two areas may be written with longitudes that differ by whole turns.
        let turn = [0.0, 360, -360, 720, -720].first { turn in
            b.boundingBox.west + turn <= a.boundingBox.east && a.boundingBox.west <= b.boundingBox.east + turn
        }
        let other = try turn == 0 ? b.geometry : b.geometry.moved(east: turn ?? 0)
        let matrix = Array(try a.geometry.relation(to: other).utf8)
        let none = UInt8(ascii: "F")
        // DE-9IM, row by row: interior, boundary and exterior of the first area against those of the second.
        let relation: Overlap.Relation =
            if matrix[0] == none {
                matrix[1] == none && matrix[3] == none && matrix[4] == none ? .disjoint : .touches
            } else if matrix[2] == none && matrix[6] == none {
                .equals
            } else if matrix[6] == none {
                .contains
            } else if matrix[2] == none {
                .within
            } else {
                .overlaps
            }
        if relation == .disjoint || relation == .touches {
            return Overlap(relation: relation, sharedArea: 0, shareOfA: 0, shareOfB: 0)
        }
        let shared = try a.geometry.intersection(other).parts().reduce(0) { $0 + EqualArea.area(ofRings: $1) }
        return shares(relation, shared, a.squareMeters, b.squareMeters)
    }

    private func measured(_ relation: Overlap.Relation, _ a: GEOSGeometry, _ b: GEOSGeometry) throws(GEOSFailure) -> Overlap {
        if relation == .touches { return Overlap(relation: .touches, sharedArea: 0, shareOfA: 0, shareOfB: 0) }
        return shares(relation, try a.intersection(b).area, a.area, b.area)
    }

    private func shares(_ relation: Overlap.Relation, _ shared: Double, _ a: Double, _ b: Double) -> Overlap {
        Overlap(
            relation: relation, sharedArea: shared, shareOfA: a > 0 ? min(1, shared / a) : 0,
            shareOfB: b > 0 ? min(1, shared / b) : 0)
    }

    private func polygon(_ circle: Circle, _ plane: EqualArea.Plane) throws(GEOSFailure) -> GEOSGeometry {
        let ring = (0..<corners).map { corner in
            plane.point(
                Geodesic.direct(circle.center, azimuth: 360 * Double(corner) / Double(corners), distance: circle.radius))
        }
        return try GEOSGeometry.polygons([[ring]], in: context)
    }

    /// Projects a polygon to an equal-area plane, with extra points along edges, which are straight in degrees and curved in the plane.
    private func polygon(_ area: PolygonArea, _ plane: EqualArea.Plane) throws(GEOSFailure) -> GEOSGeometry {
        let parts = area.geometry.parts().map { rings in
            rings.map { ring in
                zip(ring, ring.dropFirst()).flatMap { a, b in
                    let pieces = max(1, Int((max(abs(b.x - a.x), abs(b.y - a.y)) * 20).rounded(.up)))
                    return (0..<pieces).map { piece in
                        let t = Double(piece) / Double(pieces)
                        return plane.point(
                            Coordinate(latitude: a.y + (b.y - a.y) * t, longitude: a.x + (b.x - a.x) * t))
                    }
                }
            }
        }
        return try GEOSGeometry.polygons(parts, in: context)
    }
}
