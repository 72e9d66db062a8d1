import Geodesy

extension PolygonArea {
    /// The maximum number of corners of polygons that `repaired(_:context:)` takes.
    package static let maximumRepairedCorners = 2000
    /// The maximum number of crossings in them. GEOS needs half a second for this many, and the time grows with their square.
    package static let maximumRepairedCrossings = 1000

    /// Whether the polygons are simple enough to be repaired.
    ///
    /// - Complexity: O(corners²), at most `maximumRepairedCorners`².
    package static func isRepairable(_ polygons: [Polygon]) -> Bool {
        let rings = polygons.flatMap(\.rings)
        guard rings.reduce(0, { $0 + $1.count }) <= maximumRepairedCorners else { return false }
        var edges: [(a: Coordinate, b: Coordinate)] = []
        for ring in rings {
            for index in ring.indices { edges.append((ring[index], ring[index + 1 < ring.count ? index + 1 : 0])) }
        }
        var crossings = 0
        for index in edges.indices {
            for other in edges.indices.dropFirst(index + 1) where meet(edges[index], edges[other]) {
                crossings += 1
                if crossings > maximumRepairedCrossings { return false }
            }
        }
        return true
    }

    private typealias Line = (a: Coordinate, b: Coordinate)

    /// Whether two edges cross, touch or overlap in the plane, other than by a common end.
    private static func meet(_ one: Line, _ two: Line) -> Bool {
        guard max(one.a.longitude, one.b.longitude) >= min(two.a.longitude, two.b.longitude),
            max(two.a.longitude, two.b.longitude) >= min(one.a.longitude, one.b.longitude),
            max(one.a.latitude, one.b.latitude) >= min(two.a.latitude, two.b.latitude),
            max(two.a.latitude, two.b.latitude) >= min(one.a.latitude, one.b.latitude)
        else { return false }
        let (c, d) = (side(of: two.a, one), side(of: two.b, one))
        let (a, b) = (side(of: one.a, two), side(of: one.b, two))
        guard c * d <= 0, a * b <= 0 else { return false }
        let isInLine = c == 0 && d == 0
        for (end, other) in [(one.a, one.b), (one.b, one.a)] {
            for (same, next) in [(two.a, two.b), (two.b, two.a)] where end == same {
                // Edges with a common end overlap if they lead to the same side of it.
                let dot =
                    (other.longitude - end.longitude) * (next.longitude - end.longitude)
                    + (other.latitude - end.latitude) * (next.latitude - end.latitude)
                return isInLine && dot > 0
            }
        }
        return true
    }

    /// The sign of the side of a line on which a place is: −1, 0 or 1.
    private static func side(of place: Coordinate, _ line: Line) -> Int {
        let area =
            (line.b.longitude - line.a.longitude) * (place.latitude - line.a.latitude)
            - (line.b.latitude - line.a.latitude) * (place.longitude - line.a.longitude)
        return area > 0 ? 1 : area < 0 ? -1 : 0
    }
}
