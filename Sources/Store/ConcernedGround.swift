import Geodesy
import Monitor

/// Where the newest fix of a device may lie for a change of some geofences to concern it.
package struct ConcernedGround: Sendable {
    private let boxes: [BoundingBox]
    private let margin: Double

    /// - Parameters:
    ///   - boxes: Around the geofences.
    ///   - margin: The widest exit margin of the store's and the geofences' policies, in meters.
    package init(_ boxes: [BoundingBox], margin: Double) {
        self.boxes = boxes
        self.margin = margin
    }

    var isEmpty: Bool { boxes.isEmpty }

    /// - Parameter accuracy: In meters.
    func mayHold(_ place: Coordinate, accuracy: Double) -> Bool {
        // Twice, as it counts of a coarse fix.
        let reach = 2 * max(0, accuracy) + margin
        // A degree of latitude is never shorter than 110 km.
        let degrees = reach / 110_000
        guard boxes.contains(where: { $0.south - degrees <= place.latitude && place.latitude <= $0.north + degrees })
        else { return false }
        let around = BoundingBox(around: place, radius: reach)
        return boxes.contains { $0.intersects(around) }
    }

    /// Whether the newest fix of a device may lie here, or the place where it stays.
    package func mayHold(_ state: DeviceState) -> Bool {
        if let newest = state.newest, mayHold(newest.coordinate, accuracy: newest.accuracy ?? 0) { return true }
        return state.settled.map { mayHold($0.place, accuracy: $0.accuracy) } ?? false
    }
}
