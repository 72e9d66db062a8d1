/// A range of days.
package struct DateSpan: Hashable, Sendable, CustomStringConvertible {
    package var first: LocalDate
    package var last: LocalDate

    /// Parses `2026-12-24` or `2026-12-24..2027-01-06`; nil for anything else, and when the last day is before the first.
    package init?(_ text: String) {
        let ends = text.split(separator: "..", omittingEmptySubsequences: false).map { LocalDate($0) }
        guard ends.count <= 2, let first = ends.first ?? nil, let last = ends.last ?? nil, first <= last else { return nil }
        (self.first, self.last) = (first, last)
    }

    package func contains(_ date: LocalDate) -> Bool { first <= date && date <= last }

    package var description: String { first == last ? first.description : "\(first)..\(last)" }
}
