import Geodesy
import Geometry
import Model

/// Two geofences that share a place.
public struct GeofenceOverlap: Sendable {
    public var a: String
    public var b: String
    public var overlap: Overlap

    public var json: JSONValue {
        [
            "a": .string(a), "b": .string(b), "relation": .string(overlap.relation.rawValue),
            "sharedArea": JSONValue((overlap.sharedArea * 100).rounded() / 100),
            "shareOfA": JSONValue((overlap.shareOfA * 1e6).rounded() / 1e6),
            "shareOfB": JSONValue((overlap.shareOfB * 1e6).rounded() / 1e6),
        ]
    }
}

extension GeofenceService {
    /// Calls `body` with each pair of active geofences that touch or share a place, by id; `a` comes before `b`.
    ///
    /// - Parameters:
    ///   - id: Only pairs with this geofence, which is then `a`.
    ///   - limit: Stops after so many pairs.
    ///   - progress: Geofences done, of how many.
    public func forEachOverlap(
        of id: String? = nil, limit: Int = .max, progress: (Int, Int) -> Void = { _, _ in },
        _ body: (GeofenceOverlap) throws(Problem) -> Void
    ) throws(Problem) {
        var fences: [Geofence] = []
        try forEachGeofence { if $0.isActive || $0.id == id { fences.append($0) } }
        if let id { _ = try geofence(id: id) }
        let boxes = fences.map(\.shape.boundingBox)
        let index = CellIndex(boxes)
        let finder = OverlapFinder(context: geometry)
        var count = 0
        for (number, fence) in fences.enumerated() where id == nil || fence.id == id {
            for other in index.candidates(meeting: boxes[number]) where id == nil ? other > number : other != number {
                guard boxes[number].intersects(boxes[other]) else { continue }
                let overlap: Overlap
                do {
                    overlap = try finder.overlap(fence.shape, fences[other].shape)
                } catch {
                    throw .unknown(details: "\(fence.id), \(fences[other].id): \(error.message)")
                }
                if overlap.relation == .disjoint { continue }
                try body(GeofenceOverlap(a: fence.id, b: fences[other].id, overlap: overlap))
                count += 1
                if count >= limit { return }
            }
            progress(number + 1, fences.count)
        }
    }
}
