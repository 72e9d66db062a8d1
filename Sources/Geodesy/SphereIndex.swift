/// A spatial index of spheres around positions on the earth. It finds the spheres that may contain a position, and is made for moving
/// devices among many geofences.
///
/// Space is divided into cubic cells at eleven levels. The finest cells are 16 m wide, each level's cells are four times as wide as the
/// next finer ones, and the coarsest cell contains the earth. A sphere is stored in the cells that it meets at one level: the finest level
/// whose cells are not narrower than the sphere, and not narrower than 1,024 m. When such a cell has more than 64 spheres, those that fit
/// move to the finer cells within it, and so on; if too few fit, the cell is examined again when it has twice as many. Cells that the earth's surface does not meet are left out. Poles and the antimeridian need
/// no special treatment.
///
/// A query reads one cell per level, from the coarsest level that contains a sphere down to a cell without finer ones below. Cells are in a
/// hash table. The spheres of a cell are contiguous, four to a block, with 32-bit coordinates relative to the cell's center.
///
/// Adding or removing a sphere takes time in proportion to the cells that it meets. An index belongs to one thread.
public final class SphereIndex {
    /// Four spheres: their centers relative to the cell's center, and their radii, in meters. A free lane has a radius of −∞.
    @usableFromInline
    struct Block: Sendable {
        @usableFromInline var x: SIMD4<Float>
        @usableFromInline var y: SIMD4<Float>
        @usableFromInline var z: SIMD4<Float>
        @usableFromInline var radius: SIMD4<Float>
        @usableFromInline var numbers: SIMD4<Int32>

        @usableFromInline
        static let free = Block(
            x: .zero, y: .zero, z: .zero, radius: SIMD4(repeating: -.infinity), numbers: SIMD4(repeating: -1))

        @usableFromInline
        init(x: SIMD4<Float>, y: SIMD4<Float>, z: SIMD4<Float>, radius: SIMD4<Float>, numbers: SIMD4<Int32>) {
            self.x = x
            self.y = y
            self.z = z
            self.radius = radius
            self.numbers = numbers
        }
    }

    /// A sphere that may contain the position of a query.
    public struct Candidate: Sendable {
        /// The caller's number for the sphere.
        public var number: Int32
        /// Upper bound for how far the position is beyond the sphere's surface, in meters over ground; negative inside.
        public var beyond: Float
        /// Whether the position is certainly outside the sphere.
        public var isOutside: Bool
    }

    /// How far one may move from the position of a query, in meters, before its result changes.
    public struct Clearance: Sendable {
        /// Within this distance there is no sphere other than those that contain the position.
        public var freeDistance: Double
        /// Within this distance the query has found all spheres.
        public var searchedDistance: Double
    }

    @usableFromInline
    struct Cell: Sendable {
        /// The cell's level and coordinates; `SphereIndex.noKey` in a free slot.
        @usableFromInline var key: UInt64
        /// The index of the cell's first block.
        @usableFromInline var start: Int32
        /// The number of spheres in the cell.
        @usableFromInline var count: Int32
        /// The number of blocks allocated for the cell.
        var blockCapacity: Int32
        /// The number of cells of the next finer level, of the 64 within this cell, that are not empty.
        @usableFromInline var children: Int16
        /// Whether spheres that fit finer cells are stored in those.
        var isSplit: Bool

        @usableFromInline
        static let free = Cell(key: SphereIndex.noKey, start: 0, count: 0, blockCapacity: 0, children: 0, isSplit: false)

        /// Whether neither the cell nor a finer cell within it contains spheres.
        var isEmpty: Bool { count == 0 && children == 0 }
    }

    /// A key that stands for no cell.
    @inlinable public static var noKey: UInt64 { .max }
    /// The coarsest level: one cell of 2²⁴ m.
    @usableFromInline static let coarsest = 10
    /// The finest level of cells that are not crowded: 1,024 m.
    static let usualFinestLevel = 3
    /// A cell with more spheres than this is split.
    static let splitThreshold = 64
    /// Added to coordinates, which are at least −2²³ m, to make them positive. In meters.
    @inlinable static var origin: Double { 8_388_608 }

    /// Hash table with open addressing, at most two thirds full. A cell keeps its slot when it becomes empty, until the next rehash.
    @usableFromInline let cells = SharedBuffer<Cell>(repeating: .free, count: 64)
    /// The number of slots in use.
    @exclusivity(unchecked) var cellCount = 0
    @usableFromInline let arena = BlockArena()
    /// The number of spheres that were examined to split cells, for tests.
    @exclusivity(unchecked) var examinedCount = 0
    /// The number of entries at each level; a sphere has one in each cell that it meets.
    @exclusivity(unchecked) var population = [Int](repeating: 0, count: SphereIndex.coarsest + 1)
    /// The coarsest level that contains spheres; −1 when the index is empty.
    @exclusivity(unchecked) @usableFromInline
    var top = -1

    /// Creates an empty index.
    public init() {}

