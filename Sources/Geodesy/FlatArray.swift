/// A growing array for the paths that every fix takes: reading it counts no references and checks no exclusive access.
///
/// It is shared, not copied. Any number may read it at a time; whoever changes it has to be alone with it, which its owners see to.
public final class FlatArray<Element>: @unchecked Sendable {
    @exclusivity(unchecked) @usableFromInline
    var base: UnsafeMutablePointer<Element>
    @exclusivity(unchecked) @usableFromInline
    var used = 0
    @exclusivity(unchecked) @usableFromInline
    var capacity = 0

    public init() { base = Self.room(0) }

    /// Room that begins with a line of the processor's cache. Much of it is asked for in large pages: then the processor seldom has
    /// to look up where one is.
    private static func room(_ count: Int) -> UnsafeMutablePointer<Element> {
        let bytes = max(1, count) * MemoryLayout<Element>.stride
        let largePage = 1 << 21
        let room = UnsafeMutableRawPointer.allocate(
            byteCount: bytes, alignment: bytes < largePage ? max(64, MemoryLayout<Element>.alignment) : largePage)
        #if os(Linux)
            // Where the system has none, all is as it was.
            if bytes >= largePage { madvise(room, bytes, MADV_HUGEPAGE) }
        #endif
        return room.bindMemory(to: Element.self, capacity: count)
    }

    public convenience init(repeating element: Element, count: Int) {
        self.init()
        append(element, count: count)
    }

    deinit {
        base.deinitialize(count: used)
        base.deallocate()
    }

    @inlinable
    public subscript(index: Int) -> Element {
        get {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "an index that is out of range")
            return base[index]
        }
        set {
            precondition(UInt(bitPattern: index) < UInt(bitPattern: used), "an index that is out of range")
            base[index] = newValue
        }
    }

    @inlinable public var count: Int { used }

    /// Where an element lies in memory: to be asked for, not to be read.
    @inlinable public func address(of index: Int) -> UnsafeRawPointer { UnsafeRawPointer(base + index) }

    public var indices: Range<Int> { 0..<used }

    /// Makes room for so many in all.
    public func reserve(_ wanted: Int) {
        guard wanted > capacity else { return }
        let new = Self.room(wanted)
        new.moveInitialize(from: base, count: used)
        base.deallocate()
        base = new
        capacity = wanted
    }

    @inlinable
    public func append(_ element: Element) {
        if used == capacity { reserve(max(8, capacity + capacity / 2)) }
        (base + used).initialize(to: element)
        used += 1
    }

    /// Appends so many times the same; a count below 1 is none.
    public func append(_ element: Element, count: Int) {
        guard count > 0 else { return }
        if used + count > capacity { reserve(used == 0 ? count : max(used + count, capacity + capacity / 2)) }
        (base + used).initialize(repeating: element, count: count)
        used += count
    }

    public func removeAll() {
        base.deinitialize(count: used)
        used = 0
    }

    /// Takes over the elements of another, which is left with those of this one.
    func exchange(with other: FlatArray<Element>) {
        swap(&base, &other.base)
        swap(&used, &other.used)
        swap(&capacity, &other.capacity)
    }

    /// Appends copies of some of another's elements.
    func append(from other: FlatArray<Element>, _ range: Range<Int>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= other.used, "a range that is out of range")
        if used + range.count > capacity { reserve(max(used + range.count, capacity + capacity / 2)) }
        (base + used).initialize(from: other.base + range.lowerBound, count: range.count)
        used += range.count
    }

    /// Bytes that it takes, beside what its elements refer to.
    public var bytes: Int { capacity * MemoryLayout<Element>.stride }
}
