import Geodesy

extension PolygonArea {
    /// The maximum number of pairs of chains that `isCheckable(_:)` compares. GEOS needs about half a second for this many.
    private static let maximumChainPairs = 10_000_000

    /// A part of a ring whose longitudes and latitudes each change in one direction only, as a range of longitudes.
    private struct Chain {
        var west: Double
        var east: Double
    }

    /// Whether the polygons are simple enough to be checked. GEOS compares each pair of monotone chains of edges whose ranges
    /// overlap, so an outline that goes back and forth takes a time that grows with the square of its corners. A coast of 300,000
    /// corners is simple enough.
    ///
    /// - Complexity: O(corners + chains × log chains + pairs that are compared), about 0.1 s at most.
    static func isCheckable(_ polygons: [Polygon]) -> Bool {
        var chains = polygons.flatMap(\.rings).flatMap(chains)
        chains.sort { $0.west < $1.west }
        var pairs = 0
        for index in chains.indices {
            var next = index + 1
            while next < chains.count, chains[next].west <= chains[index].east {
                next += 1
                pairs += 1
            }
            if pairs > maximumChainPairs { return false }
        }
        return true
    }

    private static func chains(of ring: [Coordinate]) -> [Chain] {
        var chains: [Chain] = []
        var directions: (longitude: Bool, latitude: Bool)?
        for index in ring.indices {
            let (a, b) = (ring[index], ring[index + 1 < ring.count ? index + 1 : 0])
            let (west, east) = (min(a.longitude, b.longitude), max(a.longitude, b.longitude))
            let now = (longitude: b.longitude >= a.longitude, latitude: b.latitude >= a.latitude)
            if let before = directions, before == now {
                chains[chains.count - 1].west = min(chains[chains.count - 1].west, west)
                chains[chains.count - 1].east = max(chains[chains.count - 1].east, east)
            } else {
                chains.append(Chain(west: west, east: east))
                directions = now
            }
        }
        return chains
    }
}