    /// The width of a level's cells in meters.
    @inlinable
    static func side(_ level: Int) -> Double { Double(1 &<< (4 &+ 2 &* level)) }

    /// Upper bound for the rounding error of a distance computed in a cell, in meters. Both ends lie within two cell widths of the center,
    /// so each coordinate has a relative error of 2⁻²⁴. Spheres that moved down from a crowded cell keep that cell's error, at most that of
    /// level `usualFinestLevel`.
    @inline(__always)
    static func roundingError(_ level: Int) -> Float { Float(side(max(level, usualFinestLevel))) * 0x1p-19 }

    /// Upper bound in meters for the difference between the geodesic and the chord of two positions in a sphere of this level: c³ / 24R²
    /// for a chord c, plus a margin, where R is the earth's smallest radius of curvature. Infinite for the coarsest levels.
    @inline(__always)
    static func arcExcess(_ level: Int) -> Float {
        let half = side(level) / 2
        let radius = WGS84.smallestCurvatureRadius
        return level > 7 ? .infinity : Float(half * half * half * (1.1 / (24 * radius * radius)))
    }

    // MARK: - Queries

    /// Finds all spheres that contain a position, some that the position is just outside of, and spheres nearby.
    ///
    /// - Parameters:
    ///   - place: The position, on the surface.
    ///   - distance: Spheres whose surface is at most this many meters away are nearby. Those in other cells are not found; see
    ///     `Clearance.searchedDistance`.
    ///   - candidates: Receives the spheres, each once.
    /// - Returns: How far the position may move before the result changes. Both values are infinite for an empty index, and 0 for a
    ///   position with NaN coordinates.
    /// - Complexity: O(levels in use there + spheres in the position's cells).
    public func search(_ place: EarthVector, nearby distance: Double = 0, into candidates: SharedBuffer<Candidate>) -> Clearance {
        guard unsafe top >= 0 else { return Clearance(freeDistance: .infinity, searchedDistance: .infinity) }
        // A position with NaN coordinates is in no sphere.
        guard place.x == place.x, place.y == place.y, place.z == place.z else {
            return Clearance(freeDistance: 0, searchedDistance: 0)
        }
        let ux = place.x + Self.origin
        let uy = place.y + Self.origin
        let uz = place.z + Self.origin
        let (ix, iy, iz) = (Int64(ux), Int64(uy), Int64(uz))
        var level = unsafe top
        var free = Double.infinity
        var known = Double.infinity
        while true {
            // Shifts without overflow checks, and signed integers: each saves a fourth of the instructions.
            let shift = Int64(truncatingIfNeeded: 4 &+ 2 &* level)
            let (kx, ky, kz) = (ix &>> shift, iy &>> shift, iz &>> shift)
            let half = Self.side(level) / 2
            // Relative to the center of the cell.
            let px = ux - (Double(kx &<< shift) + half)
            let py = uy - (Double(ky &<< shift) + half)
            let pz = uz - (Double(kz &<< shift) + half)
            let key = Self.key(level: level, x: UInt64(bitPattern: kx), y: UInt64(bitPattern: ky), z: UInt64(bitPattern: kz))
            var index = Self.slot(key, cells.count)
            while cells[index].key != key && cells[index].key != Self.noKey {
                index = index + 1 < cells.count ? index + 1 : 0
            }
            let cell = cells[index]
            if cell.key == key {
                let fx = SIMD4<Float>(repeating: Float(px))
                let fy = SIMD4<Float>(repeating: Float(py))
                let fz = SIMD4<Float>(repeating: Float(pz))
                let rounding = Self.roundingError(level)
                let bulge = Self.arcExcess(level)
                let surface = SIMD4<Float>(repeating: rounding)
                let reach = SIMD4<Float>(repeating: rounding + Float(distance))
                var nearest = SIMD4<Float>(repeating: .infinity)
                let blocks = unsafe arena.blocks[Int(cell.start), count: (Int(cell.count) + 3) / 4]
                var number = 0
                while number < blocks.count {
                    let block = unsafe blocks[number]
                    number += 1
                    let dx = block.x - fx
                    let dy = block.y - fy
                    let dz = block.z - fz
                    let beyond = (dx * dx + dy * dy + dz * dz).squareRoot() - block.radius
                    let other = beyond.replacing(with: .infinity, where: beyond .<= surface)
                    nearest = nearest.replacing(with: other, where: other .< nearest)
                    let counts = beyond .<= reach
                    guard any(counts) else { continue }
                    for lane in 0..<4 where counts[lane] {
                        candidates.append(
                            Candidate(
                                number: block.numbers[lane], beyond: beyond[lane] + rounding + bulge,
                                isOutside: beyond[lane] > rounding))
                    }
                }
                free = min(free, Double(min(min(nearest.x, nearest.y), min(nearest.z, nearest.w)) - rounding))
            }
            // All other spheres of this level and finer ones lie beyond the cell's walls.
            known = min(known, half - max(abs(px), max(abs(py), abs(pz))))
            if cell.key != key || cell.children == 0 || level == 0 {
                return Clearance(freeDistance: max(0, min(free, known)), searchedDistance: max(0, known))
            }
            level -= 1
        }
    }

