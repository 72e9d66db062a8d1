import CPrefetch
import CStandardLibrary
import Geodesy
import Model

/// The active geofences of an engine, laid out for speed.
///
/// What every fix reads is in flat arrays, indexed by position. What only some fences have, or only a transition reads, is stored
/// separately. A set belongs to one thread, like the engines that use it.
package final class FenceSet {
    /// A geofence and its key.
    package struct KeyedGeofence: Sendable {
        package var key: FenceKey
        package var geofence: Geofence

        package init(key: FenceKey, geofence: Geofence) {
            self.key = key
            self.geofence = geofence
        }
    }

    /// What every evaluation of a fence reads: 64 bytes, one cache line.
    struct PackedFence: Sendable {
        /// The center of the fence's circle, or of a circle around its polygons.
        var center: EarthVector
        /// The radius of that circle over ground, in meters.
        var radius: Double
        var id: FenceID
        var key: FenceKey
        /// Index of the fence in `traits`; −1 for none.
        var traits: Int32
        private let padding: UInt64 = 0
    }

    /// The revision of the store's fences that this set represents.
    package var revision: Int64
    /// Indexed by position. A new fence reuses the position of a removed one.
    let packedFences = SharedBuffer<PackedFence>()
    let centers = SharedBuffer<Coordinate>()
    /// The ids that are longer than `Place.id` holds.
    private var longIDs: [FenceKey: String] = [:]
    private let names = SharedBuffer<String>()
    /// The fences that are more than a circle, an id and a name. Most fences are only that.
    private let traits = SharedBuffer<Geofence?>()
    private var freeTraits: [Int32] = []
    /// The position of each fence, indexed by the value of its key; −1 for none.
    private let positions = SharedBuffer<Int32>()
    private var freePositions: [Int32] = []
    let index = SphereIndex()
    /// Whether any fence has a dwell.
    var hasDwells: Bool { unsafe dwellCount > 0 }
    @exclusivity(unchecked) private var dwellCount = 0
    @exclusivity(unchecked) private var policyCount = 0
    @exclusivity(unchecked) private var polygonCount = 0
    /// Upper bound of the exit margins in the fences' own policies, in meters. It never shrinks.
    @exclusivity(unchecked) private(set) var widestExitMargin = 0.0
    /// Lower bound of `maxSpeed` in the fences' own policies, in meters per second. It never grows.
    @exclusivity(unchecked) private(set) var lowestMaxSpeed = Double.infinity
    /// Upper bound of `crossing` in the fences' own policies, in seconds. It never shrinks.
    @exclusivity(unchecked) private(set) var longestCrossing = 0.0
    /// Identifies the set and its contents: it differs between sets, and changes with every edit.
    @exclusivity(unchecked) private(set) var stamp = UInt64.random(in: 1 ... .max)

    /// Keeps the active ones of some fences.
    ///
    /// - Complexity: O(n) in the number of fences.
    package init(revision: Int64, _ fences: some Collection<KeyedGeofence>) {
        self.revision = revision
        var starts = [Int](repeating: 0, count: 1 << 16 + 1)
        var most: Int32 = -1
        for entry in fences where entry.geofence.isActive {
            starts[Self.neighborhood(Circle(enclosing: entry.geofence.shape).center) + 1] += 1
            most = max(most, entry.key.value)
        }
        for index in 1..<starts.count { starts[index] += starts[index - 1] }
        let count = starts[starts.count - 1]
        // Room for fences that are added later. Without it, adding the first one would move everything.
        let room = count + count / 8
        packedFences.reserve(room)
        centers.reserve(room)
        names.reserve(room)
        positions.reserve(room)
        appendEmptyPositions(count)
        positions.append(-1, count: Int(most) + 1)
        index.reserve(count)
        // Fences that are neighbors on the ground are neighbors in memory, so a cache line that one loads serves the next.
        for entry in fences where entry.geofence.isActive {
            let circle = Circle(enclosing: entry.geofence.shape)
            let neighbourhood = Self.neighborhood(circle.center)
            write(at: starts[neighbourhood], entry, circle: circle)
            starts[neighbourhood] += 1
        }
        for position in 0..<count {
            index.insert(position, packedFences[position].center, radius: Self.outsideChord(packedFences[position].radius))
        }
        index.compact()
    }

    private init(copying other: FenceSet) {
        revision = other.revision
        packedFences.append(contentsOf: other.packedFences)
        centers.append(contentsOf: other.centers)
        longIDs = other.longIDs
        names.append(contentsOf: other.names)
        traits.append(contentsOf: other.traits)
        freeTraits = other.freeTraits
        positions.append(contentsOf: other.positions)
        freePositions = other.freePositions
        index.append(contentsOf: other.index)
        unsafe dwellCount = other.dwellCount
        unsafe policyCount = other.policyCount
        unsafe polygonCount = other.polygonCount
        unsafe widestExitMargin = other.widestExitMargin
        unsafe lowestMaxSpeed = other.lowestMaxSpeed
        unsafe longestCrossing = other.longestCrossing
    }

    /// A set with the same fences, which changes independently.
    ///
    /// - Complexity: O(n) in the number of fences, but memory is copied as it is: a few milliseconds for 100,000 fences.
    package func copy() -> FenceSet { FenceSet(copying: self) }

    /// A 16-bit hash that fences within a few kilometers share, and few others.
    private static func neighborhood(_ place: Coordinate) -> Int {
        guard place.isValid else { return 0 }
        let square = Int64(place.latitude * 25) * 10_007 + Int64(place.longitude * 25)
        return Int(truncatingIfNeeded: (UInt64(bitPattern: square) &* 0x9E37_79B9_7F4A_7C15) >> 48)
    }

    /// The number of active fences.
    package var count: Int { packedFences.count - freePositions.count }

    /// Bytes that the set takes, without ids, names, polygons and other traits.
    package var bytes: Int {
        index.bytes + packedFences.bytes - packedFences.count * MemoryLayout<FenceID>.size + centers.bytes + positions.bytes
    }

    // MARK: - Changes

    /// Adds a fence or replaces the one with the same key. An inactive fence is removed.
    ///
    /// - Complexity: O(1) in the number of fences.
    package func upsert(_ entry: KeyedGeofence) {
        remove(entry.key)
        if entry.geofence.isActive { insert(entry) }
        unsafe stamp &+= 1
    }

    /// Removes a fence if it is in the set.
    ///
    /// - Complexity: O(1) in the number of fences.
    package func remove(_ key: FenceKey) {
        guard let position = position(of: key) else { return }
        let place = packedFences[position]
        index.remove(position, place.center, radius: Self.outsideChord(place.radius))
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

    private func insert(_ entry: KeyedGeofence) {
        let position = freePositions.popLast().map(Int.init) ?? packedFences.count
        if position == packedFences.count { appendEmptyPositions(1) }
        write(at: position, entry, circle: Circle(enclosing: entry.geofence.shape))
        index.insert(position, packedFences[position].center, radius: Self.outsideChord(packedFences[position].radius))
    }

    /// Appends empty positions.
    private func appendEmptyPositions(_ count: Int) {
        packedFences.append(
            PackedFence(center: EarthVector(x: 0, y: 0, z: 0), radius: 0, id: FenceID(""), key: FenceKey(-1), traits: -1),
            count: count)
        centers.append(Coordinate(latitude: 0, longitude: 0), count: count)
        names.append("", count: count)
    }

    /// Writes an active fence to a position, without adding it to the index.
    ///
    /// - Parameter circle: A circle that contains the fence's shape.
    private func write(at position: Int, _ entry: KeyedGeofence, circle: Circle) {
        let (key, geofence) = (entry.key, entry.geofence)
        let id = FenceID(geofence.id)
        packedFences[position] = PackedFence(
            center: EarthVector(circle.center), radius: circle.radius, id: id, key: key, traits: makeTraits(of: geofence))
        centers[position] = circle.center
        names[position] = geofence.name
        if id.mayBeTruncated { longIDs[key] = geofence.id }
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
            unsafe widestExitMargin = unsafe max(widestExitMargin, alone.exitMargin.maximum)
            unsafe lowestMaxSpeed = unsafe min(lowestMaxSpeed, alone.maxSpeed)
            unsafe longestCrossing = unsafe max(longestCrossing, alone.crossing)
        }
        if let free = freeTraits.popLast() {
            traits[Int(free)] = geofence
            return free
        }
        traits.append(geofence)
        return Int32(traits.count - 1)
    }

    /// Updates the counts of fences with a dwell, a policy or polygons.
    private func count(_ geofence: Geofence, _ difference: Int) {
        if geofence.dwell != nil { unsafe dwellCount += difference }
        if !geofence.policy.isEmpty { unsafe policyCount += difference }
        if case .polygons = geofence.shape { unsafe polygonCount += difference }
    }

    /// The length of chord beyond which a position is certainly outside a circle of this radius, in meters.
    static func outsideChord(_ radius: Double) -> Double { EarthVector.chordBeyond(length: radius) }

    // MARK: - Lookup

    /// The position of a fence; −1 when it is not in the set.
    func rawPosition(of key: FenceKey) -> Int32 {
        key.value >= 0 && Int(key.value) < positions.count ? positions[Int(key.value)] : -1
    }

    /// Prefetches the position of a fence.
    @inline(__always)
    func prefetchPosition(of key: FenceKey) {
        if key.value >= 0, Int(key.value) < positions.count { unsafe prefetch(positions.address(of: Int(key.value))) }
    }

    /// The position of a fence; nil when it is not in the set.
    func position(of key: FenceKey) -> Int? {
        let place = rawPosition(of: key)
        return place < 0 ? nil : Int(place)
    }

    private func traitNumber(_ position: Int) -> Int? {
        let number = packedFences[position].traits
        return number < 0 ? nil : Int(number)
    }

    /// The geofence at a position, if it is more than a circle, an id and a name.
    func traits(_ position: Int) -> Geofence? { traitNumber(position).flatMap { traits[$0] } }

    func polygons(_ position: Int) -> [Polygon]? {
        guard let number = traitNumber(position), case .polygons(let polygons)? = traits[number]?.shape else { return nil }
        return polygons
    }

    /// Whether a fence is only a circle: for every device, without a dwell or its own policy.
    func isPlain(_ position: Int) -> Bool { packedFences[position].traits < 0 }

    func dwell(_ position: Int) -> Double? { unsafe dwellCount == 0 ? nil : traits(position)?.dwell }

    /// Whether any fence is a polygon.
    var hasPolygons: Bool { unsafe polygonCount > 0 }

    /// Whether any fence has its own policy.
    var hasPolicies: Bool { unsafe policyCount > 0 }

    /// The active geofence with that key.
    package func geofence(_ key: FenceKey) -> Geofence? {
        guard let position = position(of: key) else { return nil }
        if let geofence = traits(position) { return geofence }
        return Geofence(
            id: id(at: position), name: names[position],
            shape: .circle(Circle(center: centers[position], radius: packedFences[position].radius)))
    }

    private func id(at position: Int) -> String { longIDs[packedFences[position].key] ?? packedFences[position].id.text }

    /// The first 16 bytes of an active geofence's id; an empty id for others.
    func idPrefix(_ key: FenceKey) -> FenceID {
        let place = rawPosition(of: key)
        return place < 0 ? FenceID("") : packedFences[Int(place)].id
    }

    /// Whether active fence `a` sorts before `b` by id, when the first 16 bytes of their ids are equal.
    func precedes(_ a: FenceKey, _ b: FenceKey) -> Bool {
        guard let first = position(of: a), let second = position(of: b), packedFences[first].id.mayBeTruncated else {
            return a < b
        }
        return id(at: first) < id(at: second)
    }

    /// The fences that apply to certain groups of devices only.
    package var keysOfGroupFences: Set<FenceKey> {
        var found: Set<FenceKey> = []
        for position in packedFences.indices where self.position(of: packedFences[position].key) == position {
            if let geofence = traits(position), !geofence.groups.isEmpty { found.insert(packedFences[position].key) }
        }
        return found
    }
}

extension Circle {
    /// A circle that contains the shape: the circle itself, or a circle around the polygons' bounding box.
    init(enclosing shape: Shape) {
        switch shape {
        case .circle(let circle): self = circle
        case .polygons: self.init(enclosingBox: shape.boundingBox)
        }
    }

    /// A circle around the center of a box that contains the whole box. The radius follows from an upper bound for the path along the box's
    /// longest sides.
    init(enclosingBox box: BoundingBox) {
        let widest = box.south <= 0 && box.north >= 0 ? 1 : max(cos(box.south.radians), cos(box.north.radians))
        let height = (box.north - box.south) / 2 * WGS84.longestDegree
        let width = (box.east - box.west) / 2 * WGS84.longestDegree * widest
        self.init(center: box.center, radius: min((height * height + width * width).squareRoot() + 0.001, WGS84.longestDistance))
    }
}
