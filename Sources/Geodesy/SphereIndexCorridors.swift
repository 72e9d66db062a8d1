// Spheres along a way, or around a place.

extension SphereIndex {
    /// The numbers of all spheres that may meet a sphere, ascending, each once.
    ///
    /// - Complexity: O(cells that the sphere meets + spheres in them).
    public func numbers(meeting center: EarthVector, _ radius: Double) -> [Int] {
        numbers(along: center, center, within: radius)
    }

    /// The numbers of all spheres that may come so near to the straight line between two places, ascending, each once.
    ///
    /// Only what meets the line's surroundings on the ground is surely among them.
    ///
    /// - Complexity: O(cells that the line's surroundings meet + spheres in them).
    public func numbers(along start: EarthVector, _ end: EarthVector, within distance: Double) -> [Int] {
        let corridor = Corridor(start, end, distance)
        // What is no place is near to nothing.
        guard unsafe top >= 0, corridor.length >= 0, corridor.length < .infinity, distance >= 0 else { return [] }
        // From cells that hold all of it, or nearly, down to where nothing is below: of finer ones a long way meets too many.
        var level = unsafe top
        while level < Self.coarsest, Self.side(level) < corridor.length + 2 * distance { level += 1 }
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

    /// All within a distance of a straight line.
    private struct Corridor {
        let start: SIMD3<Double>
        /// Of length 1; nothing where the line is no more than a point.
        let direction: SIMD3<Double>
        let length: Double
        let distance: Double

        init(_ start: EarthVector, _ end: EarthVector, _ distance: Double) {
            self.start = SIMD3(start.x, start.y, start.z)
            let way = SIMD3(end.x, end.y, end.z) - self.start
            length = (way * way).sum().squareRoot()
            direction = length > 0 ? way / length : .zero
            self.distance = distance
        }

        /// How far along the line it comes nearest to a place.
        func share(nearest place: SIMD3<Double>) -> Double {
            min(max((direction * (place - start)).sum(), 0), length)
        }

        /// The cells of a level that the box around a part of it meets.
        func cells(of level: Int, from: Double, to: Double) -> (low: SIMD3<Int>, high: SIMD3<Int>) {
            let (a, b) = (start + direction * from, start + direction * to)
            return SphereIndex.span(pointwiseMin(a, b) - distance, pointwiseMax(a, b) + distance, level)
        }
    }

    private func collect(
        _ corridor: Corridor, _ level: Int, _ span: (low: SIMD3<Int>, high: SIMD3<Int>), _ found: inout [Int32]
    ) {
        // From the centre of a cell to its corners.
        let corner = Self.side(level) * 0.867
        for kx in span.low.x...span.high.x {
            for ky in span.low.y...span.high.y {
                for kz in span.low.z...span.high.z {
                    let place = SIMD3(kx, ky, kz)
                    let center = Self.center(level, place)
                    let share = corridor.share(nearest: center)
                    let nearest = corridor.start + corridor.direction * share - center
                    let reach = corner + corridor.distance
                    guard (nearest * nearest).sum() <= reach * reach, let slot = slot(of: level, place) else { continue }
                    collect(corridor, cells[slot], level, nearest, share, &found)
                    guard cells[slot].children > 0 else { continue }
                    let first = place &<< 2
                    var inner = corridor.cells(
                        of: level - 1, from: max(0, share - reach), to: min(corridor.length, share + reach))
                    inner.low.replace(with: first, where: first .> inner.low)
                    inner.high.replace(with: first &+ 3, where: first &+ 3 .< inner.high)
                    if all(inner.low .<= inner.high) { collect(corridor, level - 1, inner, &found) }
                }
            }
        }
    }

    /// Finds those spheres of a cell that the corridor may meet, four at a time.
    ///
    /// - Parameters:
    ///   - nearest: Where the line comes nearest to the cell's centre, from there.
    ///   - share: How far along the line that is.
    private func collect(
        _ corridor: Corridor, _ cell: Cell, _ level: Int, _ nearest: SIMD3<Double>, _ share: Double, _ found: inout [Int32]
    ) {
        typealias Lanes = SIMD4<Float>
        let (p, u) = (SIMD3<Float>(nearest), SIMD3<Float>(corridor.direction))
        let (ux, uy, uz) = (Lanes(repeating: u.x), Lanes(repeating: u.y), Lanes(repeating: u.z))
        let least = Lanes(repeating: Float(-share))
        let most = Lanes(repeating: Float(corridor.length - share))
        // The line is no further from the cell than the corridor is wide, which is what 32 bits know it by.
        let reach = Lanes(repeating: Float(corridor.distance * 1.000_001) + 4 * Self.rounding(level))
        for number in Int(cell.start)..<Int(cell.start) + (Int(cell.count) + 3) / 4 {
            let block = arena.blocks[number]
            let (dx, dy, dz) = (block.x - p.x, block.y - p.y, block.z - p.z)
            let along = (dx * ux + dy * uy + dz * uz).clamped(lowerBound: least, upperBound: most)
            let (ex, ey, ez) = (dx - along * ux, dy - along * uy, dz - along * uz)
            let counts = (ex * ex + ey * ey + ez * ez).squareRoot() - block.radius .<= reach
            guard any(counts) else { continue }
            for lane in 0..<4 where counts[lane] { found.append(block.numbers[lane]) }
        }
    }
}
