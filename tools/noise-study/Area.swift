import Geodesy
import Model
import TestSupport

/// A geofence in a journey's plane, where it is measured apart from the code that is studied.
struct Area: Sendable {
    var center: Point
    /// Of a polygon: that of the circle with the same area.
    var radius: Double
    /// The corners of a polygon, relative to the centre; empty for a circle.
    private var corners: [Point] = []
    /// No point of the area is further from the centre.
    private var reach: Double

    /// One in four is a polygon.
    init(around center: Point, radius: Double, _ random: inout SeededRandom) {
        self.center = center
        self.radius = radius
        reach = radius
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
        reach = corners.map(\.length).max() ?? radius
    }

    /// How far inside the boundary a point lies, in metres; negative outside. Of a polygon that is further than 100 m away, no less
    /// than the distance to the circle around it.
    func depth(of point: Point) -> Double {
        let offset = point - center
        let distance = offset.length
        if corners.isEmpty { return radius - distance }
        if distance > reach + 100 { return reach - distance }
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

    /// The geofence that the engine is given.
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
