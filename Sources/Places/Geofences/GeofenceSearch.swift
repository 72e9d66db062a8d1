import Core
import Geodesy
import Geometry
import Model
import Store

extension GeofenceSpatialIndex {
    /// The places of all geofences.
    fileprivate var surroundings: GeofenceSurroundings { GeofenceSurroundings(ids: ids, boxes: boxes) }
}

extension Queries {
    /// A filter for geofences. Nil values match every geofence.
    package struct GeofenceFilter: Sendable {
        /// A part of the id or of the name.
        package var matching: String?
        /// A group that the geofence is for.
        package var group: String?
        /// A point that the geofence covers.
        package var containing: Coordinate?
        /// A box that the geofence's bounding box intersects.
        package var box: BoundingBox?

        package init() {}
    }

    /// At most `limit` geofences after an id, sorted by id. Inactive geofences are included.
    ///
    /// - Complexity: With a point or a box, O(k) for k geofences near it, otherwise O(n) for n geofences that are skipped or returned. The
    ///   first call with a point or a box after a change of the geofences reads all shapes.
    package func geofences(
        _ filter: GeofenceFilter = .init(), after id: String? = nil, limit: Int
    ) throws(Problem) -> Page<Geofence> {
        let rows = PicketStore.GeofenceFilter(matching: filter.matching, group: filter.group)
        return try store.snapshot { () throws(Problem) in
            var found: [Geofence] = []
            if let candidates = try candidates(filter) {
                for candidate in candidates where id.map({ candidate > $0 }) ?? true {
                    guard let geofence = visible(try store.geofence(id: candidate, rows)) else { continue }
                    if let place = filter.containing, try !covers(geofence, place) { continue }
                    found.append(geofence)
                    if found.count > limit { break }
                }
            } else {
                found = try visibleGeofences(rows, after: id, limit: limit + 1)
            }
            return Page(found, limit: limit, place: \.id)
        }
    }

    /// The ids of the geofences that may match the filter's point and box, sorted; nil if the filter has neither.
    private func candidates(_ filter: GeofenceFilter) throws(Problem) -> [String]? {
        switch (filter.containing, filter.box) {
        case (nil, nil): return nil
        case (let place?, nil): return try spatialIndex().around(place)
        case (nil, let box?): return try spatialIndex().meeting(box)
        case (let place?, let box?):
            let meeting = Set(try spatialIndex().meeting(box))
            return try spatialIndex().around(place).filter(meeting.contains)
        }
    }

    /// The places of all geofences, for notes on an import.
    ///
    /// - Complexity: O(n) in the number of geofences. The first call after a change of the geofences reads all shapes.
    func geofenceSurroundings() throws(Problem) -> GeofenceSurroundings { try spatialIndex().surroundings }

    private func spatialIndex() throws(Problem) -> GeofenceSpatialIndex {
        if let geofencePlaces, try geofencePlaces.revision == store.fenceRevision() { return geofencePlaces }
        let places = try GeofenceSpatialIndex(store)
        geofencePlaces = places
        return places
    }

    /// Whether a geofence covers a point. The boundary belongs to the geofence.
    private func covers(_ geofence: Geofence, _ place: Coordinate) throws(Problem) -> Bool {
        switch geofence.shape {
        case .circle(let circle):
            return CircleDecider(context: geometry).isWithin(circle.radius, center: circle.center, place)
        case .polygons(let polygons):
            do throws(GEOSFailure) {
                return try PolygonArea(polygons, context: geometry).covers(place)
            } catch {
                throw .storeCorrupt(path: directory.storePath, details: "geofence \(geofence.id): \(error.message)")
            }
        }
    }

    /// A geofence as the client may see it; nil if it may not.
    func visible(_ geofence: Geofence?) -> Geofence? {
        guard let visibility = store.visibility else { return geofence }
        return geofence.flatMap(visibility.visible)
    }

    /// The first geofences after an id, as the client may see them.
    private func visibleGeofences(
        _ filter: PicketStore.GeofenceFilter, after id: String?, limit: Int
    ) throws(Problem) -> [Geofence] {
        guard isRestricted else { return try store.geofences(filter, after: id, limit: limit) }
        var found: [Geofence] = []
        var place = id
        while found.count < limit {
            let part = try store.geofences(filter, after: place, limit: 1000)
            found += part.compactMap { visible($0) }
            guard part.count == 1000 else { break }
            place = part.last?.id
        }
        return Array(found.prefix(limit))
    }
}
