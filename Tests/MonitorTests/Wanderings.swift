import Foundation
import Geodesy
import Geometry
import Model
import Monitor
import TestSupport

/// Random fences of all kinds, and a device with every kind of movement among them.
struct Wandering {
    var entries: [FenceSet.KeyedGeofence] = []
    var device: Device
    let policy: DecisionPolicy
    private(set) var fixes: [Fix] = []
    let home: Coordinate
    /// The extent of the fences and movements in meters.
    private let scale: Double
    var random: SeededRandom

    init(seed: UInt64, fixes count: Int = 150, plain: Bool = false) {
        random = SeededRandom(seed: seed)
        home = Coordinate(
            latitude: [0, 52.5, -33, 70, 16.5, 89.9, -89.95].randomElement(using: &random)!,
            longitude: [0, 13.4, 100, 180, -180, 179.99, -179.99].randomElement(using: &random)!)
        scale = [60, 1000, 1000, 30_000, 150_000].randomElement(using: &random)!
        policy = [.exact, .balanced, .phone].randomElement(using: &random)!
        device = Device(
            id: "d", groups: Bool.random(using: &random) ? ["g"] : [],
            silentAfter: [Device.defaultSilentAfter, 600, 90].randomElement(using: &random)!)
        if !plain, Int.random(in: 0..<3, using: &random) == 0 { device.policy = override() }
        for number in 0..<Int.random(in: 3...16, using: &random) {
            entries.append(.init(key: FenceKey(Int32(number * 3)), geofence: fence(number, plain: plain)))
        }
        fixes = wander(count)
    }

    // MARK: - Fences

    /// Another random fence in the same area.
    mutating func fence(_ number: Int, plain: Bool = false) -> Geofence {
        let center = Geodesic.direct(
            home, azimuth: .random(in: 0...360, using: &random), distance: scale * .random(in: 0...1, using: &random))
        let most = min(100_000, scale)
        let radius = pow(10, Double.random(in: 0...log10(most), using: &random))
        let names = ["f\(number)", "F-\(number)", "a fence with a long name".replacing(" ", with: ".") + "-\(number)"]
        var fence = Geofence(
            id: names.randomElement(using: &random)!, name: "n", shape: .circle(Circle(center: center, radius: max(1, radius))))
        guard !plain else { return fence }
        if Int.random(in: 0..<4, using: &random) == 0 { fence.shape = polygons(around: center, max(20, radius)) ?? fence.shape }
        if Int.random(in: 0..<3, using: &random) == 0 {
            fence.dwell = [1, 30, 60, 400].randomElement(using: &random)!
        }
        switch Int.random(in: 0..<10, using: &random) {
        case 0: fence.devices = ["d"]
        case 1: fence.groups = ["g"]
        case 2: fence.devices = ["somebody else"]
        default: break
        }
        if Int.random(in: 0..<3, using: &random) == 0 { fence.policy = override() }
        return fence
    }

    private mutating func override() -> PolicyOverride {
        var policy = PolicyOverride(
            base: ([nil] + DecisionPolicy.Name.allCases.map(Optional.some)).randomElement(using: &random)!)
        func maybe<Value>(_ values: [Value]) -> Value? {
            Int.random(in: 0..<3, using: &random) == 0 ? values.randomElement(using: &random) : nil
        }
        policy.accuracyCap = maybe([0, 10, 200])
        policy.maxAccuracy = maybe([30, 500, .infinity])
        policy.exitMargin = maybe([0, 3, 150, 2000])
        policy.confirmFixes = maybe([1, 2, 3])
        policy.confirmSeconds = maybe([0, 15, 70])
        policy.maxSpeed = maybe([3, 50, 340, 1000, .infinity])
        policy.crossing = maybe([0, 60, 900, 100_000])
        policy.stay = maybe([0, 2, 4.5, 4.5])
        return policy
    }

    /// A star with a hole, possibly two stars, or a box in degrees near a pole.
    private mutating func polygons(around center: Coordinate, _ radius: Double) -> Shape? {
        let parts: [Polygon]
        if abs(center.latitude) > 85 {
            let height = radius / 111_000
            let width = Double.random(in: 1...170, using: &random)
            func box(_ share: Double) -> [Coordinate] {
                [(-1.0, -1.0), (-1, 1), (1, 1), (1, -1)].map { north, east in
                    Coordinate(
                        latitude: min(90, max(-90, center.latitude + north * height * share)),
                        longitude: center.longitude + east * width * share)
                }
            }
            parts = [Polygon(exterior: box(1), holes: Bool.random(using: &random) ? [box(0.4)] : [])]
        } else {
            var star = [Polygon(exterior: star(center, radius, 0.5...1), holes: [])]
            if Bool.random(using: &random) { star[0].holes = [self.star(center, radius * 0.3, 0.5...1)] }
            if Bool.random(using: &random) {
                let other = Geodesic.direct(center, azimuth: 70, distance: radius * 3)
                star.append(Polygon(exterior: self.star(near(center, other), radius, 0.5...1), holes: []))
            }
            parts = star
        }
        return PolygonArea.flaw(parts, context: GEOSContext()) == nil ? .polygons(parts) : nil
    }

    private mutating func star(_ center: Coordinate, _ radius: Double, _ shares: ClosedRange<Double>) -> [Coordinate] {
        let corners = Int.random(in: 5...9, using: &random)
        return (0..<corners).map { corner in
            let place = Geodesic.direct(
                center, azimuth: Double(corner) * 360 / Double(corners), distance: radius * .random(in: shares, using: &random))
            return near(center, place)
        }
    }

