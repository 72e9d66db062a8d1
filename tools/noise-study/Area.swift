import Geodesy
import Model
import TestSupport

/// A geofence in the plane of a journey. Distances to its boundary are computed here, independently of the engine under study.
struct Area: Sendable {
    var center: Point
    /// The radius of a circle in meters; for a polygon, the radius of the circle with the same area.
    var radius: Double
    /// The corners of a polygon in meters relative to `center`; empty for a circle.
    private var corners: [Point] = []
    /// The distance in meters from `center` to the furthest point of the area.
    private var outerRadius: Double

    /// Creates a circle or, with a probability of 25 %, a polygon of 4 to 8 corners with the area of that circle.
    init(around center: Point, radius: Double, _ random: inout SeededRandom) {
        self.center = center
        self.radius = radius
        outerRadius = radius
        guard random.isTrue(0.25) else { return }
        let count = Int.random(in: 4...8, using: &random)
        let turn = random.angle()
        corners = (0..<count).map { corner in
            Point(
                angle: turn + (Double(corner) + random.uniform(-0.2...0.2)) * 2 * .pi / Double(count),
                length: random.uniform(0.8...1.25))
        }
        var doubled = 0.0
        for (a, b) in zip(corners, corners[1...] + corners[...0]) { doubled += a.x * b.y - a.y * b.x }
        let scale = radius * (2 * .pi / doubled).squareRoot()
        for index in corners.indices { corners[index] *= scale }
        outerRadius = corners.map(\.length).max() ?? radius
    }

    /// The distance in meters from a point inside the area to the boundary; negative for a point outside.
    ///
    /// For a point more than 100 m outside the circle around a polygon, the result is the negative distance to that circle, which is never
    /// further away than the polygon itself.
    func depth(of point: Point) -> Double {
        let offset = point - center
        let distance = offset.length
        if corners.isEmpty { return radius - distance }
        if distance > outerRadius + 100 { return outerRadius - distance }
        var isInside = false
        var nearest = Double.infinity
        var a = corners[corners.count - 1]
        for b in corners {
            let side = b - a
            let toPoint = offset - a
            let share = max(0, min(1, (toPoint.x * side.x + toPoint.y * side.y) / (side.x * side.x + side.y * side.y)))
            nearest = min(nearest, (toPoint - side * share).length)
            if (a.y > offset.y) != (b.y > offset.y), offset.x < a.x + (offset.y - a.y) / (b.y - a.y) * side.x {
                isInside.toggle()
            }
            a = b
        }
        return isInside ? nearest : -nearest
    }

    /// The geofence that the engine gets for this area.
    func geofence(id: String, in plane: Plane) -> Geofence {
        let shape: Shape =
            if corners.isEmpty {
                .circle(Circle(center: plane.coordinate(center), radius: radius))
            } else {
                .polygons([Polygon(exterior: corners.map { plane.coordinate(center + $0) })])
            }
        return Geofence(id: id, name: id, shape: shape)
    }
}
