/// Balls around places on the earth, found by the places that they may hold; made for moving devices among many geofences.
///
/// Space is divided into cubes, level by level: the finest are 16 m wide, each level has cubes four times as wide, and the
/// coarsest cube holds the earth. A ball lies in the cubes that it meets of one level: the finest whose cubes are no narrower than
/// the ball, but of 1,024 m at least; where such a cube becomes crowded, those of its balls that fit go to the finer cubes in it,
/// and so on. Cubes that the earth's surface does not pass through are left out. Poles and the antimeridian are places like all
/// others. A place asks one cube a level, from the coarsest that holds a ball down to where nothing is below. Cubes are
/// found by hash, and the balls of a cube lie next to each other, four to a block, as 32-bit distances from the cube's centre.
///
/// Adding and removing a ball costs as much as the cubes that it meets. It belongs to one thread.
public final class SphereIndex {
    /// Four balls: their centres from the centre of the cube and their radii, in metres. A free place has a radius of −∞.
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

    /// A ball that may hold a place.
    public struct Hit: Sendable {
        public var number: Int32
        /// The place is no further beyond the ball's surface than this, in metres over ground; negative inside.
        public var beyond: Float
        /// Whether the place is surely outside of it.
        public var isNear: Bool
    }

    /// How far one may go from a place, in metres.
    public struct Room: Sendable {
        /// Without coming into any ball that does not hold the place.
        public var free: Double
        /// Without coming near a ball that was not looked at.
        public var known: Double
    }

    @usableFromInline
    struct Cube: Sendable {
        /// `SphereIndex.nowhere` where the slot is free.
        @usableFromInline var key: UInt64
        /// Its first block.
        @usableFromInline var start: Int32
        /// How many balls it holds.
        @usableFromInline var count: Int32
        /// Room for so many blocks.
        var room: Int32
        /// How many of the 64 cubes of the next finer level in it hold balls, or have such below them.
        @usableFromInline var children: Int16
        /// Whether its balls are in finer cubes if they fit there.
        var isSplit: Bool

        @usableFromInline
        static let free = Cube(key: SphereIndex.nowhere, start: 0, count: 0, room: 0, children: 0, isSplit: false)

        var isEmpty: Bool { count == 0 && children == 0 }
    }

    /// The key of no cube.
    @inlinable public static var nowhere: UInt64 { .max }
    /// The coarsest level: one cube of 2²⁴ m.
    @usableFromInline static let coarsest = 10
    /// No ball lies at a finer level than this where there is no crowd: cubes of 1,024 m.
    static let usual = 3
    /// So many balls are a crowd.
    static let crowd = 64
    /// Coordinates are at least −2²³ m; counted from there they are positive.
    @inlinable static var origin: Double { 8_388_608 }

    /// Open addressing, at most two thirds full. A cube that is empty again keeps its place.
    @usableFromInline let cubes = SharedBuffer<Cube>(repeating: .free, count: 64)
    @exclusivity(unchecked) var cubeCount = 0
    @usableFromInline let arena = BlockArena()
    /// How many balls there are at each level.
    @exclusivity(unchecked) var population = [Int](repeating: 0, count: SphereIndex.coarsest + 1)
    /// The coarsest level that holds balls; −1 when there are none.
    @exclusivity(unchecked) @usableFromInline
    var top = -1

    public init() {}

    /// How wide the cubes of a level are, in metres.
    @inlinable
    static func side(_ level: Int) -> Double { Double(1 &<< (4 &+ 2 &* level)) }

    /// No distance that is reckoned in a cube is further than this from the true one, in metres: both ends lie within two sides of
    /// its centre, and so are known to 2⁻²⁴ of that along each axis. What came from a crowded cube is known as well as there.
    @inline(__always)
    static func rounding(_ level: Int) -> Float { Float(side(max(level, usual))) * 0x1p-19 }

    /// No way over ground between two places of a ball of this level is longer than the straight one by more, in metres: for a chord c
    /// c³ / 24R², and a little; R is the earth's smallest radius of curvature. Of the widest balls nothing is said.
    @inline(__always)
    static func bulge(_ level: Int) -> Float {
        let half = side(level) / 2
        let radius = WGS84.smallestCurvatureRadius
        return level > 7 ? .infinity : Float(half * half * half * (1.1 / (24 * radius * radius)))
    }

    // MARK: - Asking