    /// The same position with a longitude within 180° of another's, possibly past the antimeridian.
    private func near(_ center: Coordinate, _ place: Coordinate) -> Coordinate {
        Coordinate(
            latitude: place.latitude,
            longitude: center.longitude + (place.longitude - center.longitude).remainder(dividingBy: 360))
    }

    // MARK: - Movements

    /// The fixes of a device that starts at home.
    mutating func wander(_ count: Int) -> [Fix] {
        var fixes: [Fix] = []
        var place = home
        var time = Scene.start
        var course = Double.random(in: 0...360, using: &random)
        while fixes.count < count {
            var wait = [0, 0.5, 1, 5, 5, 10, 20, 20.001, 59.999, 60, 90.001, 300, 301, 700, 4000].randomElement(using: &random)!
            if Bool.random(using: &random) { wait = min(wait, 10) }
            course += .random(in: -60...60, using: &random)
            time = time + wait
            let target = entries.randomElement(using: &random)!.geofence
            switch Int.random(in: 0..<26, using: &random) {
            case 0...5: place = move(place, course, wait * .random(in: 0...2, using: &random))
            case 6...11: place = move(place, course, wait * .random(in: 0...40, using: &random))
            case 12, 13: break
            case 14: place = move(home, course, scale * .random(in: 0...1.5, using: &random))
            case 15: place = move(place, course, 1_000_000 * .random(in: 0...1, using: &random))
            case 16: place = home
            case 17, 18: place = boundary(target)
            case 19: place = middle(target)
            case 20, 21: place = across(target, from: place)
            case 22, 23: rest(near: Bool.random(using: &random) ? boundary(target) : place, since: &time, &fixes)
            default:
                // An outlier, after which the device is where it was before.
                fixes.append(fix(time, move(place, course, scale * .random(in: 0...3, using: &random))))
                time = time + min(wait, 5)
            }
            fixes.append(fix(time, place))
            if Int.random(in: 0..<20, using: &random) == 0, let last = fixes.last { fixes.append(last) }
        }
        return fixes
    }

    /// Fixes of a device that stays at a place for a while, with some outliers.
    private mutating func rest(near place: Coordinate, since time: inout Instant, _ fixes: inout [Fix]) {
        let accuracy = [4.0, 15, 60].randomElement(using: &random)!
        let wait = [1.0, 5, 30, 301].randomElement(using: &random)!
        for _ in 0..<Int.random(in: 3...30, using: &random) {
            time = time + wait
            let isStray = Int.random(in: 0..<12, using: &random) == 0
            let most = isStray ? 20 * accuracy : 1.2 * accuracy
            let spot = move(place, .random(in: 0...360, using: &random), most * .random(in: 0...1, using: &random))
            let said = Int.random(in: 0..<30, using: &random) == 0 ? 900 : accuracy * .random(in: 0.7...1.3, using: &random)
            fixes.append(Fix(time: time, coordinate: spot, accuracy: said))
        }
    }

    private mutating func fix(_ time: Instant, _ place: Coordinate) -> Fix {
        let accuracy: Double? = [nil, nil, nil, 0, 0, 5, 5, 20, 60, 400, 17_000].randomElement(using: &random)!
        return Fix(time: time, coordinate: place, accuracy: accuracy)
    }

    private func move(_ place: Coordinate, _ course: Double, _ meters: Double) -> Coordinate {
        Geodesic.direct(place, azimuth: course, distance: meters)
    }

    private func middle(_ fence: Geofence) -> Coordinate {
        switch fence.shape {
        case .circle(let circle): return circle.center
        case .polygons(let polygons):
            let box = BoundingBox(around: polygons[0].exterior)
            return Coordinate(
                latitude: (box.south + box.north) / 2, longitude: Coordinate.wrapped(longitude: (box.west + box.east) / 2))
        }
    }

    /// A position exactly on the boundary, or very close to it.
    private mutating func boundary(_ fence: Geofence) -> Coordinate {
        switch fence.shape {
        case .circle(let circle):
            let hair = [0, 0, 1e-3, -1e-3, 0.3, -0.3].randomElement(using: &random)!
            let course = circle.center.latitude > 0 ? 180.0 : 0
            let place = move(circle.center, course, circle.radius + hair)
            let (x, y) = Geodesic.plane(around: circle.center, place)
            let distances = [Geodesic.distance(circle.center, place), (x * x + y * y).squareRoot()]
            // A position on the boundary is usable only if every method of measuring gives inside.
            if hair != 0 || distances.allSatisfy({ $0 <= circle.radius }) { return place }
            return move(circle.center, course, circle.radius - 1e-3)
        case .polygons(let polygons):
            let corner = polygons[0].exterior.randomElement(using: &random)!
            return Coordinate(latitude: corner.latitude, longitude: Coordinate.wrapped(longitude: corner.longitude))
        }
    }

    /// A position on the other side of a fence.
    private mutating func across(_ fence: Geofence, from place: Coordinate) -> Coordinate {
        let middle = middle(fence)
        let (distance, azimuth) = Geodesic.inverse(place, middle)
        let aside = Double.random(in: -20...20, using: &random)
        return move(place, azimuth + aside, min(distance * 2, 3_000_000))
    }
}
