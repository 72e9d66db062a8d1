import Foundation
import Geodesy
import Geometry
import Model

/// The geofences of a store, with which the places of imported ones are compared.
struct GeofenceSurroundings: Sendable {
    /// An imported geofence.
    struct Place: Sendable {
        var id: String
        /// Whether the file has a name or an id for it.
        var isNamed: Bool
        var box: BoundingBox
        var center: Coordinate { box.center }
    }

    /// The maximum number of imported geofences for which each place is stated.
    static let statedPlaces = 5
    /// The maximum number of geofences without a name whose place is stated if more than `statedPlaces` are imported. Nothing
    /// else shows their ids.
    private static let statedNameless = 20
    /// A geofence is far away if the nearest other one is more than this many meters away.
    private static let farAway = 1_000_000.0
    /// Closer to the others than this, the place does not show whether latitude and longitude are swapped.
    private static let leastSwap = 200_000.0
    /// The maximum number of places whose distances to all others are determined, because that takes time.
    private static let maxExamined = 20

    /// The width in degrees from which a geofence is too large to be far away.
    private static let maxWidth = 10.0

    private var ids: [String] = []
    private var boxes: [BoundingBox] = []

    init(ids: [String], boxes: [BoundingBox]) {
        self.ids = ids
        self.boxes = boxes
    }

    /// Where imported geofences are, and which of them are unusually far from all others of the file and of the store.
    ///
    /// - Complexity: O(n) in the number of geofences of both.
    func notes(on imported: [Place]) -> [GeofenceNote] {
        if imported.isEmpty { return [] }
        var notes: [GeofenceNote] = []
        if imported.count > Self.statedPlaces { notes.append(.area(Self.area(of: imported))) }
        let stated =
            imported.count <= Self.statedPlaces
            ? imported[...] : imported.filter { !$0.isNamed }.prefix(Self.statedNameless)
        for place in stated { notes.append(.place(geofenceId: place.id, place.center.rounded)) }

        let known = Set(imported.map(\.id))
        let store = PlaceGrid(zip(ids, boxes).lazy.filter { !known.contains($0.0) }.map(\.1))
        let file = PlaceGrid(imported.map(\.box))
        var swapped: [GeofenceNote] = []
        var far: [GeofenceNote] = []
        var examined = 0
        for (index, place) in imported.enumerated() where examined < Self.maxExamined {
            if max(place.box.east - place.box.west, place.box.north - place.box.south) > Self.maxWidth { continue }
            let center = place.center
            let hasNeighborInFile = file.hasNeighbor(center, except: index)
            if store.hasNeighbor(center) || (store.isEmpty && hasNeighborInFile) { continue }
            examined += 1
            let (inStore, inFile) = (store.distance(to: center), file.distance(to: center, except: index))
            let isSwapped =
                Self.isSwapped(center, inStore) { store.distance(to: $0) }
                || (!hasNeighborInFile && Self.isSwapped(center, inFile) { file.distance(to: $0, except: index) })
            if isSwapped {
                swapped.append(.swapped(geofenceId: place.id, center.rounded, distance: (inStore ?? inFile ?? 0).rounded()))
            } else if let nearest = [inStore, inFile].compactMap({ $0 }).min(), nearest > Self.farAway {
                far.append(.farAway(geofenceId: place.id, center.rounded, distance: nearest.rounded()))
            }
        }
        notes += swapped.prefix(Self.statedPlaces)
        // If many are far from each other, that is normal for these geofences.
        if far.count <= Self.statedPlaces { notes += far }
        return notes
    }

    /// Whether a place with latitude and longitude exchanged is much nearer to others.
    ///
    /// - Parameters:
    ///   - distance: The distance of the place from the others; nil if there are none.
    ///   - measure: The distance of another place from the others.
    private static func isSwapped(_ place: Coordinate, _ distance: Double?, _ measure: (Coordinate) -> Double?) -> Bool {
        let mirrored = Coordinate(latitude: place.longitude, longitude: place.latitude)
        guard let distance, distance > leastSwap, mirrored.isValid, let exchanged = measure(mirrored) else { return false }
        return exchanged * 5 < distance
    }

