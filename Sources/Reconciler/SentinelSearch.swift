import Geodesy
import Registry

#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

/// Finds the place of a new sentinel, and the geofences that must be registered with it.
///
/// Every circle around the device can be the sentinel if no boundary that is left out comes closer to it than the operating system's exit
/// buffer. A larger circle lasts longer, but more boundaries are in it or close to it, and each of those needs a region. The search tries
/// circles around the device, ahead of it and beside it, and takes the one that costs least for each meter that the device is expected to
/// travel in it.
struct SentinelSearch {
    struct Placement {
        var center: Coordinate
        /// Meters.
        var radius: Double
        /// The numbers of the geofences that must be registered: those whose boundary is in the sentinel or close to it, and the pinned
        /// ones.
        var needed: Set<Int>
    }

    let fences: DeviceFences
    let profile: PlatformProfile
    /// The newest position of the device.
    let place: Coordinate
    /// The error of the position in meters.
    let accuracy: Double
    /// Where the device is heading; nil if it is unknown.
    let heading: Heading?
    /// The numbers of the registered geofences.
    let held: Set<Int>
    /// The numbers of the geofences that must be registered in any case.
    let pinned: Set<Int>
    /// The number of slots besides the sentinel's.
    let slots: Int

    /// The cost of a registered geofence, as a multiple of the cost of a sentinel. It is much more than the calls for it, because
    /// the device may turn off before it comes near: a smaller sentinel leaves that open for longer. The value was found by a
    /// search over recorded tracks.
    ///
    /// Removals have no cost. If they had one, a repair that was interrupted after a removal could prefer another sentinel.
    private static let costOfAddition = 30.0
    /// The share of the expected travel that counts in the direction of the heading. The rest counts in all directions.
    private static let straightness = 0.3
    /// Meters from the device to the centers that are tried.
    private static let distances = [0.0, 50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200]

    /// The best placement; nil if every sentinel needs more geofences than there are slots.
    ///
    /// - Complexity: About sixty searches for the nearest `slots` boundaries, fewer where boundaries are close.
    func best() -> Placement? {
        guard pinned.count <= slots else { return nil }
        var best: (placement: Placement, cost: Double)?
        for distance in Self.distances {
            var largest = 0.0
            for direction in distance == 0 ? [Heading.north] : directions {
                guard let center = Self.move(place, distance, toward: direction) else { continue }
                largest = max(largest, rate(center, toward: direction, &best))
            }
            // The next circles are twice as far away, and must be larger than that.
            if largest < distance { break }
        }
        return best?.placement
    }

    private var directions: [Heading] {
        guard let heading else { return Heading.compass }
        return Heading.compass.filter { $0.north >= 0 }.map { heading.turned(by: $0) }
    }

    /// Rates the circles around a center by their cost for each meter of travel. Returns the largest radius that is possible there, in
    /// meters; 0 if none is.
    private func rate(
        _ center: Coordinate, toward direction: Heading, _ best: inout (placement: Placement, cost: Double)?
    ) -> Double {
        let middle = EarthVector(center)
        let away = EarthVector.longestGeodesic(chord: EarthVector(place).chordSquared(to: middle).squareRoot())
        // The operating system must see the device inside when the sentinel is registered.
        let smallest = max(RegionSelection.smallestSentinel, (away + accuracy).rounded(.up))
        let largest = min(profile.largestRadius ?? .infinity, RegionSelection.largestSentinel)
        let tooLarge = fences.nearestTooLarge(to: middle)?.distance ?? .infinity
        let near = fences.nearest(slots + 1, to: middle)
        var needed = pinned
        var additions = pinned.count { !held.contains($0) }
        var possible = 0.0
        // Each radius ends before the next boundary.
        for index in 0...near.count {
            let boundary = min(tooLarge, index < near.count ? near[index].distance : .infinity)
            let radius = min(largest, boundary - profile.exitBuffer - RegionSelection.slack).rounded(.down)
            if radius >= smallest {
                possible = radius
                let cost =
                    (1 + Self.costOfAddition * Double(additions)) / expectedTravel(in: radius, away, toward: direction)
                if best.map({ cost < $0.cost }) ?? true {
                    best = (Placement(center: center, radius: radius, needed: needed), cost)
                }
            }
            guard radius < largest, index < near.count, near[index].distance < tooLarge else { break }
            if needed.insert(near[index].number).inserted, !held.contains(near[index].number) { additions += 1 }
            if needed.count > slots { break }
        }
        return possible
    }

    /// The meters that the device is expected to travel before the operating system reports the exit.
    ///
    /// - Parameter away: Meters from the device to the center.
    private func expectedTravel(in radius: Double, _ away: Double, toward direction: Heading) -> Double {
        let edge = radius + profile.exitBuffer
        /// Meters to the edge in a direction whose angle to the direction of the center has this cosine.
        func travel(_ cosine: Double) -> Double {
            away * cosine + max(0, edge * edge - away * away * (1 - cosine * cosine)).squareRoot()
        }
        let average = Heading.compass.reduce(0) { $0 + travel($1.north) } / Double(Heading.compass.count)
        guard let heading else { return average }
        return Self.straightness * travel(heading.cosine(to: direction)) + (1 - Self.straightness) * average
    }

    /// The coordinate at a distance in meters; nil near a pole, where a plane does not approximate the earth.
    private static func move(_ place: Coordinate, _ distance: Double, toward direction: Heading) -> Coordinate? {
        if distance == 0 { return place }
        let latitude = place.latitude + direction.north * distance / WGS84.longestDegree
        guard abs(latitude) < 85 else { return nil }
        let longitude = place.longitude + direction.east * distance / (WGS84.longestDegree * cos(latitude.radians))
        return Coordinate(latitude: latitude, longitude: Coordinate.wrapped(longitude: longitude))
    }
}
