#if canImport(Darwin)
    import Darwin
#else
    import CStandardLibrary
#endif

/// A growing array without reference counting or exclusivity checks on access, for code that runs for every fix.
///
/// It has reference semantics and belongs to one thread.
@safe public final class SharedBuffer<Element> {
    @exclusivity(unchecked) @usableFromInline
    var base: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) @usableFromInline
    var used = 0
    @exclusivity(unchecked) @usableFromInline
    var capacity = 0

    /// Creates an empty buffer.
    public init() { unsafe base = Self.allocate(0) }

    /// Allocates memory that starts at a cache line. Large allocations use huge pages where the system has them, which saves address
    /// translations.
    private static func allocate(_ count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = max(1, count) * MemoryLayout<Element>.stride
        let largePage = 1 << 21
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: bytes, alignment: bytes < largePage ? max(64, MemoryLayout<Element>.alignment) : largePage)
        #if os(Linux)
            // Without huge pages the call has no effect.
            if bytes >= largePage { unsafe madvise(room, bytes, MADV_HUGEPAGE) }
        #endif
        return unsafe room.bindMemory(to: Element.self, capacity: count)
    }

    /// Creates a buffer of `count` equal elements.
    public convenience init(repeating element: Element, count: Int) {
        self.init()
        append(element, count: count)
    }

    deinit {
        unsafe base.deinitialize(count: used)
        unsafe base.deallocate()
    }

    /// The element at an index. Traps if the index is out of range.
    @inlinable
    public subscript(index: Int) -> Element {
        get {
            unsafe precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "an index that is out of range")
            return unsafe base[index]
        }
        set {
            unsafe precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "an index that is out of range")
            unsafe base[index] = newValue
        }
    }

    /// A range of elements with one bounds check. The pointer is valid until the array changes.
    @inlinable
    subscript(start: Int, count count: Int) -> UnsafeBufferPointer<Element> {
        unsafe precondition(start >= 0 && count >= 0 && start <= used - count, "a range that is out of range")
        return unsafe UnsafeBufferPointer(start: base + start, count: count)
    }

    /// The number of elements.
    @inlinable public var count: Int { unsafe used }

    /// The address of an element, for prefetching only.
    @inlinable public func address(of index: Int) -> UnsafeRawPointer { unsafe UnsafeRawPointer(base + index) }

    /// The range of the valid indices.
    public var indices: Range<Int> { unsafe 0..<used }

    /// Reserves capacity for a total number of elements.
    public func reserve(_ wanted: Int) {
        guard unsafe wanted > capacity else { return }
        let new = unsafe Self.allocate(wanted)
        unsafe new.moveInitialize(from: base, count: used)
        unsafe base.deallocate()
        unsafe base = new
        unsafe capacity = wanted
    }

    /// - Complexity: Amortized O(1).
    @inlinable
    public func append(_ element: Element) {
        if unsafe used == capacity { unsafe reserve(max(8, capacity + capacity / 2)) }
        unsafe (base + used).initialize(to: element)
        unsafe used += 1
    }

    /// Appends an element `count` times; a count below 1 appends nothing.
    public func append(_ element: Element, count: Int) {
        guard count > 0 else { return }
        if unsafe used + count > capacity { unsafe reserve(used == 0 ? count : max(used + count, capacity + capacity / 2)) }
        unsafe (base + used).initialize(repeating: element, count: count)
        unsafe used += count
    }

    /// Appends copies of all elements of another buffer.
    public func append(contentsOf other: SharedBuffer<Element>) { append(from: other, other.indices) }

    /// Removes all elements and keeps the capacity.
    public func removeAll() {
        unsafe base.deinitialize(count: used)
        unsafe used = 0
    }

    /// Swaps the elements of two buffers.
    func swapContents(with other: SharedBuffer<Element>) {
        unsafe swap(&base, &other.base)
        unsafe swap(&used, &other.used)
        unsafe swap(&capacity, &other.capacity)
    }

    /// Appends copies of a range of another buffer's elements.
    func append(from other: SharedBuffer<Element>, _ range: Range<Int>) {
        unsafe precondition(range.lowerBound >= 0 && range.upperBound <= other.used, "a range that is out of range")
        if unsafe used + range.count > capacity {
            unsafe reserve(used == 0 ? range.count : max(used + range.count, capacity + capacity / 2))
        }
        unsafe (base + used).initialize(from: other.base + range.lowerBound, count: range.count)
        unsafe used += range.count
    }

    /// The size of the allocation in bytes, without memory that elements refer to.
    public var bytes: Int { unsafe capacity * MemoryLayout<Element>.stride }
}
