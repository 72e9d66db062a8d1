/// Handles outlines that cross the antimeridian and are written with longitudes of both signs, such as from 179 to −179.
///
/// An edge is a straight line in longitude and latitude (RFC 7946 §3.1.1), so an edge from 179 to −179 spans 358° as written. Most authors
/// mean the 2° across the antimeridian; RFC 7946 §3.1.9 asks them to cut the outline there.
public enum Antimeridian {
    /// Rewrites polygons so that every wide edge takes the short way around the earth, with longitudes past ±180.
    ///
    /// Outlines without a wide edge keep their shape. Holes and other polygons move by whole turns of 360° next to the outlines with wide
    /// edges.
    ///
    /// - Returns: Nil when an outline does not close after the rewriting, because it goes around a pole.
    /// - Complexity: O(n) in the number of corners.
    public static func takingShortWay(_ polygons: [Polygon]) -> [Polygon]? {
        var taken: [Polygon] = []
        for polygon in polygons {
            guard let polygon = takingShortWay(polygon) else { return nil }
            taken.append(polygon)
        }
        // The first polygon with a wide edge stays; every other polygon moves by the turn that keeps the common bounding box narrowest.
        guard let first = polygons.firstIndex(where: \.hasWideEdge) else { return polygons }
        var box = BoundingBox(around: taken[first].exterior)
        for index in taken.indices where index != first {
            let own = BoundingBox(around: taken[index].exterior)
            func span(_ turn: Double) -> Double { max(box.east, own.east + turn) - min(box.west, own.west + turn) }
            let turn = wholeTurns.min { span($0) < span($1) } ?? 0
            taken[index] = taken[index].turned(by: turn)
            box = BoundingBox(joining: [box, own.shiftedEast(by: turn)])
        }
        return taken
    }

    /// Whole turns around the earth, in degrees. Zero comes first, so that it wins a tie.
    private static let wholeTurns = [0.0, 360, -360]

    private static func takingShortWay(_ polygon: Polygon) -> Polygon? {
        guard polygon.hasWideEdge else { return polygon }
        guard var exterior = takingShortWay(polygon.exterior) else { return nil }
        if polygon.exterior.hasWideEdge {
            let west = exterior.lazy.map(\.longitude).min() ?? 0
            exterior = exterior.turned(by: -360 * ((west + 180) / 360).rounded(.down))
        }
        let box = BoundingBox(around: exterior)
        var holes: [[Coordinate]] = []
        for hole in polygon.holes {
            guard let hole = takingShortWay(hole) else { return nil }
            let own = BoundingBox(around: hole)
            let turn = wholeTurns.first { own.west + $0 >= box.west && own.east + $0 <= box.east } ?? 0
            holes.append(hole.turned(by: turn))
        }
        return Polygon(exterior: exterior, holes: holes)
    }

    private static func takingShortWay(_ ring: [Coordinate]) -> [Coordinate]? {
        guard ring.hasWideEdge, let first = ring.first else { return ring }
        var places: [Coordinate] = []
        places.reserveCapacity(ring.count)
        var before = first.longitude
        // Whole turns in degrees, added to each longitude as written.
        var turn = 0.0
        for place in ring + [first] {
            let way = place.longitude - before
            if abs(way) > 180 { turn -= 360 * (way / 360).rounded() }
            before = place.longitude
            places.append(Coordinate(latitude: place.latitude, longitude: place.longitude + turn))
        }
        // The last step returned to the first corner, so the turns must add up to 0. NaN fails the comparison.
        guard turn == 0 else { return nil }
        places.removeLast()
        return places
    }
}

extension Polygon {
    /// Whether an edge spans more than 180° of longitude as written. Edges along a pole do not count, because they have no length.
    public var hasWideEdge: Bool { exterior.hasWideEdge || holes.contains(where: \.hasWideEdge) }

    fileprivate func turned(by degrees: Double) -> Polygon {
        Polygon(exterior: exterior.turned(by: degrees), holes: holes.map { $0.turned(by: degrees) })
    }
}

extension Shape {
    /// Whether an edge spans more than 180° of longitude as written; see `Polygon.hasWideEdge`.
    public var hasWideEdge: Bool {
        if case .polygons(let polygons) = self { polygons.contains(where: \.hasWideEdge) } else { false }
    }
}

extension [Coordinate] {
    fileprivate var hasWideEdge: Bool {
        guard var before = last else { return false }
        for place in self {
            let isAlongPole = abs(place.latitude) == 90 && place.latitude == before.latitude
            if abs(place.longitude - before.longitude) > 180, !isAlongPole { return true }
            before = place
        }
        return false
    }

    fileprivate func turned(by degrees: Double) -> [Coordinate] {
        degrees == 0 ? self : map { Coordinate(latitude: $0.latitude, longitude: $0.longitude + degrees) }
    }
}
