/// An inconsistency in a store.
package struct StoreFlaw: Hashable, Sendable {
    package enum Kind: String, CaseIterable, Sendable {
        /// SQLite finds the file damaged.
        case damaged
        /// The checksum of a page is wrong: the disk has changed the page, or another program has written it.
        case checksum
        /// A row refers to a row that does not exist.
        case dangling
        /// A sequence number of an event is missing, or a number that must be unused is used.
        case gap
        /// Two enters without an exit between them, or an exit without an enter.
        case alternation
        /// The stored open visits differ from those of the events.
        case presence
        /// The order of fixes by device and time, an index of events or the spans in which devices were seen are inconsistent.
        case order
        /// A replay of the stored fixes leads to other events.
        case replay
        /// The file of a simulated phone cannot be read.
        case phone
    }

    package var kind: Kind
    package var details: String

    package init(_ kind: Kind, _ details: String) {
        self.kind = kind
        self.details = details
    }
}
