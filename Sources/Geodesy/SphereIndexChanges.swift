// Adding and removing spheres.

extension SphereIndex {
    /// Adds a sphere with a center on the surface.
    ///
    /// - Parameters:
    ///   - number: The caller's number for the sphere, 0 or more; each number is used once.
    ///   - center: The center, on the surface.
    ///   - radius: Meters in a straight line.
    public func insert(_ number: Int, _ center: EarthVector, radius: Double) {
        let sphere = Sphere(number: Int32(number), center: center, radius: Double(Float(radius)))
        forEachCell(of: sphere, level(of: sphere), in: nil) { addToCell(sphere, level: $0, place: $1) }
    }

    /// Removes a sphere. The arguments must be those with which it was added.
    public func remove(_ number: Int, _ center: EarthVector, radius: Double) {
        let sphere = Sphere(number: Int32(number), center: center, radius: Double(Float(radius)))
        forEachCell(of: sphere, level(of: sphere), in: nil, widenedBy: 2) { removeFromCell(sphere, level: $0, place: $1) }
    }

    private struct Sphere {
        var number: Int32
        var center: EarthVector
        var radius: Double
    }

    private func level(of sphere: Sphere) -> Int {
        var level = Self.usualFinestLevel
        while level < Self.coarsest && Self.side(level) < 2 * sphere.radius { level += 1 }
        return level
    }

    /// Calls `body` with the cells of a level that a sphere meets at the earth's surface: all of them, or those within one cell of the next
    /// coarser level.
    ///
    /// - Parameter besides: Widens the sphere by this many rounding errors, to find cells to which it was added with less precise
    ///   coordinates.
    private func forEachCell(
        of sphere: Sphere, _ level: Int, in parent: SIMD3<Int>?, widenedBy besides: Double = 0, _ body: (Int, SIMD3<Int>) -> Void
    ) {
        let radius = sphere.radius + besides * Double(Self.roundingError(level))
        let center = SIMD3(sphere.center.x, sphere.center.y, sphere.center.z)
        var (low, high) = Self.cells(from: center - radius, to: center + radius, level: level)
        if let parent {
            let first = parent &<< 2
            low = low.replacing(with: first, where: first .> low)
            high = high.replacing(with: first &+ 3, where: first &+ 3 .< high)
            guard all(low .<= high) else { return }
        }
        for kx in low.x...high.x {
            for ky in low.y...high.y {
                for kz in low.z...high.z {
                    let cell = SIMD3(kx, ky, kz)
                    let p = Self.offset(of: sphere.center, level: level, in: cell)
                    if Self.touchesCell(p, radius: radius, level: level), Self.meetsSurface(level, cell) { body(level, cell) }
                }
            }
        }
    }

    private func addToCell(_ sphere: Sphere, level: Int, place: SIMD3<Int>) {
        let slot = makeSlot(level, place)
        if cells[slot].isSplit, Self.side(level - 1) >= 2 * sphere.radius {
            return forEachCell(of: sphere, level - 1, in: place) { addToCell(sphere, level: $0, place: $1) }
        }
        var cell = cells[slot]
        let wasEmpty = cell.isEmpty
        let block = Int(cell.count) >> 2
        if block == Int(cell.blockCapacity) {
            let moved = arena.grow(cell.start, cell.blockCapacity)
            (cell.start, cell.blockCapacity) = (moved.start, moved.room)
        }
        let p = Self.offset(of: sphere.center, level: level, in: place)
        arena.set(
            block: Int(cell.start) + block, lane: Int(cell.count) & 3, center: SIMD3<Float>(p), radius: Float(sphere.radius),
            number: sphere.number)
        cell.count += 1
        cells[slot] = cell
        unsafe population[level] += 1
        unsafe top = unsafe max(top, level)
        if wasEmpty { markOccupied(level, place) }
        // A cell whose spheres fit no finer cell is examined again only when it has twice as many, so that many spheres at one place do
        // not cost the square of their number.
        if cell.count > Self.splitThreshold, (cell.count - 1).nonzeroBitCount == 1, level > 0, !cell.isSplit {
            split(level, place)
        }
    }

