import Geodesy

/// The true path of a device among some geofences.
struct Journey: Sendable {
    /// How a journey was made: simulated on foot, simulated by car, recorded by a real receiver, or simulated for days of stays and trips.
    enum Kind: String, CaseIterable, Sendable {
        case walker, driver, recorded, resident
    }

    var kind: Kind
    var plane: Plane
    var areas: [Area]
    /// The position at each second since the start. Between two seconds the device moves in a straight line.
    var path: [Point]

    /// The last second of the journey.
    var end: Double { Double(path.count - 1) }
}

/// A stay of a device in an area, as it truly happened.
struct TrueVisit: Sendable {
    /// Seconds from the start of the journey to the enter.
    var enter: Double
    /// Seconds from the start of the journey to the exit, or to the end of the journey if the device was still inside then.
    var exit: Double
    /// Whether the device entered during the journey; false if it was inside at the start.
    var hasEnter: Bool
    /// Whether the device left during the journey; false if it was inside at the end.
    var hasExit: Bool
    /// The maximum distance in meters from a position inside the area to the boundary, of the positions at whole seconds.
    var deepest: Double
}

extension Journey {
    /// The true visits to an area in order of time, computed from the position at each second. A visit or absence shorter than a second can
    /// be missed.
    func visits(to area: Area) -> [TrueVisit] {
        var visits: [TrueVisit] = []
        var isInside = false
        var before = (second: 0, depth: 0.0)
        var second = 0
        while second < path.count {
            let depth = area.depth(of: path[second])
            if (depth >= 0) != isInside {
                // The moment between two seconds at which the depth is zero, by linear interpolation.
                let moment =
                    second == 0
                    ? 0 : Double(before.second) + Double(second - before.second) * before.depth / (before.depth - depth)
                if isInside {
                    visits[visits.count - 1].exit = moment
                    visits[visits.count - 1].hasExit = true
                } else {
                    visits.append(TrueVisit(enter: moment, exit: end, hasEnter: second > 0, hasExit: false, deepest: depth))
                }
                isInside.toggle()
            }
            if isInside { visits[visits.count - 1].deepest = max(visits[visits.count - 1].deepest, depth) }
            before = (second, depth)
            // At the highest speed the device needs at least this long to reach the boundary, so no second next to a crossing is skipped.
            second += max(1, Int(-depth / Journey.highestSpeed) - 1)
        }
        return visits
    }

    /// The highest speed of all journeys in meters per second.
    static let highestSpeed = 60.0
}
