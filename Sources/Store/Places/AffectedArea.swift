import Geodesy
import Monitor

/// The area that a change of geofences affects: a device is affected if its newest fix or its stay point may lie in the area.
package struct AffectedArea: Sendable {
    private let boxes: [BoundingBox]
    private let margin: Double

    /// - Parameters:
    ///   - boxes: The bounding boxes of the changed geofences.
    ///   - margin: The widest exit margin of the store's policy and of the geofences' policies, in meters.
    package init(_ boxes: [BoundingBox], margin: Double) {
        self.boxes = boxes
        self.margin = margin
    }

    var isEmpty: Bool { boxes.isEmpty }

    /// Whether a position may lie in the area.
    ///
    /// - Parameter accuracy: The accuracy of the position in meters.
    func mayContain(_ place: Coordinate, accuracy: Double) -> Bool {
        // The accuracy counts twice, as in the evaluation of a coarse fix.
        let reach = 2 * max(0, accuracy) + margin
        // A degree of latitude is never shorter than 110 km.
        let degrees = reach / 110_000
        guard boxes.contains(where: { $0.south - degrees <= place.latitude && place.latitude <= $0.north + degrees })
        else { return false }
        let around = BoundingBox(around: place, radius: reach)
        return boxes.contains { $0.intersects(around) }
    }

    /// Whether the newest fix of a device or the place where it stays may lie in the area.
    package func mayContainDevice(_ state: DeviceState) -> Bool {
        if let newest = state.newest, mayContain(newest.coordinate, accuracy: newest.accuracy ?? 0) { return true }
        return state.settledStay.map { mayContain($0.place, accuracy: $0.accuracy) } ?? false
    }
}
