import Core
import Geodesy
import Geometry
import Model
import Store

extension Queries {
    /// Calls `body` with each pair of active geofences that overlap or touch, sorted by id; `a` comes before `b`.
    ///
    /// - Parameters:
    ///   - id: Limits the pairs to those of this geofence, which is then `a`.
    ///   - limit: The maximum number of pairs.
    ///   - progress: Receives the number of completed geofences and their total number.
    package func forEachOverlap(
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
                let overlap = try overlap(fence, fences[other], finder)
                if overlap.relation == .disjoint { continue }
                try body(GeofenceOverlap(a: fence.id, b: fences[other].id, overlap: overlap))
                count += 1
                if count >= limit { return }
            }
            progress(number + 1, fences.count)
        }
    }

    /// The active geofences that a draft would overlap or touch, sorted by id. The draft is `a` of each pair.
    ///
    /// - Parameters:
    ///   - json: A geofence that need not be saved. The saved geofence with the same `id` is the one being changed, and is left out.
    ///     Without an id, `a` is `draft`.
    ///   - limit: The maximum number of pairs.
    /// - Throws: `Problem.validationFailed` if the draft could not be saved.
    /// - Complexity: O(k) for k geofences near the draft. The first call after a change of the geofences reads all shapes.
    package func overlaps(
        ofDraft json: JSONValue, _ options: GeofenceOptions, limit: Int
    ) throws(Problem) -> (pairs: [GeofenceOverlap], isComplete: Bool) {
        var fields = try JSONFields(json, of: .geofence)
        let id = fields.value("id")?.string
        let (draft, _) = try geofence(of: json, id: id ?? "draft", options)
        if let flaw = flaw(of: draft) { throw flaw }
        var filter = GeofenceFilter()
        filter.box = draft.shape.boundingBox
        let finder = OverlapFinder(context: geometry)
        var pairs: [GeofenceOverlap] = []
        for other in try geofences(filter, limit: .max - 1).items where other.isActive && other.id != id {
            let overlap = try overlap(draft, other, finder)
            if overlap.relation == .disjoint { continue }
            if pairs.count == limit { return (pairs, false) }
            pairs.append(GeofenceOverlap(a: draft.id, b: other.id, overlap: overlap, nameOfB: other.name))
        }
        return (pairs, true)
    }

    private func overlap(_ a: Geofence, _ b: Geofence, _ finder: OverlapFinder) throws(Problem) -> Overlap {
        try store.checkInterruption()
        do {
            return try finder.overlap(a.shape, b.shape)
        } catch {
            let text = "\(a.id), \(b.id): \(error.message)"
            throw .unknown(details: .verbatim(text))
        }
    }
}
