import Geodesy

#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

extension Circle {
    /// A circle that contains the polygons, and that the operating system watches instead of them. The circle is a few percent larger than
    /// the smallest enclosing circle, and its radius is in whole meters. The radius is infinite if there are no polygons or if they reach
    /// around the earth.
    ///
    /// Edges are straight lines in longitude and latitude, so they deviate from the shortest path between their ends. The edges are sampled
    /// every 0.05°. Between two samples, an edge deviates at most 0.5 m from the shortest path (half a step squared times the curvature of
    /// a parallel, with its maximum at 45°). One meter is added to the radius for that.
    public init(enclosing polygons: [Polygon]) {
        let places = polygons.flatMap { Circle.outline($0.exterior) }
        var low = SIMD3<Double>(repeating: .infinity)
        var high = SIMD3<Double>(repeating: -.infinity)
        let vectors = places.map(EarthVector.init)
        for vector in vectors {
            let point = SIMD3(vector.x, vector.y, vector.z)
            low = low.replacing(with: point, where: point .< low)
            high = high.replacing(with: point, where: point .> high)
        }
        let middle = (low + high) / 2
        let fromAxis = (middle.x * middle.x + middle.y * middle.y).squareRoot()
        guard !places.isEmpty, fromAxis.isFinite, fromAxis + abs(middle.z) > 1000 else {
            self.init(center: places.first ?? Coordinate(latitude: 0, longitude: 0), radius: .infinity)
            return
        }
        let center = Coordinate(
            latitude: atan2(middle.z, fromAxis * (1 - WGS84.eccentricitySquared)).degrees,
            longitude: atan2(middle.y, middle.x).degrees)
        let origin = EarthVector(center)
        let furthest = vectors.map { $0.chordSquared(to: origin) }.max() ?? .infinity
        self.init(center: center, radius: (EarthVector.longestGeodesic(chord: furthest.squareRoot()) + 1).rounded(.up))
    }

    /// The corners of a ring and points along its edges.
    private static func outline(_ ring: [Coordinate]) -> [Coordinate] {
        var places: [Coordinate] = []
        for (index, from) in ring.enumerated() {
            let to = ring[(index + 1) % ring.count]
            let steps = (max(abs(to.latitude - from.latitude), abs(to.longitude - from.longitude)) / 0.05).rounded(.up)
            guard steps.isFinite, steps <= 100_000 else { continue }
            places.append(from)
            for step in 1..<max(1, Int(steps)) {
                let share = Double(step) / steps
                places.append(
                    Coordinate(
                        latitude: from.latitude + (to.latitude - from.latitude) * share,
                        longitude: from.longitude + (to.longitude - from.longitude) * share))
            }
        }
        return places
    }
}
