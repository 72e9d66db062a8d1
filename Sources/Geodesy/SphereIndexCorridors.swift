// Queries for the spheres near a line or around a position.

extension SphereIndex {
    /// Finds all spheres that overlap the sphere around `center` at the earth's surface, and perhaps a few just outside it.
    ///
    /// - Parameters:
    ///   - center: The center, on the surface.
    ///   - radius: In meters.
    /// - Returns: The numbers with which the spheres were inserted, ascending, each once.
    /// - Complexity: O(cells that the sphere meets + spheres in them).
    public func numbers(meeting center: EarthVector, radius: Double) -> [Int] {
        numbers(along: center, center, within: radius)
    }

    /// Finds all spheres whose surface or inside is within a distance of the straight line segment between two positions, and
    /// perhaps a few that lie just beyond that distance.
    ///
    /// The index has cells only at the earth's surface. A sphere can be missed if it is within the distance only above or below
    /// the surface.
    ///
    /// - Parameters:
    ///   - start: The beginning of the segment.
    ///   - end: The end of the segment.
    ///   - distance: In meters.
    /// - Returns: The numbers with which the spheres were inserted, ascending, each once. Empty if a coordinate is not finite.
    /// - Complexity: O(cells within the distance of the segment + spheres in those cells).
    public func numbers(along start: EarthVector, _ end: EarthVector, within distance: Double) -> [Int] {
        let corridor = Corridor(from: start, to: end, distance: distance)
        // Positions with NaN coordinates are near no sphere.
        guard unsafe top >= 0, corridor.length >= 0, corridor.length < .infinity, distance >= 0 else { return [] }
        // The search starts at a level whose cells are at least as wide as the corridor is long, and then looks only into finer
        // cells that are not empty. A start at the finest levels would look up every cell along a long corridor, empty or not.
        var level = unsafe top
        while level < Self.coarsest, Self.side(level) < corridor.length + 2 * distance { level += 1 }
        // A sphere is stored in several cells, so it can be found several times.
        var found: [Int32] = []
        collect(corridor, level, corridor.cells(of: level, from: 0, to: corridor.length), &found)
        found.sort()
        var last: Int32 = -1
        var distinct: [Int] = []
        for number in found where number != last {
            distinct.append(Int(number))
            last = number
        }
        return distinct
    }

    /// All points within a distance of a line segment. Coordinates are earth-centered; all lengths are in meters.
    private struct Corridor {
        let start: SIMD3<Double>
        /// Unit vector; zero if the segment is a point.
        let direction: SIMD3<Double>
        let length: Double
        /// The greatest distance of a point of the corridor from the segment.
        let radius: Double

        init(from start: EarthVector, to end: EarthVector, distance: Double) {
            self.start = SIMD3(start.x, start.y, start.z)
            let displacement = SIMD3(end.x, end.y, end.z) - self.start
            length = (displacement * displacement).sum().squareRoot()
            direction = length > 0 ? displacement / length : .zero
            self.radius = distance
        }

        /// The distance in meters from `start`, along the segment, to the segment's point nearest to `point`.
        func offset(nearest point: SIMD3<Double>) -> Double {
            min(max((direction * (point - start)).sum(), 0), length)
        }

        /// The coordinates of the cells of a level that overlap the bounding box of a part of the corridor.
        ///
        /// - Parameters:
        ///   - from: The beginning of the part, in meters along the segment.
        ///   - to: The end of the part, in meters along the segment.
        func cells(of level: Int, from: Double, to: Double) -> (low: SIMD3<Int>, high: SIMD3<Int>) {
            let (a, b) = (start + direction * from, start + direction * to)
            return SphereIndex.cells(from: pointwiseMin(a, b) - radius, to: pointwiseMax(a, b) + radius, level: level)
        }
    }

    /// Finds the spheres near the corridor in some cells of a level, and in the finer cells within them.
    ///
    /// - Parameters:
    ///   - cellRange: The lowest and the highest coordinates of the cells to search.
    ///   - found: Receives the numbers of the spheres. A number can occur several times.
    private func collect(
        _ corridor: Corridor, _ level: Int, _ cellRange: (low: SIMD3<Int>, high: SIMD3<Int>), _ found: inout [Int32]
    ) {
        // The distance from the center of a cell to its corners is √3 / 2 of the cell's width, here rounded up.
        let cornerDistance = Self.side(level) * 0.867
        for kx in cellRange.low.x...cellRange.high.x {
            for ky in cellRange.low.y...cellRange.high.y {
                for kz in cellRange.low.z...cellRange.high.z {
                    let cellCoordinates = SIMD3(kx, ky, kz)
                    let center = Self.center(level, cellCoordinates)
                    let offset = corridor.offset(nearest: center)
                    let nearestPoint = corridor.start + corridor.direction * offset - center
                    let reach = cornerDistance + corridor.radius
                    guard (nearestPoint * nearestPoint).sum() <= reach * reach, let slot = slot(of: level, cellCoordinates) else {
                        continue
                    }
                    collect(corridor, cells[slot], level, nearestPoint, offset, &found)
                    guard cells[slot].children > 0 else { continue }
                    // Each cell has 4 × 4 × 4 cells of the next finer level.
                    let firstChild = cellCoordinates &<< 2
                    var inner = corridor.cells(
                        of: level - 1, from: max(0, offset - reach), to: min(corridor.length, offset + reach))
                    inner.low.replace(with: firstChild, where: firstChild .> inner.low)
                    inner.high.replace(with: firstChild &+ 3, where: firstChild &+ 3 .< inner.high)
                    if all(inner.low .<= inner.high) { collect(corridor, level - 1, inner, &found) }
                }
            }
        }
    }

    /// Finds the spheres of one cell that overlap the corridor. Each step compares four spheres.
    ///
    /// - Parameters:
    ///   - nearestPoint: The segment's point nearest to the cell's center, relative to that center.
    ///   - offset: The distance in meters from the segment's start to that point.
    private func collect(
        _ corridor: Corridor, _ cell: Cell, _ level: Int, _ nearestPoint: SIMD3<Double>, _ offset: Double, _ found: inout [Int32]
    ) {
        typealias Lanes = SIMD4<Float>
        let (p, u) = (SIMD3<Float>(nearestPoint), SIMD3<Float>(corridor.direction))
        let (ux, uy, uz) = (Lanes(repeating: u.x), Lanes(repeating: u.y), Lanes(repeating: u.z))
        let least = Lanes(repeating: Float(-offset))
        let most = Lanes(repeating: Float(corridor.length - offset))
        // The corridor is widened by the rounding errors of 32-bit coordinates, so that no sphere is missed.
        let reach = Lanes(repeating: Float(corridor.radius * 1.000_001) + 4 * Self.roundingError(level))
        for blockIndex in Int(cell.start)..<Int(cell.start) + (Int(cell.count) + 3) / 4 {
            let block = arena.blocks[blockIndex]
            let (dx, dy, dz) = (block.x - p.x, block.y - p.y, block.z - p.z)
            let along = (dx * ux + dy * uy + dz * uz).clamped(lowerBound: least, upperBound: most)
            let (ex, ey, ez) = (dx - along * ux, dy - along * uy, dz - along * uz)
            let overlaps = (ex * ex + ey * ey + ez * ez).squareRoot() - block.radius .<= reach
            guard any(overlaps) else { continue }
            for lane in 0..<4 where overlaps[lane] { found.append(block.numbers[lane]) }
        }
    }
}
