/// Allocates runs of blocks in one buffer. Runs come in a few lengths, and released runs are reused.
@usableFromInline
final class BlockArena {
    @usableFromInline let blocks = SharedBuffer<SphereIndex.Block>()
    /// The starts of free runs, indexed like `lengths`.
    @exclusivity(unchecked) private var free = [[Int32]](repeating: [], count: BlockArena.lengths.count)

    @usableFromInline init() {}

    /// Each length is about 1.5 times the one before.
    private static let lengths: [Int32] = {
        var lengths: [Int32] = [1, 2, 3]
        while let last = lengths.last, last < 1 << 28 { lengths.append(last + last / 2) }
        return lengths
    }()

    /// Reserves capacity for a number of blocks.
    func reserve(_ count: Int) { blocks.reserve(count) }

    /// Appends a copy of a run of another arena and returns its start.
    func append(from other: BlockArena, _ run: Range<Int>) -> Int32 {
        let start = Int32(blocks.count)
        blocks.append(from: other.blocks, run)
        return start
    }

    /// Appends the contents of another arena to this one, which must be empty.
    func append(contentsOf other: BlockArena) {
        blocks.append(contentsOf: other.blocks)
        unsafe free = other.free
    }

    /// Swaps the contents of two arenas.
    func swapContents(with other: BlockArena) {
        blocks.swapContents(with: other.blocks)
        unsafe swap(&free, &other.free)
    }

    /// Allocates a longer run, moves the blocks of a run into it, and releases the old run. A `length` of 0 means that there is no old run.
    ///
    /// - Returns: The start and the length of the new run.
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
        release(start, length)
        return (new, room)
    }

    /// Releases a run. If its length is not in `lengths`, the excess is unused until the index is compacted.
    func release(_ start: Int32, _ length: Int32) {
        guard length > 0, let number = Self.lengths.lastIndex(where: { $0 <= length }) else { return }
        for index in 0..<Int(length) { blocks[Int(start) + index] = .free }
        unsafe free[number].append(start)
    }

    /// Writes one of the four spheres of a block.
    func set(block: Int, lane: Int, center p: SIMD3<Float>, radius: Float, number: Int32) {
        var changed = blocks[block]
        changed.x[lane] = p.x
        changed.y[lane] = p.y
        changed.z[lane] = p.z
        changed.radius[lane] = radius
        changed.numbers[lane] = number
        blocks[block] = changed
    }
}
