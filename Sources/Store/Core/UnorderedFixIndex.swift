import Model

/// Finds fixes that are not in order by device and time yet (`fix_order`), by what makes two fixes the same: device, time and coordinate.
///
/// It is in memory, so that storing a fix costs no page of the file. It covers the newest fixes: those that this process has stored, and
/// some that it has read. A block covers consecutive numbers of the input log, in an open-addressed hash table of half its capacity.
///
/// Memory: 8 bytes for each number, at most 32 MB.
struct UnorderedFixIndex {
    static let usualBlockSize: Int64 = 4096
    /// The numbers that a block covers.
    private let blockSize: Int64
    private let maximumBlocks: Int
    /// In ascending order of their numbers.
    private var blocks: [Block] = []
    /// All fixes with a greater number are in the index; nil for none.
    private(set) var startsAfter: Int64?

    /// - Parameters:
    ///   - blockSize: The numbers of a block, a power of two and at most 4096.
    ///   - maximumBlocks: The number of blocks beyond which the oldest is dropped.
    init(blockSize: Int64 = usualBlockSize, maximumBlocks: Int = 1024) {
        self.blockSize = blockSize
        self.maximumBlocks = maximumBlocks
    }

    private struct Block {
        /// The number of the block: the numbers that it covers, divided by their count.
        let number: Int64
        /// The low 13 bits of a slot are one more than the place of a fix in the block, and the others are bits of its hash; 0 is empty, and
        /// `removed` is the slot of a fix that was removed.
        private var slots: [UInt32]
        private var used = 0

        init(number: Int64, size: Int64) {
            self.number = number
            slots = Array(repeating: 0, count: Int(size) * 2)
        }

        /// Whether another fix leaves an empty slot, at which each search ends.
        var hasRoom: Bool { used < slots.count - 1 }

        private static let removed: UInt32 = 0x1FFF

        private static func slot(_ hash: UInt64, _ place: Int64) -> UInt32 {
            UInt32(truncatingIfNeeded: hash >> 32) & ~0x1FFF | UInt32(place + 1)
        }

        mutating func add(_ hash: UInt64, place: Int64) {
            var index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[index] != 0, slots[index] != Self.removed { index = (index + 1) & (slots.count - 1) }
            if slots[index] == 0 { used += 1 }
            slots[index] = Self.slot(hash, place)
        }

        /// Removes the fixes from a place on.
        mutating func remove(from place: Int64) {
            for index in slots.indices where Int64(slots[index] & 0x1FFF) > place { slots[index] = Self.removed }
        }

        /// Calls `body` with the place of each fix that may have a hash.
        func forEachPlace(_ hash: UInt64, _ body: (Int64) -> Void) {
            var index = Int(truncatingIfNeeded: hash) & (slots.count - 1)
            while slots[index] != 0 {
                let slot = slots[index]
                if slot != Self.removed, slot & ~0x1FFF == Self.slot(hash, 0) & ~0x1FFF { body(Int64(slot & 0x1FFF) - 1) }
                index = (index + 1) & (slots.count - 1)
            }
        }
    }

    private static func hash(_ device: DeviceKey, _ fix: Fix) -> UInt64 {
        // Adding 0 makes negative zero the same as zero.
        var hash = mixed(UInt64(bitPattern: device.value), UInt64(bitPattern: fix.time.milliseconds))
        hash = mixed(hash, (fix.coordinate.latitude + 0).bitPattern)
        return mixed(hash, (fix.coordinate.longitude + 0).bitPattern)
    }

    private static func mixed(_ hash: UInt64, _ part: UInt64) -> UInt64 {
        var generator = SplitMix64(state: hash ^ part)
        return generator.next()
    }

    /// Adds a fix that was appended to the input log.
    mutating func append(_ fix: Fix, of device: DeviceKey, number: Int64) {
        if startsAfter == nil { startsAfter = number - 1 }
        if blocks.last.map({ $0.number < number / blockSize }) ?? true {
            blocks.append(Block(number: number / blockSize, size: blockSize))
            if blocks.count > maximumBlocks { removeOldestBlock() }
        }
        guard blocks[blocks.count - 1].hasRoom else { return removeAll() }
        blocks[blocks.count - 1].add(Self.hash(device, fix), place: number % blockSize)
    }

    /// Adds fixes that are older than all others in the index.
    ///
    /// - Parameters:
    ///   - fixes: All fixes after `start` that are not in the index, in ascending order of their numbers.
    ///   - start: The number after which the index is complete then.
    mutating func prepend(_ fixes: [(fix: Fix, device: DeviceKey, number: Int64)], after start: Int64) {
        for (fix, device, number) in fixes.reversed() {
            if blocks.first.map({ $0.number > number / blockSize }) ?? true {
                blocks.insert(Block(number: number / blockSize, size: blockSize), at: 0)
            }
            guard blocks[0].hasRoom else { return removeAll() }
            blocks[0].add(Self.hash(device, fix), place: number % blockSize)
        }
        startsAfter = start
    }

    /// The numbers of the fixes after `ordered` that may be the same as a fix: all that are, and hardly others.
    ///
    /// - Complexity: O(blocks), about 50 nanoseconds each.
    func numbers(like fix: Fix, of device: DeviceKey, after ordered: Int64) -> [Int64] {
        let hash = Self.hash(device, fix)
        var found: [Int64] = []
        for block in blocks.reversed() {
            if (block.number + 1) * blockSize <= ordered { break }
            block.forEachPlace(hash) { found.append(block.number * blockSize + $0) }
        }
        return found
    }

    /// The number of blocks with fixes after `ordered`.
    func blockCount(after ordered: Int64) -> Int { blocks.count { ($0.number + 1) * blockSize > ordered } }

    /// Drops the blocks whose fixes are all in order.
    mutating func removeBlocks(upTo ordered: Int64) {
        while let first = blocks.first, (first.number + 1) * blockSize <= ordered { removeOldestBlock() }
    }

    /// Removes the fixes from a number on, because the transaction that has appended them has failed.
    ///
    /// - Complexity: O(removed blocks + size of a block).
    mutating func removeFixes(from number: Int64) {
        // No fix from this number on is left.
        startsAfter = startsAfter.map { min($0, number - 1) }
        while let last = blocks.last, last.number > number / blockSize { blocks.removeLast() }
        guard let last = blocks.last, last.number == number / blockSize else { return }
        blocks[blocks.count - 1].remove(from: number % blockSize)
    }

    mutating func removeAll() { self = Self(blockSize: blockSize, maximumBlocks: maximumBlocks) }

    private mutating func removeOldestBlock() {
        let oldest = blocks.removeFirst()
        startsAfter = max(startsAfter ?? 0, (oldest.number + 1) * blockSize - 1)
    }
}