    /// Moves spheres of a crowded cell to finer cells, unless too few of them fit there.
    private func split(_ level: Int, _ place: SIMD3<Int>) {
        guard let slot = slot(of: level, place) else { return }
        let cell = cells[slot]
        unsafe examinedCount += Int(cell.count)
        var moving: [Sphere] = []
        for index in 0..<Int(cell.count) {
            let block = arena.blocks[Int(cell.start) + index >> 2]
            guard Double(block.radius[index & 3]) * 2 <= Self.side(level - 1) else { continue }
            let center = Self.center(level, place)
            moving.append(
                Sphere(
                    number: block.numbers[index & 3],
                    center: EarthVector(
                        x: center.x + Double(block.x[index & 3]), y: center.y + Double(block.y[index & 3]),
                        z: center.z + Double(block.z[index & 3])), radius: Double(block.radius[index & 3])))
        }
        guard moving.count * 2 > Self.splitThreshold else { return }
        for sphere in moving { removeFromCell(sphere, level: level, place: place) }
        cells[slot].isSplit = true
        for sphere in moving { addToCell(sphere, level: level, place: place) }
    }

    private func removeFromCell(_ sphere: Sphere, level: Int, place: SIMD3<Int>) {
        guard let slot = slot(of: level, place) else { return }
        if cells[slot].isSplit, Self.side(level - 1) >= 2 * sphere.radius {
            return forEachCell(of: sphere, level - 1, in: place, widenedBy: 2) { removeFromCell(sphere, level: $0, place: $1) }
        }
        var cell = cells[slot]
        let start = Int(cell.start)
        guard
            let found = (0..<Int(cell.count)).first(where: { arena.blocks[start + $0 >> 2].numbers[$0 & 3] == sphere.number })
        else { return }
        // The last sphere takes the index of the removed one.
        let last = Int(cell.count) - 1
        let moved = arena.blocks[start + last >> 2]
        arena.set(
            block: start + found >> 2, lane: found & 3, center: SIMD3(moved.x[last & 3], moved.y[last & 3], moved.z[last & 3]),
            radius: moved.radius[last & 3], number: moved.numbers[last & 3])
        arena.set(block: start + last >> 2, lane: last & 3, center: .zero, radius: -.infinity, number: -1)
        cell.count -= 1
        if cell.count == 0 {
            arena.release(cell.start, cell.blockCapacity)
            cell.blockCapacity = 0
        }
        cells[slot] = cell
        unsafe population[level] -= 1
        while unsafe top >= 0 && population[top] == 0 { unsafe top -= 1 }
        if cell.isEmpty { markEmpty(level, place) }
    }

    /// Records in the coarser cells around a cell that the cell has become occupied.
    private func markOccupied(_ level: Int, _ place: SIMD3<Int>) {
        guard level < Self.coarsest else { return }
        let parent = place &>> 2
        let slot = makeSlot(level + 1, parent)
        let wasEmpty = cells[slot].isEmpty
        cells[slot].children += 1
        if wasEmpty { markOccupied(level + 1, parent) }
    }

    /// Records in the coarser cells around a cell that the cell has become empty.
    private func markEmpty(_ level: Int, _ place: SIMD3<Int>) {
        guard level < Self.coarsest else { return }
        let parent = place &>> 2
        guard let slot = slot(of: level + 1, parent) else { return }
        cells[slot].children -= 1
        if cells[slot].isEmpty { markEmpty(level + 1, parent) }
    }

    /// Adds the spheres of another index, with their numbers, to this index, which must be empty.
    ///
    /// - Complexity: O(n) in the number of spheres, but memory is copied as it is.
    public func append(contentsOf other: SphereIndex) {
        unsafe precondition(cellCount == 0, "an index that is not empty")
        cells.removeAll()
        cells.append(contentsOf: other.cells)
        unsafe cellCount = other.cellCount
        arena.append(contentsOf: other.arena)
        unsafe population = other.population
        unsafe top = other.top
    }

    /// Reserves capacity for a number of small spheres.
    public func reserve(_ count: Int) { arena.reserve(count) }

    /// Releases memory that is not needed, for use after many spheres were added.
    ///
    /// - Complexity: O(n) in the number of spheres.
    public func compact() {
        rehash(to: cells.indices.count { cells[$0].key != Self.noKey && !cells[$0].isEmpty } * 8 / 5)
        let compact = BlockArena()
        let used = cells.indices.reduce(0) { $0 + (Int(cells[$1].count) + 3) / 4 }
        // Room for cells that grow later. Without it, adding the first sphere would move everything.
        compact.reserve(used + used / 8)
        for index in cells.indices where cells[index].count > 0 {
            let cell = cells[index]
            let room = (cell.count + 3) / 4
            cells[index].start = compact.append(from: arena, Int(cell.start)..<Int(cell.start + room))
            cells[index].blockCapacity = room
        }
        arena.swapContents(with: compact)
    }
}