    /// Finds the balls that may hold a place: every one that does, and some that it is a hair's breadth outside of; and those nearby.
    ///
    /// - Parameters:
    ///   - distance: Balls are nearby whose surface is no further away, in metres. Those in other cubes are not found: see `Room.known`.
    ///   - hits: Where they are appended, each once.
    /// - Complexity: O(levels in use there + balls in the place's cubes).
    public func search(_ place: EarthVector, nearby distance: Double = 0, _ hits: SharedBuffer<Hit>) -> Room {
        guard unsafe top >= 0 else { return Room(free: .infinity, known: .infinity) }
        // What is no place is in nothing.
        guard place.x == place.x, place.y == place.y, place.z == place.z else { return Room(free: 0, known: 0) }
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
            // From the centre of the cube.
            let px = ux - (Double(kx &<< shift) + half)
            let py = uy - (Double(ky &<< shift) + half)
            let pz = uz - (Double(kz &<< shift) + half)
            let key = Self.key(level, UInt64(bitPattern: kx), UInt64(bitPattern: ky), UInt64(bitPattern: kz))
            var index = Self.slot(key, cubes.count)
            while cubes[index].key != key && cubes[index].key != Self.nowhere {
                index = index + 1 < cubes.count ? index + 1 : 0
            }
            let cube = cubes[index]
            if cube.key == key {
                let fx = SIMD4<Float>(repeating: Float(px))
                let fy = SIMD4<Float>(repeating: Float(py))
                let fz = SIMD4<Float>(repeating: Float(pz))
                let rounding = Self.rounding(level)
                let bulge = Self.bulge(level)
                let surface = SIMD4<Float>(repeating: rounding)
                let reach = SIMD4<Float>(repeating: rounding + Float(distance))
                var nearest = SIMD4<Float>(repeating: .infinity)
                let blocks = unsafe arena.blocks[Int(cube.start), count: (Int(cube.count) + 3) / 4]
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
                        hits.append(
                            Hit(
                                number: block.numbers[lane], beyond: beyond[lane] + rounding + bulge,
                                isNear: beyond[lane] > rounding))
                    }
                }
                free = min(free, Double(min(min(nearest.x, nearest.y), min(nearest.z, nearest.w)) - rounding))
            }
            // Whatever else there is at this level and below lies beyond the cube's walls.
            known = min(known, half - max(abs(px), max(abs(py), abs(pz))))
            if cube.key != key || cube.children == 0 || level == 0 {
                return Room(free: max(0, min(free, known)), known: max(0, known))
            }
            level -= 1
        }
    }

    /// Bytes that it takes.
    public var bytes: Int { cubes.bytes + arena.blocks.bytes }

    // MARK: - Cubes

    /// Fewer than 2²⁰ cubes lie along each axis, and there are eleven levels.
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
        var slot = Self.slot(key, cubes.count)
        while cubes[slot].key != key {
            if cubes[slot].key == Self.nowhere { return nil }
            slot = slot + 1 < cubes.count ? slot + 1 : 0
        }
        return slot
    }

    func makeSlot(_ level: Int, _ place: SIMD3<Int>) -> Int {
        let key = Self.key(level, UInt64(place.x), UInt64(place.y), UInt64(place.z))
        if let slot = slot(key) { return slot }
        if unsafe cubeCount * 3 >= cubes.count * 2 { rehash(to: cubes.count * 2) }
        unsafe cubeCount += 1
        var cube = Cube.free
        cube.key = key
        return add(cube)
    }

    func add(_ cube: Cube) -> Int {
        var slot = Self.slot(cube.key, cubes.count)
        while cubes[slot].key != Self.nowhere { slot = slot + 1 < cubes.count ? slot + 1 : 0 }
        cubes[slot] = cube
        return slot
    }

    /// Lays out the cubes anew; those that are empty are forgotten.
    func rehash(to capacity: Int) {
        let kept = cubes.indices.map { cubes[$0] }.filter { $0.key != Self.nowhere && !$0.isEmpty }
        unsafe cubeCount = kept.count
        cubes.exchange(with: SharedBuffer(repeating: .free, count: max(64, capacity)))
        for cube in kept { _ = add(cube) }
    }

    /// The cubes that a box meets.
    static func span(_ low: SIMD3<Double>, _ high: SIMD3<Double>, _ level: Int) -> (low: SIMD3<Int>, high: SIMD3<Int>) {
        let shift = 4 + 2 * level
        let rounding = Double(rounding(level))
        func cube(_ coordinate: Double) -> Int { Int(min(max(coordinate + origin, 0), 2 * origin - 1)) >> shift }
        return (
            SIMD3(cube(low.x - rounding), cube(low.y - rounding), cube(low.z - rounding)),
            SIMD3(cube(high.x + rounding), cube(high.y + rounding), cube(high.z + rounding))
        )
    }

    static func center(_ level: Int, _ cube: SIMD3<Int>) -> SIMD3<Double> {
        (SIMD3<Double>(cube) + 0.5) * side(level) - origin
    }

    /// A place from the centre of a cube, in metres.
    static func relative(_ place: EarthVector, _ level: Int, _ cube: SIMD3<Int>) -> SIMD3<Double> {
        SIMD3(place.x, place.y, place.z) - center(level, cube)
    }

    /// Whether a ball, its centre given from the centre of a cube, meets the cube.
    static func meets(_ p: SIMD3<Double>, _ radius: Double, _ level: Int) -> Bool {
        let half = side(level) / 2
        let reach = radius + Double(rounding(level))
        func beyond(_ coordinate: Double) -> Double { max(0, abs(coordinate) - half) }
        let (x, y, z) = (beyond(p.x), beyond(p.y), beyond(p.z))
        return x * x + y * y + z * z <= reach * reach
    }

    /// Whether the surface of the ellipsoid passes through a cube, or within a metre of it: of its points the nearest to the centre
    /// of the earth, axis by axis, lies inside, the furthest outside.
    static func meetsSurface(_ level: Int, _ cube: SIMD3<Int>) -> Bool {
        let side = side(level)
        let low = SIMD3<Double>(cube) * side - origin - 1
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
