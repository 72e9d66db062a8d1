import Model

/// Maps names of devices to their numbers in a batch. A known name is found by a hash of its bytes and compared byte by byte, without
/// creating a string.
struct DeviceInterner {
    private struct InternedName {
        var hash: UInt64
        /// The start of the name in `bytes`.
        var start: Int
        var count: Int
        var number: Int32
        /// The value of `DeviceInterner.life` for which the number is valid.
        var generation: Int
    }

    private var entries: [InternedName] = []
    /// Hash table of indices into `entries`, with open addressing and linear probing; −1 is free. At most half full.
    private var slots = [Int32](repeating: -1, count: 64)
    private var bytes: [UInt8] = []
    private var last = -1
    private var generation = 0
    private var names: [String] = []

    /// Call before a piece of input is decoded into `batch`. If `batch` is not the one of the previous call, all numbers are looked up
    /// again.
    ///
    /// The batch's names are kept between `end(_:)` and this call. Copy-on-write storage cannot change while it is shared, so equal storage
    /// proves that the numbers are still valid.
    mutating func begin(_ batch: FixBatch) {
        let isSame = unsafe names.withUnsafeBufferPointer { mine in
            unsafe batch.deviceNames.withUnsafeBufferPointer { theirs in
                unsafe mine.baseAddress == theirs.baseAddress && mine.count == theirs.count
            }
        }
        names = []
        if !isSame { generation += 1 }
    }

    /// Call after a piece of input was decoded into `batch`.
    mutating func end(_ batch: FixBatch) { names = batch.deviceNames }

    /// The number of the device named by `range`; nil if those bytes are not a valid name.
    @inline(__always)
    mutating func number(_ input: Bytes, _ range: Range<Int>, in batch: inout FixBatch) -> Int32? {
        if last >= 0, entries[last].generation == generation, isName(last, input, range) { return entries[last].number }
        return find(input, range, in: &batch)
    }

    /// The number of the device with that name; nil if the name is not valid.
    mutating func number(_ name: String, in batch: inout FixBatch) -> Int32? {
        name.withBytes { number($0, 0..<$0.count, in: &batch) }
    }

    private mutating func find(_ input: Bytes, _ range: Range<Int>, in batch: inout FixBatch) -> Int32? {
        let hash = Self.hash(input, range)
        var slot = Int(truncatingIfNeeded: hash) & (slots.count - 1)
        while slots[slot] >= 0 {
            let index = Int(slots[slot])
            if entries[index].hash == hash, isName(index, input, range) {
                if entries[index].generation != generation {
                    entries[index].number = batch.number(ofDevice: input.text(range))
                    entries[index].generation = generation
                }
                last = index
                return entries[index].number
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard let name = input.validText(range), Identifier.flaw(inDevice: name) == nil else { return nil }
        let number = batch.number(ofDevice: name)
        slots[slot] = Int32(entries.count)
        last = entries.count
        entries.append(InternedName(hash: hash, start: bytes.count, count: range.count, number: number, generation: generation))
        input.append(range, to: &bytes)
        if entries.count * 2 > slots.count { grow() }
        return number
    }

    @inline(__always)
    private func isName(_ index: Int, _ input: Bytes, _ range: Range<Int>) -> Bool {
        let start = entries[index].start
        guard entries[index].count == range.count else { return false }
        let name = bytes.span
        for offset in 0..<range.count where name[start + offset] != input[range.lowerBound + offset] { return false }
        return true
    }

    private mutating func grow() {
        slots = [Int32](repeating: -1, count: slots.count * 2)
        for (index, entry) in entries.enumerated() {
            var slot = Int(truncatingIfNeeded: entry.hash) & (slots.count - 1)
            while slots[slot] >= 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(index)
        }
    }

    /// Hashes eight bytes at a time: a multiplication, and the exclusive or of the two halves of its product.
    private static func hash(_ input: Bytes, _ range: Range<Int>) -> UInt64 {
        var hash = UInt64(truncatingIfNeeded: range.count) ^ 0x9E37_79B9_7F4A_7C15
        var index = range.lowerBound
        while index < range.upperBound {
            let end = min(index + 8, range.upperBound)
            var word: UInt64 = 0
            while index < end {
                word = word << 8 | UInt64(input[index])
                index += 1
            }
            let product = (hash ^ word).multipliedFullWidth(by: 0xD6E8_FEB8_6659_FD93)
            hash = product.high ^ product.low
        }
        return hash
    }
}
