import Geodesy
import Model

/// The geofences that an engine judges by, laid out for speed; only active ones are in it.
///
/// What every fix looks at lies in flat arrays, by position; what only some fences have, or only a transition needs, lies apart.
/// Any number of engines may read it at a time; whoever changes it has to be alone with it.
public final class FenceSet: @unchecked Sendable {
    /// A fence with its number.
    public struct Entry: Sendable {
        public var key: FenceKey
        public var geofence: Geofence

        public init(key: FenceKey, geofence: Geofence) {
            self.key = key
            self.geofence = geofence
        }
    }

    /// What every judgement of a fence needs: one line of the processor's cache.
    struct Place: Sendable {
        /// Of its circle, or of a circle around its polygons.
        var center: EarthVector
        /// Metres over ground.
        var radius: Double
        var id: FenceID
        var key: FenceKey
        /// Where its traits are in `traits`; −1 for none.
        var traits: Int32
        private let rest: UInt64 = 0
    }

    /// The revision of the store's fences.
    public var revision: Int64
    /// By position. A fence that is gone leaves its position to the next new one.
    let places = FlatArray<Place>()
    let centers = FlatArray<Coordinate>()
    /// The ids that are too long for `Place.id`.
    private var longIDs: [FenceKey: String] = [:]
    private let names = FlatArray<String>()
    /// Fences that have more than a circle, an id and a name, as they were given; most have nothing else.
    private let traits = FlatArray<Geofence?>()
    private var freeTraits: [Int32] = []
    /// Where each fence stands, by the value of its key; −1 for none.
    private let positions = FlatArray<Int32>()
    private var freePositions: [Int32] = []
    let index = BallIndex()
    /// Whether any fence tells dwells.
    var hasDwells: Bool { dwellCount > 0 }
    @exclusivity(unchecked) private var dwellCount = 0
    @exclusivity(unchecked) private var policyCount = 0
    @exclusivity(unchecked) private var areaCount = 0
    /// No fence's own exit margin is wider, in metres. It only grows.
    @exclusivity(unchecked) private(set) var widestMargin = 0.0
    /// No fence's own policy believes in less speed, in metres a second. It only shrinks.
    @exclusivity(unchecked) private(set) var leastSpeed = Double.infinity
    /// No fence's own policy takes more time between two fixes for a way through it, in seconds. It only grows.
    @exclusivity(unchecked) private(set) var longestCrossing = 0.0
    /// Which set this is: another number after each change, and for each set.
    @exclusivity(unchecked) private(set) var stamp = UInt64.random(in: 1 ... .max)

    /// - Complexity: O(n) in the number of fences.
    public init(revision: Int64, _ fences: some Collection<Entry>) {
        self.revision = revision
        var newcomers: [Newcomer] = []
        newcomers.reserveCapacity(fences.count)
        var most: Int32 = -1
        for entry in fences {
            guard let newcomer = newcomer(entry) else { continue }
            newcomers.append(newcomer)
            most = max(most, entry.key.value)
        }
        positions.append(-1, count: Int(most) + 1)
        places.reserve(newcomers.count)
        centers.reserve(newcomers.count)
        names.reserve(newcomers.count)
        index.reserve(newcomers.count)
        for index in Self.byNeighbourhood(newcomers) { insert(newcomers[index]) }
        index.compact()
    }

    /// Where fences are in an array, those that lie near to each other one after the other: so do they then in memory, and what one
    /// has brought into the processor's cache serves the next.
    private static func byNeighbourhood(_ fences: [Newcomer]) -> [Int] {
        var starts = [Int](repeating: 0, count: 1 << 16 + 1)
        for fence in fences { starts[neighbourhood(fence.center) + 1] += 1 }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        var order = [Int](repeating: 0, count: fences.count)
        for index in fences.indices {
            let neighbourhood = neighbourhood(fences[index].center)
            order[starts[neighbourhood]] = index
            starts[neighbourhood] += 1
        }
        return order
    }

