import Foundation
import Geodesy
import Model
import Monitor

/// The input of `picket bench engine`: geofences near the equator and devices that move among them, both from a seed.
struct EngineWorkload {
    /// The kind of the geofences.
    enum FenceKind: String {
        /// Circles of 100 to 500 m.
        case circles
        /// Circles of 5 km.
        case wide
        /// Polygons with 100 corners, at 70 to 100 % of 100 to 500 m from their center.
        case polygons
    }

    /// How the devices move. Each has one fix a second, and the devices take turns.
    enum Motion: String, CaseIterable {
        /// 1.5 m/s.
        case walking
        /// 15 m/s.
        case driving
        /// A random position for each fix.
        case teleporting

        var speed: Double { self == .walking ? 1.5 : 15 }
    }

    /// Degrees along each side of the area with geofences.
    let side: Double
    let motion: Motion
    private var random: SplitMix64
    private var devices: [Mover] = []
    private var second = 0

    private struct Mover {
        var latitude: Double
        var longitude: Double
        var north: Double
        var east: Double
        /// Seconds until the device changes its course.
        var secondsToTurn: Int
    }

    /// Degrees of latitude for one meter.
    static let degreesPerMeter = 1 / 111_319.49
    private static let start = Instant(milliseconds: 1_767_225_600_000)

    init(side: Double, devices count: Int, _ motion: Motion, seed: UInt64) {
        self.side = side
        self.motion = motion
        random = SplitMix64(state: seed)
        for _ in 0..<count {
            var mover = Mover(
                latitude: random.unit() * side, longitude: random.unit() * side, north: 0, east: 0, secondsToTurn: 0)
            turn(&mover)
            devices.append(mover)
        }
    }

    /// Generates the geofences of a field, with keys from 1.
    static func fences(_ field: FenceKind, _ count: Int, side: Double, seed: UInt64) -> [FenceSet.KeyedGeofence] {
        var random = SplitMix64(state: seed)
        return (1...count).map { number in
            FenceSet.KeyedGeofence(
                key: FenceKey(Int32(number)),
                geofence: Geofence(
                    id: "fence-\(number)", name: "Fence \(number)", shape: shape(field, side: side, &random)))
        }
    }

    private static func shape(_ field: FenceKind, side: Double, _ random: inout SplitMix64) -> Shape {
        let center = Coordinate(latitude: random.unit() * side, longitude: random.unit() * side)
        let radius = field == .wide ? 5000 : 100 + 400 * random.unit()
        guard field == .polygons else { return .circle(Circle(center: center, radius: radius)) }
        let corners = (0..<100).map { corner in
            let distance = radius * (0.7 + 0.3 * random.unit()) * degreesPerMeter
            let angle = Double(corner) * 2 * .pi / 100
            return Coordinate(
                latitude: center.latitude + distance * sin(angle), longitude: center.longitude + distance * cos(angle))
        }
        return .polygons([Polygon(exterior: corners)])
    }

    /// Replaces `fixes` with the next fixes of all devices: for each second, one of each device.
    mutating func fixes(seconds: Int, into fixes: inout [Fix]) {
        fixes.removeAll(keepingCapacity: true)
        for _ in 0..<seconds {
            second += 1
            for number in devices.indices {
                var device = devices[number]
                let place = move(&device)
                devices[number] = device
                fixes.append(Fix(time: Self.start + Double(second), coordinate: place, accuracy: 10))
            }
        }
    }

    private mutating func move(_ device: inout Mover) -> Coordinate {
        if motion == .teleporting {
            return Coordinate(latitude: random.unit() * side, longitude: random.unit() * side)
        }
        device.secondsToTurn -= 1
        if device.secondsToTurn < 0 { turn(&device) }
        device.latitude += device.north
        device.longitude += device.east
        if !(0...side).contains(device.latitude) { device.north.negate() }
        if !(0...side).contains(device.longitude) { device.east.negate() }
        return Coordinate(latitude: device.latitude, longitude: device.longitude)
    }

    private mutating func turn(_ device: inout Mover) {
        let course = random.unit() * 2 * .pi
        device.north = cos(course) * motion.speed * Self.degreesPerMeter
        device.east = sin(course) * motion.speed * Self.degreesPerMeter
        device.secondsToTurn = 30 + Int(random.unit() * 60)
    }
}
