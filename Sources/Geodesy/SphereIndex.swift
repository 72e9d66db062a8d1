/// Spheres around places on the earth, found by the places that they may hold; made for moving devices among many geofences.
///
/// Space is divided into cells, level by level: the finest are 16 m wide, each level has cells four times as wide, and the
/// coarsest cell holds the earth. A sphere lies in the cells that it meets of one level: the finest whose cells are no narrower than
/// the sphere, but of 1,024 m at least; where such a cell becomes crowded, those of its spheres that fit go to the finer cells in it,
/// and so on. Cells that the earth's surface does not pass through are left out. Poles and the antimeridian are places like all
/// others. A place asks one cell a level, from the coarsest that holds a sphere down to where nothing is below. Cells are
/// found by hash, and the spheres of a cell lie next to each other, four to a block, as 32-bit distances from the cell's centre.
///
/// Adding and removing a sphere costs as much as the cells that it meets. It belongs to one thread.
public final class SphereIndex {
    /// Four spheres: their centres from the centre of the cell and their radii, in metres. A free place has a radius of −∞.
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

    /// A sphere that may hold a place.
    public struct Candidate: Sendable {
        public var number: Int32
        /// The place is no further beyond the sphere's surface than this, in metres over ground; negative inside.
        public var beyond: Float
        /// Whether the place is surely outside of it.
        public var isNear: Bool
    }

    /// How far one may go from a place, in metres.
    public struct Clearance: Sendable {
        /// Without coming into any sphere that does not hold the place.
        public var free: Double
        /// Without coming near a sphere that was not looked at.
        public var known: Double
    }

    @usableFromInline
    struct Cell: Sendable {
        /// `SphereIndex.nowhere` where the slot is free.
        @usableFromInline var key: UInt64
        /// Its first block.
        @usableFromInline var start: Int32
        /// How many spheres it holds.
        @usableFromInline var count: Int32
        /// Room for so many blocks.
        var room: Int32
        /// How many of the 64 cells of the next finer level in it hold spheres, or have such below them.
        @usableFromInline var children: Int16
        /// Whether its spheres are in finer cells if they fit there.
        var isSplit: Bool

        @usableFromInline
        static let free = Cell(key: SphereIndex.nowhere, start: 0, count: 0, room: 0, children: 0, isSplit: false)

        var isEmpty: Bool { count == 0 && children == 0 }
    }

    /// The key of no cell.
    @inlinable public static var nowhere: UInt64 { .max }
    /// The coarsest level: one cell of 2²⁴ m.
    @usableFromInline static let coarsest = 10
    /// No sphere lies at a finer level than this where there is no crowd: cells of 1,024 m.
    static let usual = 3
    /// So many spheres are a crowd.
    static let crowd = 64
    /// Coordinates are at least −2²³ m; counted from there they are positive.
    @inlinable static var origin: Double { 8_388_608 }

    /// Open addressing, at most two thirds full. A cell that is empty again keeps its place.
    @usableFromInline let cells = SharedBuffer<Cell>(repeating: .free, count: 64)
    @exclusivity(unchecked) var cellCount = 0
    @usableFromInline let arena = BlockArena()
    /// How many spheres there are at each level.
    @exclusivity(unchecked) var population = [Int](repeating: 0, count: SphereIndex.coarsest + 1)
    /// The coarsest level that holds spheres; −1 when there are none.
    @exclusivity(unchecked) @usableFromInline
    var top = -1

    public init() {}

    /// How wide the cells of a level are, in metres.
    @inlinable
    static func side(_ level: Int) -> Double { Double(1 &<< (4 &+ 2 &* level)) }

    /// No distance that is reckoned in a cell is further than this from the true one, in metres: both ends lie within two sides of
    /// its centre, and so are known to 2⁻²⁴ of that along each axis. What came from a crowded cell is known as well as there.
    @inline(__always)
    static func rounding(_ level: Int) -> Float { Float(side(max(level, usual))) * 0x1p-19 }

    /// No way over ground between two places of a sphere of this level is longer than the straight one by more, in metres: for a chord c
    /// c³ / 24R², and a little; R is the earth's smallest radius of curvature. Of the widest spheres nothing is said.
    @inline(__always)
    static func bulge(_ level: Int) -> Float {
        let half = side(level) / 2
        let radius = WGS84.smallestCurvatureRadius
        return level > 7 ? .infinity : Float(half * half * half * (1.1 / (24 * radius * radius)))
    }

    // MARK: - Asking

