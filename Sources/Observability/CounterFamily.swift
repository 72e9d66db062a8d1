import Synchronization

/// One counter for each case of an enumeration.
package final class CounterFamily<Label: CaseIterable & Hashable & Sendable & RawRepresentable<String>>: Sendable {
    private let counters: [Label: Counter]

    package init() {
        var counters: [Label: Counter] = [:]
        for label in Label.allCases { counters[label] = Counter() }
        self.counters = counters
    }

    package func add(_ label: Label, _ number: Int = 1) { counters[label]?.add(number) }

    /// The label and the count of each case, in the order of the cases.
    package var values: [(label: String, count: UInt64)] {
        Label.allCases.map { ($0.rawValue, counters[$0]?.value ?? 0) }
    }
}
