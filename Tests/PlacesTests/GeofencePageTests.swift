import Core
import Geodesy
import Geometry
import Model
import Places
import ServiceTestSupport
import TestSupport
import Testing

@Suite("Geofences by place")
struct GeofencePageTests {
    private let bench: Workbench

    init() throws { bench = try Workbench() }

    /// Circles and triangles anywhere on the earth, some across the antimeridian or at a pole.
    private func fences(_ random: inout SeededRandom) -> [Geofence] {
        (0..<300).map { number in
            let place = Coordinate(
                latitude: Double.random(in: -89...89, using: &random), longitude: Double.random(in: -180...180, using: &random))
            let shape: Shape
            if number % 3 == 0 {
                let size = Double.random(in: 0.01...5, using: &random)
                let north = min(90, place.latitude + size)
                shape = .polygons([
                    Polygon(exterior: [
                        place, Coordinate(latitude: place.latitude, longitude: place.longitude + size),
                        Coordinate(latitude: north, longitude: place.longitude),
                    ])
                ])
            } else {
                shape = .circle(Circle(center: place, radius: Double.random(in: 100...900_000, using: &random)))
            }
            return Geofence(id: "f\(number)", name: "F", shape: shape)
        }
    }

    private func all(_ filter: Queries.GeofenceFilter, limit: Int) throws -> [String] {
        var found: [String] = []
        var after: String?
        repeat {
            let page = try bench.service.geofences(filter, after: after, limit: limit)
            found += page.items.map(\.id)
            after = page.next
        } while after != nil
        return found
    }

    @Test("The geofences at a place or in a box are those that a check of each finds", arguments: Histories.seeds(1...4))
    func brute(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let fences = fences(&random)
        try bench.add(fences)
        let context = GEOSContext()
        let circles = CircleDecider(context: context)
        for _ in 0..<60 {
            let place = Coordinate(
                latitude: Double.random(in: -90...90, using: &random), longitude: Double.random(in: -180...180, using: &random))
            let covering = try fences.filter { fence in
                switch fence.shape {
                case .circle(let circle): circles.isWithin(circle.radius, center: circle.center, place)
                case .polygons(let polygons): try PolygonArea(polygons, context: context).covers(place)
                }
            }
            var filter = Queries.GeofenceFilter()
            filter.containing = place
            #expect(try all(filter, limit: 2) == covering.map(\.id).sorted(), "seed \(seed), \(place)")

            let size = Double.random(in: 0...60, using: &random)
            let box = BoundingBox(
                south: place.latitude, north: min(90, place.latitude + size), west: place.longitude, east: place.longitude + size)
            let meeting = fences.filter { $0.shape.boundingBox.intersects(box) }
            filter = .init()
            filter.box = box
            #expect(try all(filter, limit: 7) == meeting.map(\.id).sorted(), "seed \(seed), \(box)")
            filter.containing = place
            #expect(try all(filter, limit: 1000) == covering.map(\.id).sorted(), "seed \(seed), \(box)")
        }
    }
}
