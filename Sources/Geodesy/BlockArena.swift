/// Room for runs of blocks, of a few lengths; what is given back is used again.
@usableFromInline
final class BlockArena {
    @usableFromInline let blocks = SharedBuffer<SphereIndex.Block>()
    /// The starts of free runs, by the number of their length.
    @exclusivity(unchecked) private var free = [[Int32]](repeating: [], count: BlockArena.lengths.count)

    @usableFromInline init() {}

    /// Each half as long again as the one before, or a little more.
    private static let lengths: [Int32] = {
        var lengths: [Int32] = [1, 2, 3]
        while let last = lengths.last, last < 1 << 28 { lengths.append(last + last / 2) }
        return lengths
    }()

    /// Makes room for so many blocks at once.
    func reserve(_ count: Int) { blocks.reserve(count) }

    /// Adds a run of blocks and gives its start.
    func append(from other: BlockArena, _ run: Range<Int>) -> Int32 {
        let start = Int32(blocks.count)
        blocks.append(from: other.blocks, run)
        return start
    }

    /// Takes over the blocks of another.
    func exchange(with other: BlockArena) {
        blocks.exchange(with: other.blocks)
        unsafe swap(&free, &other.free)
    }

    /// A longer run with the blocks of one (of length 0: with none), which is given back.
    func grow(_ start: Int32, _ length: Int32) -> (start: Int32, room: Int32) {
        guard let number = Self.lengths.firstIndex(where: { $0 > length }) else { return (start, length) }
        let room = Self.lengths[number]
        let new: Int32
        if let reused = unsafe free[number].popLast() {
            new = reused
        } else {
            new = Int32(blocks.count)
            blocks.append(.free, count: Int(room))
        }
        for index in 0..<Int(length) { blocks[Int(new) + index] = blocks[Int(start) + index] }
        giveBack(start, length)
        return (new, room)
    }

    /// Gives back a run. Of one that is no usual length, what is over is lost until all is made compact.
    func giveBack(_ start: Int32, _ length: Int32) {
        guard length > 0, let number = Self.lengths.lastIndex(where: { $0 <= length }) else { return }
        for index in 0..<Int(length) { blocks[Int(start) + index] = .free }
        unsafe free[number].append(start)
    }

    /// Writes one sphere of a block.
    func set(_ block: Int, _ lane: Int, _ p: SIMD3<Float>, _ radius: Float, _ number: Int32) {
        var changed = blocks[block]
        changed.x[lane] = p.x
        changed.y[lane] = p.y
        changed.z[lane] = p.z
        changed.radius[lane] = radius
        changed.numbers[lane] = number
        blocks[block] = changed
    }
}