    /// A number of 16 bits that the fences within a few kilometres share, and few others.
    private static func neighbourhood(_ place: Coordinate) -> Int {
        guard place.isValid else { return 0 }
        let square = Int64(place.latitude * 25) * 10_007 + Int64(place.longitude * 25)
        return Int(truncatingIfNeeded: (UInt64(bitPattern: square) &* 0x9E37_79B9_7F4A_7C15) >> 48)
    }

    /// The number of active fences.
    public var count: Int { places.count - freePositions.count }

    /// Bytes that the fences take here, without their ids and names; polygons and whatever else only some have come on top.
    public var bytes: Int {
        index.bytes + places.bytes - places.count * MemoryLayout<FenceID>.size + centers.bytes + positions.bytes
    }

    // MARK: - Changing

    /// Adds a fence, or puts it in the place of the one with that key. One that is not active is taken out.
    ///
    /// - Complexity: O(1) in the number of fences.
    public func put(_ entry: Entry) {
        remove(entry.key)
        if let newcomer = newcomer(entry) { insert(newcomer) }
        stamp &+= 1
    }

    /// Takes a fence out, if it is there.
    ///
    /// - Complexity: O(1) in the number of fences.
    public func remove(_ key: FenceKey) {
        guard let position = position(of: key) else { return }
        let place = places[position]
        index.remove(position, place.center, radius: Self.reach(place.radius))
        if let number = traitNumber(position) {
            if let geofence = traits[number] { count(geofence, -1) }
            traits[number] = nil
            freeTraits.append(Int32(number))
        }
        positions[Int(key.value)] = -1
        freePositions.append(Int32(position))
        longIDs[key] = nil
        names[position] = ""
        stamp &+= 1
    }

    /// A fence as it will be laid out, wherever that is.
    private struct Newcomer {
        var place: Place
        var center: Coordinate
        var name: String
    }

    /// What is kept of a fence in one place; what only some have is kept already. Nil if it is not active.
    private func newcomer(_ entry: Entry) -> Newcomer? {
        let geofence = entry.geofence
        guard geofence.isActive else { return nil }
        let circle = Circle(holding: geofence.shape)
        let place = Place(
            center: EarthVector(circle.center), radius: circle.radius, id: FenceID(geofence.id), key: entry.key,
            traits: makeTraits(of: geofence))
        if place.id.isCut { longIDs[entry.key] = geofence.id }
        return Newcomer(place: place, center: circle.center, name: geofence.name)
    }

    private func insert(_ fence: Newcomer) {
        let (place, key) = (fence.place, fence.place.key)
        let position: Int
        if let free = freePositions.popLast() {
            position = Int(free)
            places[position] = place
            centers[position] = fence.center
            names[position] = fence.name
        } else {
            position = places.count
            places.append(place)
            centers.append(fence.center)
            names.append(fence.name)
        }
        positions.append(-1, count: Int(key.value) + 1 - positions.count)
        positions[Int(key.value)] = Int32(position)
        index.insert(position, place.center, radius: Self.reach(place.radius))
    }

    private func makeTraits(of geofence: Geofence) -> Int32 {
        if case .circle(let circle) = geofence.shape,
            geofence == Geofence(id: geofence.id, name: geofence.name, shape: .circle(circle))
        {
            return -1
        }
        count(geofence, 1)
        if !geofence.policy.isEmpty {
            let alone = geofence.policy.applied(to: .exact)
            widestMargin = max(widestMargin, alone.exitMargin.most)
            leastSpeed = min(leastSpeed, alone.maxSpeed)
            longestCrossing = max(longestCrossing, alone.crossing)
        }
        if let free = freeTraits.popLast() {
            traits[Int(free)] = geofence
            return free
        }
        traits.append(geofence)
        return Int32(traits.count - 1)
    }

    /// Counts what some fences have, when one comes or goes.
    private func count(_ geofence: Geofence, _ difference: Int) {
        if geofence.dwell != nil { dwellCount += difference }
        if !geofence.policy.isEmpty { policyCount += difference }
        if case .polygons = geofence.shape { areaCount += difference }
    }

    /// The chord beyond which a place is surely outside of a circle.
    static func reach(_ radius: Double) -> Double { EarthVector.surelyBeyond(length: radius) }

