import DatabaseProblems
import Model
import SQLite

/// The flaws that were found: their number, and the first hundred of them.
package struct StoreFlaws: Sendable {
    package private(set) var first: [StoreFlaw] = []
    package private(set) var count = 0
    private static let maximumKept = 100

    package init() {}

    /// Flaws that another process has found.
    package init(first: [StoreFlaw], count: Int) {
        self.first = first
        self.count = count
    }

    /// Counts a flaw, and stores it if it is among the first hundred.
    package mutating func add(_ kind: StoreFlaw.Kind, _ details: String) {
        count += 1
        if first.count < Self.maximumKept { first.append(StoreFlaw(kind, details)) }
    }
}