    /// Finds the spheres that may hold a place: every one that does, and some that it is a hair's breadth outside of; and those nearby.
    ///
    /// - Parameters:
    ///   - distance: Spheres are nearby whose surface is no further away, in metres. Those in other cells are not found: see `Clearance.known`.
    ///   - candidates: Where they are appended, each once.
    /// - Complexity: O(levels in use there + spheres in the place's cells).
    public func search(_ place: EarthVector, nearby distance: Double = 0, _ candidates: SharedBuffer<Candidate>) -> Clearance {
        guard unsafe top >= 0 else { return Clearance(free: .infinity, known: .infinity) }
        // What is no place is in nothing.
        guard place.x == place.x, place.y == place.y, place.z == place.z else { return Clearance(free: 0, known: 0) }
        let ux = place.x + Self.origin
        let uy = place.y + Self.origin
        let uz = place.z + Self.origin
        let (ix, iy, iz) = (Int64(ux), Int64(uy), Int64(uz))
        var level = unsafe top
        var free = Double.infinity
        var known = Double.infinity
        while true {
            // Shifts that do not look whether they go too far, and signed numbers: both cost a fourth of the instructions.
            let shift = Int64(truncatingIfNeeded: 4 &+ 2 &* level)
            let (kx, ky, kz) = (ix &>> shift, iy &>> shift, iz &>> shift)
            let half = Self.side(level) / 2
            // From the centre of the cell.
            let px = ux - (Double(kx &<< shift) + half)
            let py = uy - (Double(ky &<< shift) + half)
            let pz = uz - (Double(kz &<< shift) + half)
            let key = Self.key(level, UInt64(bitPattern: kx), UInt64(bitPattern: ky), UInt64(bitPattern: kz))
            var index = Self.slot(key, cells.count)
            while cells[index].key != key && cells[index].key != Self.nowhere {
                index = index + 1 < cells.count ? index + 1 : 0
            }
            let cell = cells[index]
            if cell.key == key {
                let fx = SIMD4<Float>(repeating: Float(px))
                let fy = SIMD4<Float>(repeating: Float(py))
                let fz = SIMD4<Float>(repeating: Float(pz))
                let rounding = Self.rounding(level)
                let bulge = Self.bulge(level)
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
                                isNear: beyond[lane] > rounding))
                    }
                }
                free = min(free, Double(min(min(nearest.x, nearest.y), min(nearest.z, nearest.w)) - rounding))
            }
            // Whatever else there is at this level and below lies beyond the cell's walls.
            known = min(known, half - max(abs(px), max(abs(py), abs(pz))))
            if cell.key != key || cell.children == 0 || level == 0 {
                return Clearance(free: max(0, min(free, known)), known: max(0, known))
            }
            level -= 1
        }
    }

    /// Bytes that it takes.
    public var bytes: Int { cells.bytes + arena.blocks.bytes }

    // MARK: - Cells

    /// Fewer than 2²⁰ cells lie along each axis, and there are eleven levels.
    @inlinable
    static func key(_ level: Int, _ x: UInt64, _ y: UInt64, _ z: UInt64) -> UInt64 {
        UInt64(truncatingIfNeeded: level) &<< 60 | x &<< 40 | y &<< 20 | z
    }

    /// Where the search for a key starts: Fibonacci hashing (2⁶⁴ divided by the golden ratio), brought to the capacity by its share
    /// of 2⁶⁴.
    @inlinable
    static func slot(_ key: UInt64, _ capacity: Int) -> Int {
        Int(truncatingIfNeeded: (key &* 0x9E37_79B9_7F4A_7C15).multipliedFullWidth(by: UInt64(capacity)).high)
    }

    func slot(of level: Int, _ place: SIMD3<Int>) -> Int? {
        slot(Self.key(level, UInt64(place.x), UInt64(place.y), UInt64(place.z)))
    }

    func slot(_ key: UInt64) -> Int? {
        var slot = Self.slot(key, cells.count)
        while cells[slot].key != key {
            if cells[slot].key == Self.nowhere { return nil }
            slot = slot + 1 < cells.count ? slot + 1 : 0
        }
        return slot
    }

    func makeSlot(_ level: Int, _ place: SIMD3<Int>) -> Int {
        let key = Self.key(level, UInt64(place.x), UInt64(place.y), UInt64(place.z))
        if let slot = slot(key) { return slot }
        if unsafe cellCount * 3 >= cells.count * 2 { rehash(to: cells.count * 2) }
        unsafe cellCount += 1
        var cell = Cell.free
        cell.key = key
        return add(cell)
    }

    func add(_ cell: Cell) -> Int {
        var slot = Self.slot(cell.key, cells.count)
        while cells[slot].key != Self.nowhere { slot = slot + 1 < cells.count ? slot + 1 : 0 }
        cells[slot] = cell
        return slot
    }

    /// Lays out the cells anew; those that are empty are forgotten.
    func rehash(to capacity: Int) {
        let kept = cells.indices.map { cells[$0] }.filter { $0.key != Self.nowhere && !$0.isEmpty }
        unsafe cellCount = kept.count
        cells.exchange(with: SharedBuffer(repeating: .free, count: max(64, capacity)))
        for cell in kept { _ = add(cell) }
    }

    /// The cells that a box meets.
    static func span(_ low: SIMD3<Double>, _ high: SIMD3<Double>, _ level: Int) -> (low: SIMD3<Int>, high: SIMD3<Int>) {
        let shift = 4 + 2 * level
        let rounding = Double(rounding(level))
        func cell(_ coordinate: Double) -> Int { Int(min(max(coordinate + origin, 0), 2 * origin - 1)) >> shift }
        return (
            SIMD3(cell(low.x - rounding), cell(low.y - rounding), cell(low.z - rounding)),
            SIMD3(cell(high.x + rounding), cell(high.y + rounding), cell(high.z + rounding))
        )
    }

    static func center(_ level: Int, _ cell: SIMD3<Int>) -> SIMD3<Double> {
        (SIMD3<Double>(cell) + 0.5) * side(level) - origin
    }

    /// A place from the centre of a cell, in metres.
    static func relative(_ place: EarthVector, _ level: Int, _ cell: SIMD3<Int>) -> SIMD3<Double> {
        SIMD3(place.x, place.y, place.z) - center(level, cell)
    }

    /// Whether a sphere, its centre given from the centre of a cell, meets the cell.
    static func meets(_ p: SIMD3<Double>, _ radius: Double, _ level: Int) -> Bool {
        let half = side(level) / 2
        let reach = radius + Double(rounding(level))
        func beyond(_ coordinate: Double) -> Double { max(0, abs(coordinate) - half) }
        let (x, y, z) = (beyond(p.x), beyond(p.y), beyond(p.z))
        return x * x + y * y + z * z <= reach * reach
    }

    /// Whether the surface of the ellipsoid passes through a cell, or within a metre of it: of its points the nearest to the centre
    /// of the earth, axis by axis, lies inside, the furthest outside.
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
