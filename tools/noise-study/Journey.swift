import Geodesy

/// A device's true way among some geofences.
struct Journey: Sendable {
    enum Kind: String, CaseIterable, Sendable {
        case walker, driver, recorded
    }

    var kind: Kind
    var plane: Plane
    var areas: [Area]
    /// Where the device is at each second, in a straight line from one to the next.
    var path: [Point]

    /// The last second.
    var end: Double { Double(path.count - 1) }
}

/// The true time of a device in an area.
struct TrueVisit: Sendable {
    /// Seconds since the start of the journey.
    var enter: Double
    var exit: Double
    /// Whether the device went in and out during the journey, or was inside at its start or its end.
    var hasEnter: Bool
    var hasExit: Bool
    /// How far from the boundary it came, in metres, by the second.
    var deepest: Double
}

extension Journey {
    /// The true visits to an area in order, from the place at each second; what is shorter than a second may go unseen.
    func visits(to area: Area) -> [TrueVisit] {
        var visits: [TrueVisit] = []
        var isInside = false
        var before = (second: 0, depth: 0.0)
        var second = 0
        while second < path.count {
            let depth = area.depth(of: path[second])
            if (depth >= 0) != isInside {
                // Where the depth between two seconds is zero.
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
            // Nobody gets to the boundary sooner: the second before it is never left out.
            second += max(1, Int(-depth / Journey.highestSpeed) - 1)
        }
        return visits
    }

    /// Metres per second.
    static let highestSpeed = 60.0
}
