import Geodesy
import Model

/// Geofences for a life: 60 circles in a town, some of which overlap.
enum RandomGeofences {
    static func make(seed: UInt64) -> [Geofence] {
        var random = SplitMix64(state: seed &+ 3)
        return (1...60).map { number in
            // Half of them are in the center of the town.
            let spread = number.isMultiple(of: 2) ? 0.03 : 0.1
            let center = Coordinate(
                latitude: 52.52 + .random(in: -spread...spread, using: &random),
                longitude: 13.405 + 1.6 * .random(in: -spread...spread, using: &random))
            return Geofence(
                id: "place-\(number)", name: "Place \(number)",
                shape: .circle(Circle(center: center, radius: Double(Int.random(in: 10...45, using: &random) * 10))),
                priority: Int.random(in: 0...2, using: &random))
        }
    }
}
