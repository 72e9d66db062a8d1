/// A growing array for the paths that every fix takes: reading it counts no references and checks no exclusive access.
///
/// It is shared, not copied, and belongs to one thread.
@safe public final class SharedBuffer<Element> {
    @exclusivity(unchecked) @usableFromInline
    var base: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) @usableFromInline
    var used = 0
    @exclusivity(unchecked) @usableFromInline
    var capacity = 0

    public init() { unsafe base = Self.room(0) }

    /// Room that begins with a line of the processor's cache. Much of it is asked for in large pages: then the processor seldom has
    /// to look up where one is.
    private static func room(_ count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = max(1, count) * MemoryLayout<Element>.stride
        let largePage = 1 << 21
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: bytes, alignment: bytes < largePage ? max(64, MemoryLayout<Element>.alignment) : largePage)
        #if os(Linux)
            // Where the system has none, all is as it was.
            if bytes >= largePage { unsafe madvise(room, bytes, MADV_HUGEPAGE) }
        #endif
        return unsafe room.bindMemory(to: Element.self, capacity: count)
    }

    public convenience init(repeating element: Element, count: Int) {
        self.init()
        append(element, count: count)
    }

    deinit {
        unsafe base.deinitialize(count: used)
        unsafe base.deallocate()
    }

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

    /// Some elements in a row, checked once instead of one by one. To be used before the array changes.
    @inlinable
    subscript(start: Int, count count: Int) -> UnsafeBufferPointer<Element> {
        unsafe precondition(start >= 0 && count >= 0 && start <= used - count, "a range that is out of range")
        return unsafe UnsafeBufferPointer(start: base + start, count: count)
    }

    @inlinable public var count: Int { unsafe used }

    /// Where an element lies in memory: to be asked for, not to be read.
    @inlinable public func address(of index: Int) -> UnsafeRawPointer { unsafe UnsafeRawPointer(base + index) }

    public var indices: Range<Int> { unsafe 0..<used }

    /// Makes room for so many in all.
    public func reserve(_ wanted: Int) {
        guard unsafe wanted > capacity else { return }
        let new = unsafe Self.room(wanted)
        unsafe new.moveInitialize(from: base, count: used)
        unsafe base.deallocate()
        unsafe base = new
        unsafe capacity = wanted
    }

    @inlinable
    public func append(_ element: Element) {
        if unsafe used == capacity { unsafe reserve(max(8, capacity + capacity / 2)) }
        unsafe (base + used).initialize(to: element)
        unsafe used += 1
    }

    /// Appends so many times the same; a count below 1 is none.
    public func append(_ element: Element, count: Int) {
        guard count > 0 else { return }
        if unsafe used + count > capacity { unsafe reserve(used == 0 ? count : max(used + count, capacity + capacity / 2)) }
        unsafe (base + used).initialize(repeating: element, count: count)
        unsafe used += count
    }

    public func removeAll() {
        unsafe base.deinitialize(count: used)
        unsafe used = 0
    }

    /// Takes over the elements of another, which is left with those of this one.
    func exchange(with other: SharedBuffer<Element>) {
        unsafe swap(&base, &other.base)
        unsafe swap(&used, &other.used)
        unsafe swap(&capacity, &other.capacity)
    }

    /// Appends copies of some of another's elements.
    func append(from other: SharedBuffer<Element>, _ range: Range<Int>) {
        unsafe precondition(range.lowerBound >= 0 && range.upperBound <= other.used, "a range that is out of range")
        if unsafe used + range.count > capacity { unsafe reserve(max(used + range.count, capacity + capacity / 2)) }
        unsafe (base + used).initialize(from: other.base + range.lowerBound, count: range.count)
        unsafe used += range.count
    }

    /// Bytes that it takes, beside what its elements refer to.
    public var bytes: Int { unsafe capacity * MemoryLayout<Element>.stride }
}
