/// The first entries of a list that grows with an input, and the number of all entries. However long the list is, it takes the memory of
/// `maxEntries` entries.
///
/// As a collection, it has the entries that are kept; `total` is the number of all.
package struct BoundedList<Element> {
    /// The maximum number of entries that are kept.
    package static var maxEntries: Int { 100 }

    private var entries: [Element] = []
    /// The number of all entries, including those that are not kept.
    package private(set) var total = 0

    package init() {}

    /// Makes a list of some entries, of which the first are kept.
    ///
    /// - Parameter total: The number of all entries, if `entries` are only the first of them.
    package init(_ entries: some Sequence<Element>, total: Int = 0) {
        for entry in entries { append(entry) }
        self.total = Swift.max(self.total, total)
    }

    /// Adds an entry.
    ///
    /// - Parameter entry: Is not computed if it would not be kept.
    package mutating func append(_ entry: @autoclosure () -> Element) {
        total += 1
        if entries.count < Self.maxEntries { entries.append(entry()) }
    }

    /// Adds the entries of another list.
    package static func += (list: inout Self, other: Self) {
        list.entries += other.entries.prefix(maxEntries - list.entries.count)
        list.total += other.total
    }
}

extension BoundedList: RandomAccessCollection, MutableCollection {
    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }

    package subscript(index: Int) -> Element {
        get { entries[index] }
        set { entries[index] = newValue }
    }
}

extension BoundedList: ExpressibleByArrayLiteral {
    package init(arrayLiteral entries: Element...) { self.init(entries) }
}

extension BoundedList: Sendable where Element: Sendable {}
extension BoundedList: Equatable where Element: Equatable {}
