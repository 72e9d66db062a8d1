import Model

/// What transactions have changed that others are notified of when they are committed.
package struct CommitNews {
    /// The new events, sorted by number.
    package var events: [Event] = []
    /// What clients are notified of.
    package var notices: [ServiceNotice] = []
    /// The data of devices that was removed.
    package var removals: [RemovedData] = []
    /// Whether positions were saved, and the newest position of each device that has moved, if anyone follows the devices.
    package var hasPositions = false
    package var moved: [LivePosition] = []
    /// Whether the owner of the phones was asked to remove some.
    package var removesPhones = false
    /// Whether positions were committed, or as much data as positions need. A small change is no proof that a full disk has free space again.
    package var hasWritten = false

    /// Adds the news of a later transaction.
    mutating func add(_ later: CommitNews) {
        events.add(later.events)
        notices += later.notices
        removals += later.removals
        moved += later.moved
        if later.hasPositions { hasPositions = true }
        if later.removesPhones { removesPhones = true }
        if later.hasWritten { hasWritten = true }
    }
}
