import Core
import Geodesy
import Model
import Store

extension Doctor {
    /// A geofence is new for this many seconds after the first position that came after its last edit.
    private static let newGeofenceAge = 7 * 86_400.0

    /// Finds active geofences that no device has met: without an event, and without a stored position within a kilometer.
    func checkGeofences(_ queries: Queries) throws(Problem) -> [DoctorFinding] {
        let candidates = try queries.store.geofencesWithoutEvents().filter { candidate in
            candidate.firstFix.map { now - $0 > Self.newGeofenceAge } ?? false
        }
        if candidates.isEmpty { return [] }
        var places = UnmetPlaces(candidates.map(\.geofence.shape.boundingBox))
        try queries.store.forEachPlace { place in
            places.meet(place)
            return !places.isEmpty
        }
        return places.unmet.sorted().map {
            .neverMet(geofence: candidates[$0].geofence.id, name: candidates[$0].geofence.name)
        }
    }
}

/// Boxes, by which positions are compared with all of them at once.
struct UnmetPlaces {
    /// The indexes of the boxes that no position has been near to.
    private(set) var unmet: Set<Int> = []
    private var boxes: [BoundingBox] = []
    /// The boxes by the cells of a grid that they lie in.
    private var grid: [Cell: [Int]] = [:]

    /// A cell of a tenth of a degree.
    private struct Cell: Hashable {
        var row: Int
        var column: Int

        init(row: Int, column: Int) {
            self.row = row
            self.column = ((column % 3600) + 3600) % 3600
        }

        init(_ place: Coordinate) {
            self.init(row: Int((place.latitude * 10).rounded(.down)), column: Int((place.longitude * 10).rounded(.down)))
        }
    }

    /// Boxes in more cells than this count as met: they are very large, so a position near them means little.
    private static let mostCells = 10_000
    /// A position within this many meters is near.
    private static let margin = 1000.0

    init(_ places: [BoundingBox]) {
        for (index, box) in places.enumerated() {
            let corners = [box.south, box.north].flatMap { latitude in
                [box.west, box.east].map {
                    BoundingBox(around: Coordinate(latitude: latitude, longitude: $0), radius: Self.margin)
                }
            }
            let wide = BoundingBox(joining: [box] + corners)
            boxes.append(wide)
            let rows = Int((wide.south * 10).rounded(.down))...Int((wide.north * 10).rounded(.down))
            let columns = Int((wide.west * 10).rounded(.down))...Int((wide.east * 10).rounded(.down))
            if rows.count * columns.count > Self.mostCells { continue }
            unmet.insert(index)
            for row in rows { for column in columns { grid[Cell(row: row, column: column), default: []].append(index) } }
        }
    }

    var isEmpty: Bool { unmet.isEmpty }

    /// Marks the boxes that a position is near to.
    mutating func meet(_ place: Coordinate) {
        guard let near = grid[Cell(place)] else { return }
        for index in near where unmet.contains(index) && boxes[index].contains(place) { unmet.remove(index) }
    }
}
