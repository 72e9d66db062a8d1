import Model

/// The flaws that were found: their number, and the first hundred of them.
package struct StoreFlaws: Sendable {
    private var flaws = BoundedList<StoreFlaw>()

    package var first: [StoreFlaw] { Array(flaws) }
    package var count: Int { flaws.total }

    package init() {}

    /// Flaws that another process has found.
    package init(first: [StoreFlaw], count: Int) { flaws = BoundedList(first, total: count) }

    /// Counts a flaw, and stores it if it is among the first hundred.
    package mutating func add(_ kind: StoreFlaw.Kind, _ details: String) { flaws.append(StoreFlaw(kind, details)) }
}