    /// The smallest area around all places, across the antimeridian if that is shorter.
    private static func area(of places: [Place]) -> BoundingBox {
        let longitudes = places.map(\.center.longitude).sorted()
        var west = longitudes[0]
        var gap = longitudes[0] + 360 - longitudes[longitudes.count - 1]
        for (one, next) in zip(longitudes, longitudes.dropFirst()) where next - one > gap {
            gap = next - one
            west = next
        }
        let boxes = places.map { place in
            var box = place.box
            let middle = (box.west + box.east) / 2
            let shift = ((west - middle) / 360).rounded(.up) * 360
            (box.west, box.east) = (box.west + shift, box.east + shift)
            return box
        }
        let box = BoundingBox(joining: boxes)
        func rounded(_ degrees: Double) -> Double { (degrees * 1e4).rounded() / 1e4 }
        return BoundingBox(
            south: rounded(box.south), north: rounded(box.north), west: rounded(box.west), east: rounded(box.east))
    }
}

extension Coordinate {
    /// The place with four decimals, about ten meters.
    fileprivate var rounded: Coordinate {
        Coordinate(latitude: (latitude * 1e4).rounded() / 1e4, longitude: (longitude * 1e4).rounded() / 1e4)
    }
}

/// Boxes by the cells of one degree in which their centers are.
private struct PlaceGrid {
    private let boxes: [BoundingBox]
    private var cells: [Int: [Int]] = [:]

    init(_ boxes: some Sequence<BoundingBox>) {
        self.boxes = Array(boxes)
        for (index, box) in self.boxes.enumerated() {
            cells[Self.cell(box.center, 0, 0), default: []].append(index)
        }
    }

    var isEmpty: Bool { boxes.isEmpty }

    /// Whether the center of a box is in the cell of a place or in one beside it.
    ///
    /// - Parameter number: The number of a box that does not count; nil for none.
    func hasNeighbor(_ place: Coordinate, except number: Int? = nil) -> Bool {
        for row in -1...1 {
            for column in -1...1 {
                if let found = cells[Self.cell(place, row, column)], found.contains(where: { $0 != number }) { return true }
            }
        }
        return false
    }

    /// The distance in meters to the nearest box; nil if there is none.
    ///
    /// - Parameter number: The number of a box that does not count; nil for none.
    /// - Complexity: O(n) in the number of boxes.
    func distance(to place: Coordinate, except number: Int? = nil) -> Double? {
        var nearest: (value: Double, place: Coordinate)?
        for (index, box) in boxes.enumerated() where index != number {
            let other = Self.point(of: box, nearestTo: place)
            // The haversine of the distance on a sphere, which grows with the distance.
            let south = sin((other.latitude - place.latitude).radians / 2)
            let east = sin((other.longitude - place.longitude).radians / 2)
            let value = south * south + cos(place.latitude.radians) * cos(other.latitude.radians) * east * east
            if nearest.map({ value < $0.value }) ?? true { nearest = (value, other) }
        }
        return nearest.map { Geodesic.distance(place, $0.place) }
    }

    /// The point of a box with the latitude and the longitude that are nearest to those of a place.
    private static func point(of box: BoundingBox, nearestTo place: Coordinate) -> Coordinate {
        var longitude = place.longitude
        while longitude < box.west { longitude += 360 }
        while longitude - 360 >= box.west { longitude -= 360 }
        if longitude > box.east { longitude = longitude - box.east < box.west + 360 - longitude ? box.east : box.west }
        return Coordinate(latitude: min(max(place.latitude, box.south), box.north), longitude: longitude)
    }

    private static func cell(_ place: Coordinate, _ row: Int, _ column: Int) -> Int {
        let longitude = (Int(place.longitude.rounded(.down)) + column + 720) % 360
        return (Int(place.latitude.rounded(.down)) + row) * 360 + longitude
    }
}
