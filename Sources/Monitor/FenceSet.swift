import CPrefetch
import Geodesy
import Model

/// The geofences that an engine judges by, laid out for speed; only active ones are in it.
///
/// What every fix looks at lies in flat arrays, by position; what only some fences have, or only a transition needs, lies apart.
/// It belongs to one thread, as the engines do that judge by it.
public final class FenceSet {
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
    let places = SharedBuffer<Place>()
    let centers = SharedBuffer<Coordinate>()
    /// The ids that are too long for `Place.id`.
    private var longIDs: [FenceKey: String] = [:]
    private let names = SharedBuffer<String>()
    /// Fences that have more than a circle, an id and a name, as they were given; most have nothing else.
    private let traits = SharedBuffer<Geofence?>()
    private var freeTraits: [Int32] = []
    /// Where each fence stands, by the value of its key; −1 for none.
    private let positions = SharedBuffer<Int32>()
    private var freePositions: [Int32] = []
    let index = SphereIndex()
    /// Whether any fence tells dwells.
    var hasDwells: Bool { unsafe dwellCount > 0 }
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
        var starts = [Int](repeating: 0, count: 1 << 16 + 1)
        var most: Int32 = -1
        for entry in fences where entry.geofence.isActive {
            starts[Self.neighbourhood(Circle(holding: entry.geofence.shape).center) + 1] += 1
            most = max(most, entry.key.value)
        }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        let count = starts[starts.count - 1]
        makeRoom(count)
        positions.append(-1, count: Int(most) + 1)
        index.reserve(count)
        // Those that lie near to each other lie so in memory: what one has brought into the processor's cache serves the next.
        for entry in fences where entry.geofence.isActive {
            let circle = Circle(holding: entry.geofence.shape)
            let neighbourhood = Self.neighbourhood(circle.center)
            fill(starts[neighbourhood], entry, circle)
            starts[neighbourhood] += 1
        }
        for position in 0..<count { index.insert(position, places[position].center, radius: Self.reach(places[position].radius)) }
        index.compact()
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
        if entry.geofence.isActive { insert(entry) }
        unsafe stamp &+= 1
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
        unsafe stamp &+= 1
    }

    private func insert(_ entry: Entry) {
        let position = freePositions.popLast().map(Int.init) ?? places.count
        if position == places.count { makeRoom(1) }
        fill(position, entry, Circle(holding: entry.geofence.shape))
        index.insert(position, places[position].center, radius: Self.reach(places[position].radius))
    }

    /// Makes more positions, to be filled.
    private func makeRoom(_ count: Int) {
        places.append(
            Place(center: EarthVector(x: 0, y: 0, z: 0), radius: 0, id: FenceID(""), key: FenceKey(-1), traits: -1), count: count)
        centers.append(Coordinate(latitude: 0, longitude: 0), count: count)
        names.append("", count: count)
    }

    /// Lays an active fence out at a position, but for the index.
    ///
    /// - Parameter circle: Holds its shape.
    private func fill(_ position: Int, _ entry: Entry, _ circle: Circle) {
        let (key, geofence) = (entry.key, entry.geofence)
        let id = FenceID(geofence.id)
        places[position] = Place(
            center: EarthVector(circle.center), radius: circle.radius, id: id, key: key, traits: makeTraits(of: geofence))
        centers[position] = circle.center
        names[position] = geofence.name
        if id.isCut { longIDs[key] = geofence.id }
        positions.append(-1, count: Int(key.value) + 1 - positions.count)
        positions[Int(key.value)] = Int32(position)
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
            unsafe widestMargin = unsafe max(widestMargin, alone.exitMargin.most)
            unsafe leastSpeed = unsafe min(leastSpeed, alone.maxSpeed)
            unsafe longestCrossing = unsafe max(longestCrossing, alone.crossing)
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
        if geofence.dwell != nil { unsafe dwellCount += difference }
        if !geofence.policy.isEmpty { unsafe policyCount += difference }
        if case .polygons = geofence.shape { unsafe areaCount += difference }
    }

    /// The chord beyond which a place is surely outside of a circle.
    static func reach(_ radius: Double) -> Double { EarthVector.surelyBeyond(length: radius) }

    // MARK: - Asking

    /// Where a fence stands; −1 when it is not among the active ones.
    func place(of key: FenceKey) -> Int32 {
        key.value >= 0 && Int(key.value) < positions.count ? positions[Int(key.value)] : -1
    }

    /// Requests from memory where a fence stands, without waiting for it.
    @inline(__always)
    func requestPlace(of key: FenceKey) {
        if key.value >= 0, Int(key.value) < positions.count { unsafe prefetch(positions.address(of: Int(key.value))) }
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

    func dwell(_ position: Int) -> Double? { unsafe dwellCount == 0 ? nil : traits(position)?.dwell }

    /// Whether any fence is drawn in polygons.
    var hasAreas: Bool { unsafe areaCount > 0 }

    /// Whether any fence decides by a policy of its own.
    var hasPolicies: Bool { unsafe policyCount > 0 }

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
