import DatabaseProblems
import Model
import SQLite

/// Flaws that were found: all are counted, the first hundred are kept.
package struct StoreFlaws: Sendable {
    package private(set) var first: [StoreFlaw] = []
    package private(set) var count = 0
    private static let most = 100

    package init() {}

    package mutating func add(_ kind: StoreFlaw.Kind, _ details: String) {
        count += 1
        if first.count < Self.most { first.append(StoreFlaw(kind, details)) }
    }
}
