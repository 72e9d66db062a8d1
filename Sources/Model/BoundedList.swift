/// The first entries of a list that grows with an input, and the number of all entries. However long the list is, it takes the memory of
/// a fixed number of entries.
///
/// As a collection, it has the entries that are kept; `total` is the number of all.
package struct BoundedList<Element> {
    /// The maximum number of entries that are kept unless a list has another maximum.
    package static var maxEntries: Int { 100 }

    private var entries: [Element] = []
    private let limit: Int
    /// The number of all entries, including those that are not kept.
    package private(set) var total = 0

    /// The number of all entries; nil if all are kept.
    package var totalUnlessKept: Int? { total > entries.count ? total : nil }

    /// - Parameter limit: The maximum number of entries that are kept.
    package init(limit: Int = maxEntries) { self.limit = limit }

    /// Creates a list of some entries, and keeps the first ones.
    ///
    /// - Parameters:
    ///   - total: The number of all entries, if `entries` are only the first of them.
    ///   - limit: The maximum number of entries that are kept.
    package init(_ entries: some Sequence<Element>, total: Int = 0, limit: Int = maxEntries) {
        self.limit = limit
        for entry in entries { append(entry) }
        self.total = Swift.max(self.total, total)
    }

    /// Adds an entry.
    ///
    /// - Parameter entry: Not computed if it would not be kept.
    package mutating func append(_ entry: @autoclosure () -> Element) {
        total += 1
        if entries.count < limit { entries.append(entry()) }
    }

    /// Adds the entries of another list.
    package static func += (list: inout Self, other: Self) {
        list.entries += other.entries.prefix(list.limit - list.entries.count)
        list.total += other.total
    }

    /// Adds entries.
    package static func += (list: inout Self, others: [Element]) {
        list.entries += others.prefix(list.limit - list.entries.count)
        list.total += others.count
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
