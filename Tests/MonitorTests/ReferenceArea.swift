import Geodesy
import Geometry
import Model
import Monitor

/// One fence with reference measurements: every distance is computed by Karney's geodesic or from the polygon itself, without shortcuts.
struct ReferenceArea {
    enum Verdict {
        case inside, outside, unsure
    }

    let key: FenceKey
    let geofence: Geofence
    let radius: Double
    private let polygon: PolygonArea?

    init(_ entry: FenceSet.KeyedGeofence) throws(GEOSFailure) {
        key = entry.key
        geofence = entry.geofence
        switch entry.geofence.shape {
        case .circle(let circle): (polygon, radius) = (nil, circle.radius)
        case .polygons(let polygons):
            let area = try PolygonArea(polygons, context: GEOSContext())
            (polygon, radius) = (area, area.equivalentRadius)
        }
    }

    private var center: Coordinate {
        guard case .circle(let circle) = geofence.shape else { fatalError("a polygon has no center") }
        return circle.center
    }

    func policy(_ usual: DecisionPolicy) -> DecisionPolicy { geofence.policy.applied(to: usual) }

    // MARK: - Measurements

    /// Meters of an accuracy that count toward inside and toward outside.
    private func counted(_ accuracy: Double, _ policy: DecisionPolicy) -> (inwards: Double, outwards: Double) {
        if accuracy > policy.maxAccuracy { return (2 * accuracy, 2 * accuracy) }
        let counted = min(accuracy, policy.accuracyCap)
        return (min(counted, radius / 2), counted)
    }

    func covers(_ place: Coordinate) -> Bool {
        polygon.map { $0.covers(place) } ?? (Geodesic.distance(center, place) <= radius)
    }

    /// Meters from the boundary, negative inside.
    func distance(_ place: Coordinate) -> Double {
        polygon.map { $0.covers(place) ? -$0.distanceToBoundary(place) : $0.distanceToBoundary(place) }
            ?? (Geodesic.distance(center, place) - radius)
    }

    /// - Parameter isMean: Whether the place is a stay point, for which an exit margin of twice its accuracy is enough.
    func verdict(
        _ place: Coordinate, _ accuracy: Double, _ policy: DecisionPolicy, isFirst: Bool, isMean: Bool = false
    ) -> Verdict {
        if isFirst, accuracy <= policy.maxAccuracy { return covers(place) ? .inside : .outside }
        let (inwards, outwards) = counted(accuracy, policy)
        let margin = min(policy.exitMargin.meters(radius: radius), isMean ? 2 * accuracy : .infinity)
        guard let polygon else {
            let distance = Geodesic.distance(center, place)
            return distance <= radius - inwards ? .inside : distance > radius + outwards + margin ? .outside : .unsure
        }
        let distance = polygon.distanceToBoundary(place)
        if polygon.covers(place) { return distance >= inwards ? .inside : .unsure }
        return distance > outwards + margin || outwards + margin == 0 ? .outside : .unsure
    }

    // MARK: - Straight paths

    /// The distance from the center in meters as a function of the fraction of a path that is straight in the plane around the center.
    private func distances(_ from: Coordinate, _ to: Coordinate) -> (Double) -> Double {
        let a = Geodesic.plane(around: center, from)
        let b = Geodesic.plane(around: center, to)
        return { share in
            let x = a.x + (b.x - a.x) * share
            let y = a.y + (b.y - a.y) * share
            return (x * x + y * y).squareRoot()
        }
    }

    /// The fraction at which a condition changes that holds at `low` and not at `high`, found by bisection.
    private func border(_ low: Double, _ high: Double, _ holds: (Double) -> Bool) -> Double {
        var (low, high) = (low, high)
        for _ in 0..<60 {
            let middle = (low + high) / 2
            if holds(middle) { low = middle } else { high = middle }
        }
        return (low + high) / 2
    }

    /// When the straight path between two fixes crosses the boundary, if they lie on different sides.
    func crossing(_ from: Fix, _ to: Fix) -> Instant? {
        let wasInside = covers(from.coordinate)
        guard wasInside != covers(to.coordinate) else { return nil }
        let share: Double?
        if let polygon {
            let shares = polygon.crossings(from: from.coordinate, to: to.coordinate)
            share = wasInside ? shares.first : shares.last
        } else {
            let distance = distances(from.coordinate, to.coordinate)
            share = border(0, 1) { (distance($0) <= radius) == wasInside }
        }
        return share.map { from.time + (to.time - from.time) * $0 }
    }

    /// When a straight path enters, at least `depth` meters deep, and leaves again. A path that begins inside enters at its start, and one
    /// that ends inside leaves at its end.
    func passage(_ from: Fix, _ to: Fix, depth: Double) -> (enter: Instant, exit: Instant)? {
        passage(from, to.coordinate, at: to.time, depth: depth)
    }

    func passage(_ from: Fix, _ to: Coordinate, at end: Instant, depth: Double) -> (enter: Instant, exit: Instant)? {
        let enter: Double
        let exit: Double
        if let polygon {
            guard let way = polygon.passThrough(from: from.coordinate, to: to, depth: depth) else { return nil }
            (enter, exit) = (way.enter, way.exit)
        } else {
            let distance = distances(from.coordinate, to)
            // The distance has a single minimum.
            var (low, high) = (0.0, 1.0)
            for _ in 0..<200 {
                let (first, second) = (low + (high - low) / 3, high - (high - low) / 3)
                if distance(first) < distance(second) { high = second } else { low = first }
            }
            let nearest = (low + high) / 2
            guard distance(nearest) <= radius - depth else { return nil }
            enter = covers(from.coordinate) ? 0 : border(0, nearest) { distance($0) > radius }
            exit = covers(to) ? 1 : border(nearest, 1) { distance($0) <= radius }
        }
        let gap = end - from.time
        return (from.time + gap * enter, from.time + gap * exit)
    }
}
