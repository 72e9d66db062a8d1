/// The devices in memory, by slot.
///
/// An element is read and changed where it lies: see `Slot`.
@safe final class SlotTable {
    private var base = UnsafeMutablePointer<ServiceWriter.Slot>.allocate(capacity: 8)
    private(set) var count = 0
    private var capacity = 8

    deinit {
        unsafe base.deinitialize(count: count)
        unsafe base.deallocate()
    }

    var indices: Range<Int> { 0..<count }

    subscript(index: Int) -> ServiceWriter.Slot {
        unsafeAddress {
            precondition(indices.contains(index), "a slot that is out of range")
            return unsafe UnsafePointer(base + index)
        }
        unsafeMutableAddress {
            precondition(indices.contains(index), "a slot that is out of range")
            return unsafe base + index
        }
    }

    func append(_ slot: ServiceWriter.Slot) {
        if count == capacity {
            let grown = UnsafeMutablePointer<ServiceWriter.Slot>.allocate(capacity: capacity * 2)
            unsafe grown.moveInitialize(from: base, count: count)
            unsafe base.deallocate()
            unsafe base = grown
            capacity *= 2
        }
        unsafe (base + count).initialize(to: slot)
        count += 1
    }

    func removeLast() {
        precondition(count > 0, "there is no slot")
        count -= 1
        unsafe (base + count).deinitialize(count: 1)
    }
}
