// Finding spheres near a line or around a position.

extension SphereIndex {
    /// The numbers of all spheres that may meet the sphere around `center` with a radius in meters, ascending, each once.
    ///
    /// - Complexity: O(cells that the sphere meets + spheres in them).
    public func numbers(meeting center: EarthVector, _ radius: Double) -> [Int] {
        numbers(along: center, center, within: radius)
    }

    /// The numbers of all spheres that may come within `distance` meters of the straight line between two positions, ascending, each once.
    ///
    /// A sphere is certain to be found only if it meets the line's surroundings at the earth's surface.
    ///
    /// - Complexity: O(cells that the line's surroundings meet + spheres in those cells).
    public func numbers(along start: EarthVector, _ end: EarthVector, within distance: Double) -> [Int] {
        let corridor = Corridor(start, end, distance)
        // Positions with NaN coordinates are near no sphere.
        guard unsafe top >= 0, corridor.length >= 0, corridor.length < .infinity, distance >= 0 else { return [] }
        // The search starts at cells that contain nearly the whole corridor, because a long corridor meets too many finer cells.
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

    /// All points within a distance of a line segment, in meters.
    private struct Corridor {
        let start: SIMD3<Double>
        /// Unit vector; zero if the segment is a point.
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

        /// Meters along the segment to its point nearest to a position.
        func share(nearest place: SIMD3<Double>) -> Double {
            min(max((direction * (place - start)).sum(), 0), length)
        }

        /// The range of cells that the box around a part of the corridor meets.
        func cells(of level: Int, from: Double, to: Double) -> (low: SIMD3<Int>, high: SIMD3<Int>) {
            let (a, b) = (start + direction * from, start + direction * to)
            return SphereIndex.span(pointwiseMin(a, b) - distance, pointwiseMax(a, b) + distance, level)
        }
    }

    private func collect(
        _ corridor: Corridor, _ level: Int, _ span: (low: SIMD3<Int>, high: SIMD3<Int>), _ found: inout [Int32]
    ) {
        // The distance from the center of a cell to its corners: √3 / 2 of its side.
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

    /// Finds the spheres of a cell that the corridor may meet, four at a time.
    ///
    /// - Parameters:
    ///   - nearest: The segment's point nearest to the cell's center, relative to that center.
    ///   - share: Meters along the segment to that point.
    private func collect(
        _ corridor: Corridor, _ cell: Cell, _ level: Int, _ nearest: SIMD3<Double>, _ share: Double, _ found: inout [Int32]
    ) {
        typealias Lanes = SIMD4<Float>
        let (p, u) = (SIMD3<Float>(nearest), SIMD3<Float>(corridor.direction))
        let (ux, uy, uz) = (Lanes(repeating: u.x), Lanes(repeating: u.y), Lanes(repeating: u.z))
        let least = Lanes(repeating: Float(-share))
        let most = Lanes(repeating: Float(corridor.length - share))
        // The width is enlarged by the rounding errors of 32-bit coordinates.
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