    // MARK: - Asking

    /// Where a fence stands; −1 when it is not among the active ones.
    func place(of key: FenceKey) -> Int32 {
        key.value >= 0 && Int(key.value) < positions.count ? positions[Int(key.value)] : -1
    }

    /// Where a fence stands; nil when it is not among the active ones.
    func position(of key: FenceKey) -> Int? {
        let place = place(of: key)
        return place < 0 ? nil : Int(place)
    }

    private func traitNumber(_ position: Int) -> Int? {
        let number = places[position].traits
        return number < 0 ? nil : Int(number)
    }

    /// The fence as it was given, if it has more than a circle, an id and a name.
    func traits(_ position: Int) -> Geofence? { traitNumber(position).flatMap { traits[$0] } }

    func polygons(_ position: Int) -> [Polygon]? {
        guard let number = traitNumber(position), case .polygons(let polygons)? = traits[number]?.shape else { return nil }
        return polygons
    }

    /// Whether a fence is no more than a circle for everyone, judged by the device's policy.
    func isPlain(_ position: Int) -> Bool { places[position].traits < 0 }

    func dwell(_ position: Int) -> Double? { dwellCount == 0 ? nil : traits(position)?.dwell }

    /// Whether any fence is drawn in polygons.
    var hasAreas: Bool { areaCount > 0 }

    /// Whether any fence decides by a policy of its own.
    var hasPolicies: Bool { policyCount > 0 }

    /// The active geofence of that number.
    public func geofence(_ key: FenceKey) -> Geofence? {
        guard let position = position(of: key) else { return nil }
        if let geofence = traits(position) { return geofence }
        return Geofence(
            id: id(at: position), name: names[position],
            shape: .circle(Circle(center: centers[position], radius: places[position].radius)))
    }

    private func id(at position: Int) -> String { longIDs[places[position].key] ?? places[position].id.text }

    /// The first bytes of the id of an active geofence; of others nothing.
    func shortID(_ key: FenceKey) -> FenceID {
        let place = place(of: key)
        return place < 0 ? FenceID("") : places[Int(place)].id
    }

    /// Whether one active fence comes before another whose id begins alike.
    func precedes(_ a: FenceKey, _ b: FenceKey) -> Bool {
        guard let first = position(of: a), let second = position(of: b), places[first].id.isCut else { return a < b }
        return id(at: first) < id(at: second)
    }

    /// The fences that are for some groups of devices only.
    public var keysForGroups: Set<FenceKey> {
        var found: Set<FenceKey> = []
        for position in places.indices where self.position(of: places[position].key) == position {
            if let geofence = traits(position), !geofence.groups.isEmpty { found.insert(places[position].key) }
        }
        return found
    }

    /// The number of an active geofence by its id.
    ///
    /// - Complexity: O(n).
    func key(ofID id: String) -> FenceKey? {
        let wanted = FenceID(id)
        for position in places.indices where places[position].id == wanted && self.position(of: places[position].key) == position
        {
            if self.id(at: position) == id { return places[position].key }
        }
        return nil
    }
}

extension Circle {
    /// A circle that holds the shape: the circle itself, or one around the polygons' box.
    init(holding shape: Shape) {
        switch shape {
        case .circle(let circle): self = circle
        case .polygons: self.init(around: shape.boundingBox)
        }
    }

    /// A circle that holds every place of a box, around its middle: some way along the box's longest sides surely leads there.
    init(around box: BoundingBox) {
        let middle = Coordinate(
            latitude: (box.south + box.north) / 2, longitude: Coordinate.wrapped(longitude: (box.west + box.east) / 2))
        let widest = box.south <= 0 && box.north >= 0 ? 1 : max(cos(box.south.radians), cos(box.north.radians))
        let height = (box.north - box.south) / 2 * WGS84.longestDegree
        let width = (box.east - box.west) / 2 * WGS84.longestDegree * widest
        self.init(center: middle, radius: min((height * height + width * width).squareRoot() + 0.001, WGS84.halfWayRound))
    }
}
