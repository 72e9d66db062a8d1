import Geodesy
import Model
import Store

/// A spatial index of the geofences of one revision: which of them may contain a point or intersect a box.
package struct GeofenceSpatialIndex {
    package let revision: Int64
    /// Sorted.
    package let ids: [String]
    /// Of the geofences with these ids.
    package let boxes: [BoundingBox]
    private let index: CellIndex

    package init(_ store: PicketStore) throws(Problem) {
        revision = try store.fenceRevision()
        var ids: [String] = []
        var boxes: [BoundingBox] = []
        try store.forEachShape { id, shape in
            ids.append(id)
            boxes.append(shape.boundingBox)
        }
        self.ids = ids
        self.boxes = boxes
        index = CellIndex(boxes)
    }

    /// The ids of the geofences whose bounding boxes intersect `box`, sorted.
    package func meeting(_ box: BoundingBox) -> [String] {
        index.candidates(meeting: box).lazy.filter { boxes[$0].intersects(box) }.map { ids[$0] }
    }

    /// The ids of the geofences whose bounding boxes contain `place`, sorted.
    package func around(_ place: Coordinate) -> [String] {
        var found: [Int] = []
        index.forEachCandidate(at: place) { if boxes[$0].contains(place) { found.append($0) } }
        return found.sorted().map { ids[$0] }
    }
}
