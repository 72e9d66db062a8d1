// Balls that come and go.

extension SphereIndex {
    /// Adds a ball: a place on the surface and everything within `radius` metres of it, in a straight line.
    ///
    /// - Parameter number: 0 or more; each number once.
    public func insert(_ number: Int, _ center: EarthVector, radius: Double) {
        let ball = Ball(number: Int32(number), center: center, radius: Double(Float(radius)))
        forEachCube(of: ball, level(of: ball), in: nil) { put(ball, $0, $1) }
    }

    /// Removes a ball that was added with just these values.
    public func remove(_ number: Int, _ center: EarthVector, radius: Double) {
        let ball = Ball(number: Int32(number), center: center, radius: Double(Float(radius)))
        forEachCube(of: ball, level(of: ball), in: nil, besides: 2) { take(ball, $0, $1) }
    }

    private struct Ball {
        var number: Int32
        var center: EarthVector
        var radius: Double
    }

    private func level(of ball: Ball) -> Int {
        var level = Self.usual
        while level < Self.coarsest && Self.side(level) < 2 * ball.radius { level += 1 }
        return level
    }

    /// The cubes of a level that a ball meets on the surface: all, or those in one cube of the next coarser level.
    ///
    /// - Parameter besides: So many roundings further, where it may have been put when it was known less well.
    private func forEachCube(
        of ball: Ball, _ level: Int, in parent: SIMD3<Int>?, besides: Double = 0, _ body: (Int, SIMD3<Int>) -> Void
    ) {
        let radius = ball.radius + besides * Double(Self.rounding(level))
        let center = SIMD3(ball.center.x, ball.center.y, ball.center.z)
        var (low, high) = Self.span(center - radius, center + radius, level)
        if let parent {
            let first = parent &<< 2
            low = low.replacing(with: first, where: first .> low)
            high = high.replacing(with: first &+ 3, where: first &+ 3 .< high)
            guard all(low .<= high) else { return }
        }
        for kx in low.x...high.x {
            for ky in low.y...high.y {
                for kz in low.z...high.z {
                    let cube = SIMD3(kx, ky, kz)
                    let p = Self.relative(ball.center, level, cube)
                    if Self.meets(p, radius, level), Self.meetsSurface(level, cube) { body(level, cube) }
                }
            }
        }
    }

    private func put(_ ball: Ball, _ level: Int, _ place: SIMD3<Int>) {
        let slot = makeSlot(level, place)
        if cubes[slot].isSplit, Self.side(level - 1) >= 2 * ball.radius {
            return forEachCube(of: ball, level - 1, in: place) { put(ball, $0, $1) }
        }
        var cube = cubes[slot]
        let wasEmpty = cube.isEmpty
        let block = Int(cube.count) >> 2
        if block == Int(cube.room) {
            let moved = arena.grow(cube.start, cube.room)
            (cube.start, cube.room) = (moved.start, moved.room)
        }
        let p = Self.relative(ball.center, level, place)
        arena.set(Int(cube.start) + block, Int(cube.count) & 3, SIMD3<Float>(p), Float(ball.radius), ball.number)
        cube.count += 1
        cubes[slot] = cube
        unsafe population[level] += 1
        unsafe top = unsafe max(top, level)
        if wasEmpty { adopt(level, place) }
        if cube.count > Self.crowd, level > 0, !cube.isSplit { split(level, place) }
    }

    /// Moves those balls of a crowded cube that fit there to finer cubes; unless too few do.
    private func split(_ level: Int, _ place: SIMD3<Int>) {
        guard let slot = slot(of: level, place) else { return }
        let cube = cubes[slot]
        var moving: [Ball] = []
        for index in 0..<Int(cube.count) {
            let block = arena.blocks[Int(cube.start) + index >> 2]
            guard Double(block.radius[index & 3]) * 2 <= Self.side(level - 1) else { continue }
            let center = Self.center(level, place)
            moving.append(
                Ball(
                    number: block.numbers[index & 3],
                    center: EarthVector(
                        x: center.x + Double(block.x[index & 3]), y: center.y + Double(block.y[index & 3]),
                        z: center.z + Double(block.z[index & 3])), radius: Double(block.radius[index & 3])))
        }
        guard moving.count * 2 > Self.crowd else { return }
        for ball in moving { take(ball, level, place) }
        cubes[slot].isSplit = true
        for ball in moving { put(ball, level, place) }
    }

    private func take(_ ball: Ball, _ level: Int, _ place: SIMD3<Int>) {
        guard let slot = slot(of: level, place) else { return }
        if cubes[slot].isSplit, Self.side(level - 1) >= 2 * ball.radius {
            return forEachCube(of: ball, level - 1, in: place, besides: 2) { take(ball, $0, $1) }
        }
        var cube = cubes[slot]
        let start = Int(cube.start)
        guard
            let found = (0..<Int(cube.count)).first(where: { arena.blocks[start + $0 >> 2].numbers[$0 & 3] == ball.number })
        else { return }
        // The last one takes its place.
        let last = Int(cube.count) - 1
        let moved = arena.blocks[start + last >> 2]
        arena.set(
            start + found >> 2, found & 3, SIMD3(moved.x[last & 3], moved.y[last & 3], moved.z[last & 3]),
            moved.radius[last & 3], moved.numbers[last & 3])
        arena.set(start + last >> 2, last & 3, .zero, -.infinity, -1)
        cube.count -= 1
        if cube.count == 0 {
            arena.giveBack(cube.start, cube.room)
            cube.room = 0
        }
        cubes[slot] = cube
        unsafe population[level] -= 1
        while unsafe top >= 0 && population[top] == 0 { unsafe top -= 1 }
        if cube.isEmpty { disown(level, place) }
    }

    /// Notes in the coarser cubes around one that it holds something now.
    private func adopt(_ level: Int, _ place: SIMD3<Int>) {
        guard level < Self.coarsest else { return }
        let parent = place &>> 2
        let slot = makeSlot(level + 1, parent)
        let wasEmpty = cubes[slot].isEmpty
        cubes[slot].children += 1
        if wasEmpty { adopt(level + 1, parent) }
    }

    /// Notes in the coarser cubes around one that it holds nothing any more.
    private func disown(_ level: Int, _ place: SIMD3<Int>) {
        guard level < Self.coarsest else { return }
        let parent = place &>> 2
        guard let slot = slot(of: level + 1, parent) else { return }
        cubes[slot].children -= 1
        if cubes[slot].isEmpty { disown(level + 1, parent) }
    }

    /// Makes room for so many balls at once, if they are small.
    public func reserve(_ count: Int) { arena.reserve(count) }

    /// Gives back all room that is not needed now: after many were added.
    ///
    /// - Complexity: O(n) in the balls.
    public func compact() {
        rehash(to: cubes.indices.count { cubes[$0].key != Self.nowhere && !cubes[$0].isEmpty } * 8 / 5)
        let compact = BlockArena()
        compact.reserve(cubes.indices.reduce(0) { $0 + (Int(cubes[$1].count) + 3) / 4 })
        for index in cubes.indices where cubes[index].count > 0 {
            let cube = cubes[index]
            let room = (cube.count + 3) / 4
            cubes[index].start = compact.append(from: arena, Int(cube.start)..<Int(cube.start + room))
            cubes[index].room = room
        }
        arena.exchange(with: compact)
    }
}
