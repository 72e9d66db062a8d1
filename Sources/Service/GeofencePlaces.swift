import Geodesy
import Geometry
import Model
import Store

/// Where the geofences of one revision lie: which of them may hold a place or meet a box, without a look at the others.
struct GeofencePlaces {
    let revision: Int64
    /// Ascending.
    private let ids: [String]
    private let boxes: [BoundingBox]
    private let index: CellIndex

    init(_ store: RegionStore) throws(Problem) {
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

    /// The ids of the geofences whose boxes meet `box`, ascending.
    func meeting(_ box: BoundingBox) -> [String] {
        index.candidates(meeting: box).lazy.filter { boxes[$0].intersects(box) }.map { ids[$0] }
    }

    /// The ids of the geofences whose boxes hold `place`, ascending.
    func around(_ place: Coordinate) -> [String] {
        var found: [Int] = []
        index.forEachCandidate(at: place) { if boxes[$0].contains(place) { found.append($0) } }
        return found.sorted().map { ids[$0] }
    }
}

extension Queries {
    /// Which geofences are wanted; nil means any.
    public struct GeofenceFilter: Sendable {
        /// A part of the id or the name.
        public var matching: String?
        /// One of the groups that it is for.
        public var group: String?
        /// A place that it covers.
        public var containing: Coordinate?
        /// A box that its own box meets.
        public var box: BoundingBox?

        public init() {}
    }

    /// The first geofences by id after one, active or not.
    ///
    /// - Complexity: With a place or a box, O(geofences there); else O(geofences passed over). The first such question after the
    ///   geofences changed reads where all of them lie.
    public func geofences(
        _ filter: GeofenceFilter = .init(), after id: String? = nil, limit: Int
    ) throws(Problem) -> Page<Geofence> {
        let rows = RegionStore.GeofenceFilter(matching: filter.matching, group: filter.group)
        return try store.snapshot { () throws(Problem) in
            var found: [Geofence] = []
            if let candidates = try candidates(filter) {
                for candidate in candidates where id.map({ candidate > $0 }) ?? true {
                    guard let geofence = try store.geofence(id: candidate, rows) else { continue }
                    if let place = filter.containing, try !covers(geofence, place) { continue }
                    found.append(geofence)
                    if found.count > limit { break }
                }
            } else {
                found = try store.geofences(rows, after: id, limit: limit + 1)
            }
            return Page(found, limit: limit, place: \.id)
        }
    }

    /// The ids of the geofences that may lie where the filter asks, ascending; nil when it does not ask.
    private func candidates(_ filter: GeofenceFilter) throws(Problem) -> [String]? {
        switch (filter.containing, filter.box) {
        case (nil, nil): return nil
        case (let place?, nil): return try places().around(place)
        case (nil, let box?): return try places().meeting(box)
        case (let place?, let box?):
            let meeting = Set(try places().meeting(box))
            return try places().around(place).filter(meeting.contains)
        }
    }

    private func places() throws(Problem) -> GeofencePlaces {
        if let geofencePlaces, try geofencePlaces.revision == store.fenceRevision() { return geofencePlaces }
        let places = try GeofencePlaces(store)
        geofencePlaces = places
        return places
    }

    /// Whether a geofence covers a place; its boundary counts.
    private func covers(_ geofence: Geofence, _ place: Coordinate) throws(Problem) -> Bool {
        switch geofence.shape {
        case .circle(let circle):
            return CircleDecider(context: geometry).isWithin(circle.radius, center: circle.center, place)
        case .polygons(let polygons):
            do throws(GEOSFailure) {
                return try PolygonArea(polygons, context: geometry).covers(place)
            } catch {
                throw .storeCorrupt(path: directory.store, details: "geofence \(geofence.id): \(error.message)")
            }
        }
    }
}
