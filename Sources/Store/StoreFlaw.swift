import DatabaseProblems
import Model
import SQLite

/// Something in a store that cannot be.
package struct StoreFlaw: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// The file itself: SQLite finds it damaged.
        case damaged
        /// A row that names another which is not there.
        case dangling
        /// A number is missing in the sequence of events.
        case gap
        /// Two enters without an exit between, or an exit without an enter.
        case alternation
        /// What devices are in is not what the events say.
        case presence
        /// The order of fixes by device and time is not that of the fixes.
        case order
        /// The stored fixes, judged anew, give something else.
        case replay
        /// A simulated phone that cannot be read.
        case phone
    }

    package var kind: Kind
    package var details: String

    package init(_ kind: Kind, _ details: String) {
        self.kind = kind
        self.details = details
    }
}