    /// The memory of the index in bytes.
    public var bytes: Int { cells.bytes + arena.blocks.bytes }

    // MARK: - Cells

    /// The hash key of a cell. There are fewer than 2²⁰ cells along each axis, and eleven levels.
    @inlinable
    static func key(level: Int, x: UInt64, y: UInt64, z: UInt64) -> UInt64 {
        UInt64(truncatingIfNeeded: level) &<< 60 | x &<< 40 | y &<< 20 | z
    }

    /// The slot where the search for a key starts: Fibonacci hashing, with 2⁶⁴ divided by the golden ratio, scaled to the capacity.
    @inlinable
    static func slot(_ key: UInt64, _ capacity: Int) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: UInt64(capacity)).high)
    }

    func slot(of level: Int, _ place: SIMD3<Int>) -> Int? {
        slot(Self.key(level: level, x: UInt64(place.x), y: UInt64(place.y), z: UInt64(place.z)))
    }

    func slot(_ key: UInt64) -> Int? {
        var slot = Self.slot(key, cells.count)
        while cells[slot].key != key {
            if cells[slot].key == Self.noKey { return nil }
            slot = slot + 1 < cells.count ? slot + 1 : 0
        }
        return slot
    }

    func makeSlot(_ level: Int, _ place: SIMD3<Int>) -> Int {
        let key = Self.key(level: level, x: UInt64(place.x), y: UInt64(place.y), z: UInt64(place.z))
        if let slot = slot(key) { return slot }
        if unsafe cellCount * 3 >= cells.count * 2 { rehash(to: cells.count * 2) }
        unsafe cellCount += 1
        var cell = Cell.free
        cell.key = key
        return add(cell)
    }

    func add(_ cell: Cell) -> Int {
        var slot = Self.slot(cell.key, cells.count)
        while cells[slot].key != Self.noKey { slot = slot + 1 < cells.count ? slot + 1 : 0 }
        cells[slot] = cell
        return slot
    }

    /// Rebuilds the hash table without empty cells.
    func rehash(to capacity: Int) {
        let kept = cells.indices.map { cells[$0] }.filter { $0.key != Self.noKey && !$0.isEmpty }
        unsafe cellCount = kept.count
        cells.swapContents(with: SharedBuffer(repeating: .free, count: max(64, capacity)))
        for cell in kept { _ = add(cell) }
    }

    /// The range of cells of a level that a box meets.
    static func cells(from low: SIMD3<Double>, to high: SIMD3<Double>, level: Int) -> (low: SIMD3<Int>, high: SIMD3<Int>) {
        let shift = 4 + 2 * level
        let rounding = Double(roundingError(level))
        func cell(_ coordinate: Double) -> Int { Int(min(max(coordinate + origin, 0), 2 * origin - 1)) >> shift }
        return (
            SIMD3(cell(low.x - rounding), cell(low.y - rounding), cell(low.z - rounding)),
            SIMD3(cell(high.x + rounding), cell(high.y + rounding), cell(high.z + rounding))
        )
    }

    static func center(_ level: Int, _ cell: SIMD3<Int>) -> SIMD3<Double> {
        (SIMD3<Double>(cell) + 0.5) * side(level) - origin
    }

    /// A position relative to the center of a cell, in meters.
    static func offset(of place: EarthVector, level: Int, in cell: SIMD3<Int>) -> SIMD3<Double> {
        SIMD3(place.x, place.y, place.z) - center(level, cell)
    }

    /// Whether a sphere meets a cell. The sphere's center is given relative to the cell's center, in meters.
    static func touchesCell(_ p: SIMD3<Double>, radius: Double, level: Int) -> Bool {
        let half = side(level) / 2
        let reach = radius + Double(roundingError(level))
        func beyond(_ coordinate: Double) -> Double { max(0, abs(coordinate) - half) }
        let (x, y, z) = (beyond(p.x), beyond(p.y), beyond(p.z))
        return x * x + y * y + z * z <= reach * reach
    }

    /// Whether the surface of the ellipsoid passes through a cell or within a meter of it: the cell's point nearest to the earth's center,
    /// axis by axis, lies inside the ellipsoid, and its furthest point outside.
    static func meetsSurface(_ level: Int, _ cell: SIMD3<Int>) -> Bool {
        let side = side(level)
        let low = SIMD3<Double>(cell) * side - origin - 1
        let high = low + side + 2
        let axes = SIMD3(WGS84.equatorialRadius, WGS84.equatorialRadius, WGS84.polarRadius)
        var least = 0.0
        var most = 0.0
        for axis in 0..<3 {
            let (a, b) = (low[axis] / axes[axis], high[axis] / axes[axis])
            most += max(a * a, b * b)
            if a > 0 || b < 0 { least += min(a * a, b * b) }
        }
        return least <= 1 && most >= 1
    }
}
